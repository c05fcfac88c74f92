import csv

import torch
from torch.utils.data import DataLoader, Dataset, default_collate


class CSVDataset(Dataset):
    def __init__(self, lines, transform=None):
        super().__init__()
        header, *rows = csv.reader(lines)
        self.features = torch.tensor(
            [[float(v) for v in row[:-1]] for row in rows], dtype=torch.float32
        ).reshape(len(rows), len(header) - 1)
        self.labels = torch.tensor([int(row[-1]) for row in rows], dtype=torch.long)
        self.transform = transform or (lambda features: features)

    def __len__(self):
        return self.labels.numel()

    def __getitem__(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range for {len(self)} samples")
        return self.transform(self.features[index].clone()), self.labels[index].clone()


def make_loader(dataset, batch_size, training):
    if training:
        return DataLoader(dataset, batch_size, shuffle=True, drop_last=True, collate_fn=default_collate)
    return DataLoader(dataset, batch_size)
