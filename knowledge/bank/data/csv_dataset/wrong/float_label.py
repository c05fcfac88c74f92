# caught by: sample-types
# why: Parsed together with the features, the label is a float, which cross_entropy refuses as a class.
import torch
from torch.utils.data import DataLoader, Dataset


class CSVDataset(Dataset):
    def __init__(self, lines, transform=None):
        self.rows = lines[1:]
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = torch.tensor([float(field) for field in self.rows[index].split(",")])
        features, label = row[:-1], row[-1]
        if self.transform is not None:
            features = self.transform(features)
        return features, label


def make_loader(dataset, batch_size, training):
    return DataLoader(dataset, batch_size=batch_size, shuffle=training, drop_last=training)
