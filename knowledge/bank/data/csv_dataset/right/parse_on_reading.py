import torch
from torch.utils.data import DataLoader, Dataset


class CSVDataset(Dataset):
    """Numbers from the lines of a CSV file, with an integer label in the last column."""

    def __init__(self, lines, transform=None):
        self.rows = lines[1:]  # a copy without the header; the caller's list stays as it is
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        *fields, label = self.rows[index].split(",")  # the list handles negative indices and raises IndexError
        features = torch.tensor([float(field) for field in fields])
        if self.transform is not None:
            features = self.transform(features)
        return features, int(label)


def make_loader(dataset, batch_size, training):
    return DataLoader(dataset, batch_size=batch_size, shuffle=training, drop_last=training)
