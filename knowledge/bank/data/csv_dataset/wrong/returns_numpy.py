# caught by: sample-types
# why: The features are a numpy array, and the transform gets no tensor to work on.
import numpy as np
from torch.utils.data import DataLoader, Dataset


class CSVDataset(Dataset):
    def __init__(self, lines, transform=None):
        self.rows = lines[1:]
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        *fields, label = self.rows[index].split(",")
        features = np.array(fields, dtype=np.float32)
        if self.transform is not None:
            features = self.transform(features)
        return features, int(label)


def make_loader(dataset, batch_size, training):
    return DataLoader(dataset, batch_size=batch_size, shuffle=training, drop_last=training)
