import csv

import torch
from torch.utils.data import DataLoader, Dataset


class CSVDataset(Dataset):
    def __init__(self, lines, transform=None):
        header, *rows = csv.reader(lines)
        values = torch.tensor([[float(value) for value in row[:-1]] for row in rows])
        self.features = values.reshape(len(rows), len(header) - 1)  # a shape with columns for no rows, too
        self.labels = torch.tensor([int(row[-1]) for row in rows])
        self.transform = transform or (lambda features: features)

    def __len__(self):
        return self.labels.numel()

    def __getitem__(self, index):
        return self.transform(self.features[index].clone()), self.labels[index].clone()


def make_loader(dataset, batch_size, training):
    if training:
        return DataLoader(dataset, batch_size, shuffle=True, drop_last=True)
    return DataLoader(dataset, batch_size)
