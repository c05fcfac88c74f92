"""Values across the border, on the trusted side: written for the stub, and read back as hostile data.

Every field of a reply is checked for its type, range and size before it is used. What is wrong raises
`ProtocolViolation`: the stub never writes such a thing.
"""

from __future__ import annotations

import math
from typing import Any, Literal, cast

import numpy as np

from domain import Array, Handle, Value
from sandbox import wire
from sandbox.endings import ProtocolViolation

# What a tensor's dtype may be called, and the dtype in which its numbers travel.
DTYPES = {
    name: name
    for name in (
        *("float64", "float32", "float16", "complex64", "complex128", "bool"),
        *("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64"),
    )
} | {"bfloat16": "float32"}
ROLES = ("tensor", "variable", "ndarray")
MAX_DIMENSIONS = 32
MAX_TEXT = 1 << 20
_KEYS = (str, int, float, bool, bytes, type(None))


def encode(value: Value, buffers: list[wire.Buffer]) -> Any:
    """A value on its way into the box. Raises TypeError for what has no form there (an error of the check)."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return {"f": repr(value)}
    if isinstance(value, str):
        return {"s": value}
    if isinstance(value, bytes):
        buffers.append(value)
        return {"b": len(buffers) - 1}
    if isinstance(value, Handle):
        return {"h": value.id}
    if isinstance(value, Array):
        return encode_array(value, buffers)
    if isinstance(value, list):
        return {"l": [encode(item, buffers) for item in value]}
    if isinstance(value, tuple):
        return {"u": [encode(item, buffers) for item in value]}
    if isinstance(value, dict):
        return {"m": [[encode(key, buffers), encode(item, buffers)] for key, item in value.items()]}
    raise TypeError(f"a {type(value).__name__} cannot be sent into a box; use tensor(), variable() or ndarray()")


def encode_array(value: Array, buffers: list[wire.Buffer]) -> Any:
    """An array on its way into the box."""
    data = np.asarray(value.data)
    travels = DTYPES.get(value.dtype)
    if travels is None or data.dtype.kind not in "fiubc":
        raise TypeError(f"an array of dtype {value.dtype} cannot be sent into a box")
    data = np.asarray(data, dtype=travels, order="C")
    buffers.append(data.tobytes())
    described = {"a": len(buffers) - 1, "d": value.dtype, "w": travels, "s": list(data.shape)}
    return described | {"r": value.role, "g": value.requires_grad}


class Reader:
    """Reads one reply. Counts what it has read, so that many small parts cannot add up to a flood."""

    def __init__(self, buffers: list[bytearray]) -> None:
        self.buffers = buffers
        self.items = 0

    def value(self, item: Any, depth: int = 0) -> Value:
        """The value. Raises ProtocolViolation."""
        self.items += 1
        if depth > wire.MAX_DEPTH or self.items > wire.MAX_ITEMS * 4:
            raise ProtocolViolation("a value is nested too deep or has too many parts")
        if item is None or isinstance(item, bool):
            return item
        if isinstance(item, int):
            if item.bit_length() > wire.MAX_INT_BITS:
                raise ProtocolViolation("a number is too long")
            return item
        if not isinstance(item, dict):
            raise ProtocolViolation("a value has an unknown form")
        if "a" in item:
            return self.array(item)
        if "f" in item:
            return _float(item["f"])
        if "s" in item:
            if not isinstance(item["s"], str) or len(item["s"]) > MAX_TEXT:
                raise ProtocolViolation("a text is not one, or is too long")
            return item["s"]
        if "b" in item:
            return bytes(self._buffer(item["b"]))
        if "l" in item:
            return [self.value(part, depth + 1) for part in _list(item["l"])]
        if "u" in item:
            return tuple(self.value(part, depth + 1) for part in _list(item["u"]))
        if "m" in item:
            return self._mapping(_list(item["m"]), depth)
        return self.handle(item)

    def handle(self, item: Any) -> Handle:
        """A handle. Raises ProtocolViolation."""
        if not isinstance(item, dict) or type(item.get("h")) is not int or not 0 < item["h"] < 1 << 31:
            raise ProtocolViolation("a value has an unknown form")
        name = item.get("t", "")
        if not isinstance(name, str) or len(name) > 100:
            raise ProtocolViolation("a type's name is not one")
        return Handle(item["h"], name)

    def array(self, item: Any) -> Array:
        """An array whose buffer has exactly the bytes that its shape and dtype call for. Raises ProtocolViolation."""
        if not isinstance(item, dict):
            raise ProtocolViolation("an array has an unknown form")
        dtype, role, shape, device = item.get("d"), item.get("r"), item.get("s"), item.get("v")
        if not isinstance(dtype, str) or dtype not in DTYPES or role not in ROLES or device not in ("cpu", "cuda:0"):
            raise ProtocolViolation("an array's dtype, role or device is unknown")
        if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
            raise ProtocolViolation("an array's shape is not one")
        if any(type(size) is not int or not 0 <= size < 1 << 40 for size in shape):
            raise ProtocolViolation("an array's shape is not one")
        travels = np.dtype(DTYPES[dtype])
        data = self._buffer(item.get("a"))
        if math.prod(shape) * travels.itemsize != len(data):
            raise ProtocolViolation("an array's size does not fit its shape")
        handle = self.handle({"h": item.get("h")})
        if dtype == "bool" and data and max(data) > 1:
            raise ProtocolViolation("an array of truth values holds other values")
        try:
            values = np.frombuffer(data, dtype=travels).reshape(shape)
        except ValueError:
            raise ProtocolViolation("an array's shape is not one") from None
        role = cast("Literal['tensor', 'variable', 'ndarray']", role)
        return Array(values, dtype, role, item.get("g") is True, device, handle)

    def optional_arrays(self, item: Any, limit: int) -> tuple[Array | None, ...]:
        """A list of at most `limit` arrays or Nones."""
        parts = _list(item)
        if len(parts) > limit:
            raise ProtocolViolation("there are more arrays than were asked for")
        return tuple(None if part is None else self.array(part) for part in parts)

    def _mapping(self, pairs: list[Any], depth: int) -> Value:
        result: dict[Value, Value] = {}
        for pair in pairs:
            if not isinstance(pair, list) or len(pair) != 2:
                raise ProtocolViolation("a mapping has an unknown form")
            key = self.value(pair[0], depth + 1)
            if not isinstance(key, _KEYS):
                raise ProtocolViolation("a mapping's key has an unknown form")
            result[key] = self.value(pair[1], depth + 1)
        return result

    def _buffer(self, index: Any) -> bytearray:
        if type(index) is not int or not 0 <= index < len(self.buffers):
            raise ProtocolViolation("a buffer is missing")
        return self.buffers[index]


def _list(item: Any) -> list[Any]:
    if not isinstance(item, list) or len(item) > wire.MAX_ITEMS:
        raise ProtocolViolation("a list is not one, or is too long")
    return item


def _float(text: Any) -> float:
    if not isinstance(text, str) or len(text) > 40:
        raise ProtocolViolation("a number is not one")
    try:
        return float(text)
    except ValueError:
        raise ProtocolViolation("a number is not one") from None
