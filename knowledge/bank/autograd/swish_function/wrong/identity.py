# caught by: documented-example
# why: It returns x, which swish resembles only for large x.
import torch


def swish(x):
    return x * 1
