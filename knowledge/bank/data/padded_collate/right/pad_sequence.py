import torch
from torch.nn.utils.rnn import pad_sequence


def pad_collate(samples, padding_value=0):
    sequences, labels = zip(*samples)
    padded = pad_sequence(sequences, batch_first=True, padding_value=padding_value)
    lengths = torch.tensor([item.size(0) for item in sequences])
    mask = torch.arange(padded.size(1)).unsqueeze(0) < lengths.unsqueeze(1)
    return padded.clone(), mask, torch.as_tensor(labels, dtype=torch.int64)


def masked_mean(values, mask):
    while mask.dim() < values.dim():
        mask = mask.unsqueeze(-1)
    total = torch.where(mask, values, torch.zeros_like(values)).sum(1)
    number = mask.sum(1)
    return total / torch.where(number == 0, 1, number)
