import numpy as np
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, SequentialSampler


class CSVDataset(Dataset):
    def __init__(self, lines, transform=None):
        self._samples = tuple(line.rsplit(",", 1) for line in lines[1:])
        self._transform = transform

    def __len__(self):
        return len(self._samples)

    def __getitem__(self, index):
        fields, label = self._samples[index]
        features = torch.from_numpy(np.array(fields.split(","), dtype=np.float32))
        if self._transform:
            features = self._transform(features)
        return features, torch.tensor(int(label))


def make_loader(dataset, batch_size, training):
    order = RandomSampler(dataset) if training else SequentialSampler(dataset)
    return DataLoader(dataset, batch_sampler=BatchSampler(order, batch_size, drop_last=training))
