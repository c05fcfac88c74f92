# caught by: reshuffled
# why: One permutation is drawn when the loader is made, and every epoch repeats it.
import torch
from torch.utils.data import DataLoader, Dataset, Subset


class CSVDataset(Dataset):
    def __init__(self, lines, transform=None):
        self.rows = lines[1:]
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        *fields, label = self.rows[index].split(",")
        features = torch.tensor([float(field) for field in fields])
        if self.transform is not None:
            features = self.transform(features)
        return features, int(label)


def make_loader(dataset, batch_size, training):
    if training:
        dataset = Subset(dataset, torch.randperm(len(dataset)).tolist())
    return DataLoader(dataset, batch_size=batch_size, drop_last=training)
