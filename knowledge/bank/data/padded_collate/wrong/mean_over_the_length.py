# caught by: means
# why: the sum is divided by the padded length
import torch


def pad_collate(samples, padding_value=0):
    """From (sequence, label) pairs: the padded sequences, the mask of real elements, and the labels."""
    sequences = [sequence for sequence, _ in samples]
    first = sequences[0]
    longest = max(len(sequence) for sequence in sequences)
    padded = first.new_full((len(sequences), longest, *first.shape[1:]), padding_value)
    mask = torch.zeros(len(sequences), longest, dtype=torch.bool)
    for row, sequence in enumerate(sequences):
        padded[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = True
    return padded, mask, torch.tensor([label for _, label in samples])


def masked_mean(values, mask):
    """The mean of each row's real elements; 0 for a row that has none."""
    counts = torch.full((len(mask),), max(mask.shape[1], 1))
    shape = (...,) + (None,) * (values.dim() - 2)  # the mask lacks the dimensions of the elements
    real = values.masked_fill(~mask[shape], 0)  # a product with the mask would keep nan
    return real.sum(dim=1) / counts[shape]
