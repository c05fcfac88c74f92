import torch


def to_tensor(array, copy=None):
    if copy is not True:
        try:
            if not array.flags["WRITEABLE"]:
                raise ValueError("read-only memory")
            return torch.from_numpy(array)
        except ValueError:
            if copy is False:
                raise
    native = array.astype(array.dtype.newbyteorder("native"), order="C", copy=True)
    return torch.as_tensor(native)
