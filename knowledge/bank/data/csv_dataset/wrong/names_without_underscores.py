# caught by: documented-example
# why: The names as they stand in print. Python looks for __len__ and __getitem__.
import torch
from torch.utils.data import DataLoader, Dataset


class CSVDataset(Dataset):
    def __init__(self, lines, transform=None):
        self.rows = lines[1:]
        self.transform = transform

    def len(self):
        return len(self.rows)

    def getitem(self, index):
        *fields, label = self.rows[index].split(",")
        features = torch.tensor([float(field) for field in fields])
        if self.transform is not None:
            features = self.transform(features)
        return features, int(label)


def make_loader(dataset, batch_size, training):
    return DataLoader(dataset, batch_size=batch_size, shuffle=training, drop_last=training)
