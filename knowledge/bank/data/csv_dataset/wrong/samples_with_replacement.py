# caught by: each-sample-once
# why: Drawn with replacement, some samples come twice in an epoch and others not at all.
import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler


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
    sampler = RandomSampler(dataset, replacement=True) if training else None
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=training)
