"""PyTorch in a box: tensors in and out, vector-Jacobian products, optimizer steps."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Sequence
from typing import Any

DTYPES = "float64 float32 float16 bfloat16 complex64 complex128 int64 int32 int16 int8 uint8 bool uint16 uint32 uint64"
PRELOAD = """
torch._dynamo torch.utils.data torch.optim torch.autograd.gradcheck torch.testing torch.nn.functional
torch.nn.utils torch.func torch.amp torch.optim.lr_scheduler torch.distributions torch.nn.init torch.fx
torch.profiler._cupti_monitor
""".split()  # noqa: SIM905


class Adapter:
    """What the stub asks of a framework."""

    def __init__(self, gpu: int, first_use: bool = True) -> None:
        import torch

        for name in PRELOAD if first_use else ():
            with contextlib.suppress(ImportError):  # not every version has each
                importlib.import_module(name)
        self.torch = torch
        self.gpu = gpu
        self.device = "cpu"
        self.dtypes = {getattr(torch, name): name for name in DTYPES.split() if hasattr(torch, name)}
        self.by_name = {name: dtype for dtype, name in self.dtypes.items()}

    def versions(self) -> dict[str, str]:
        """The framework's version."""
        return {"torch": str(self.torch.__version__)}

    def names(self) -> dict[str, Any]:
        """What the check's own source finds in its namespace."""
        return {"torch": self.torch}

    def warm(self) -> None:
        """One thread; on a GPU its context. The stub's rehearsal does the first operation and backward.

        Custom functions, modules and optimizers are left cold: a waiting box would hold 4 MiB more to save 10 ms once.
        """
        torch = self.torch
        torch.set_num_threads(1)
        if self.gpu:
            self.device = "cuda:0"
            torch.cuda.init()
            total = torch.cuda.get_device_properties(0).total_memory
            torch.cuda.set_per_process_memory_fraction(min(1.0, self.gpu / total))
            torch.ones(8, 8, device=self.device).matmul(torch.ones(8, 8, device=self.device)).sum().item()
            torch.cuda.synchronize()

    def encode(self, item: Any) -> tuple[Any, str, str, bool, str] | None:
        """(numbers, dtype, role, requires grad, device) of a strided tensor of a known dtype; None for all else."""
        torch = self.torch
        if not isinstance(item, torch.Tensor):
            return None
        name = self.dtypes.get(item.dtype)
        if name is None or item.layout is not torch.strided or item.device.type not in ("cpu", "cuda"):
            return None
        plain = item.detach().resolve_conj().resolve_neg().cpu()
        data = plain.float().numpy() if name == "bfloat16" else plain.numpy()
        return data, name, "tensor", bool(item.requires_grad), str(item.device)

    def decode(self, data: Any, dtype: str, role: str, requires_grad: bool) -> Any:
        """A tensor of that dtype on the box's device; a "variable" is a leaf that requires grad."""
        torch = self.torch
        result = torch.from_numpy(data) if data.size else torch.empty(data.shape)
        result = result.to(device=self.device, dtype=self.by_name[dtype])
        return result.requires_grad_(requires_grad or role == "variable")

    def vjp(
        self,
        function: Callable[..., Any],
        inputs: list[Any],
        owned: Sequence[bool],
        cotangents: list[Any],
        second: list[Any] | None,
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """(outputs, gradients, double backward). Inputs that the check sent (`owned`) are made to require grad."""
        torch = self.torch
        for item, mine in zip(inputs, owned, strict=True):
            if mine and isinstance(item, torch.Tensor) and (item.is_floating_point() or item.is_complex()):
                item.requires_grad_(True)
        result = function(*inputs)
        outputs = list(result) if isinstance(result, tuple | list) else [result]
        if len(outputs) != len(cotangents):
            raise ValueError(f"the function returned {len(outputs)} outputs, not {len(cotangents)}")
        for output, cotangent in zip(outputs, cotangents, strict=True):
            if not isinstance(output, torch.Tensor):
                raise TypeError(f"the function returned {type(output).__name__}, not a tensor")
            if output.shape != cotangent.shape:
                raise ValueError(f"the function returned a tensor of shape {tuple(output.shape)}")
        gradients = self._gradients(outputs, inputs, cotangents, second is not None)
        double: list[Any] = []
        if second is not None:
            pairs = [(g, v) for g, v in zip(gradients, second, strict=True) if g is not None]
            double = self._gradients([g for g, _ in pairs], inputs, [v for _, v in pairs], False)
        return outputs, gradients, double

    def _gradients(self, outputs: list[Any], inputs: list[Any], cotangents: list[Any], again: bool) -> list[Any]:
        torch = self.torch
        taken = [(o, c.to(o.dtype)) for o, c in zip(outputs, cotangents, strict=True) if o.requires_grad]
        wanted = [item for item in inputs if isinstance(item, torch.Tensor) and item.requires_grad]
        if not taken or not wanted:
            return [None] * len(inputs)
        found = torch.autograd.grad(
            [o for o, _ in taken],
            wanted,
            [c for _, c in taken],
            create_graph=again,
            retain_graph=True,
            allow_unused=True,
        )
        results = iter(found)
        return [next(results) if isinstance(i, torch.Tensor) and i.requires_grad else None for i in inputs]

    def step(self, optimizer: Any, parameters: list[Any], gradients: list[Any]) -> None:
        """Set each parameter's gradient and step once."""
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient.to(parameter.dtype)
        optimizer.step()
