# caught by: sample-changed-by-reader
# why: Without a transform the reader still gets a view of the stored data.
import torch
from torch.utils.data import DataLoader, Dataset


class CSVDataset(Dataset):
    def __init__(self, lines, transform=None):
        rows = [line.split(",") for line in lines[1:]]
        self.features = torch.tensor([[float(v) for v in row[:-1]] for row in rows])
        self.labels = torch.tensor([int(row[-1]) for row in rows], dtype=torch.int64)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        features = self.features[index]
        if self.transform is not None:
            features = self.transform(features.clone())
        return features, self.labels[index]


def make_loader(dataset, batch_size, training):
    return DataLoader(dataset, batch_size=batch_size, shuffle=training, drop_last=training)
