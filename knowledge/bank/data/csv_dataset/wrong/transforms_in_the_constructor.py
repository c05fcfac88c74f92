# caught by: transform-lazy
# why: All samples are transformed once, in advance, so that an augmentation is the same in every epoch.
import torch
from torch.utils.data import DataLoader, Dataset


class CSVDataset(Dataset):
    def __init__(self, lines, transform=None):
        self.rows = lines[1:]
        self.samples = [self.parse(row, transform) for row in self.rows]

    def __len__(self):
        return len(self.rows)

    def parse(self, row, transform):
        *fields, label = row.split(",")
        features = torch.tensor([float(field) for field in fields])
        return (transform(features) if transform else features), int(label)

    def __getitem__(self, index):
        features, label = self.samples[index]
        return features.clone(), label


def make_loader(dataset, batch_size, training):
    return DataLoader(dataset, batch_size=batch_size, shuffle=training, drop_last=training)
