# caught by: sample-types
# why: numpy parses to float64, and from_numpy keeps it; float32 weights refuse it.
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class CSVDataset(Dataset):
    def __init__(self, lines, transform=None):
        self.rows = lines[1:]
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        *fields, label = self.rows[index].split(",")
        features = torch.from_numpy(np.array(fields, dtype=float))
        if self.transform is not None:
            features = self.transform(features)
        return features, int(label)


def make_loader(dataset, batch_size, training):
    return DataLoader(dataset, batch_size=batch_size, shuffle=training, drop_last=training)
