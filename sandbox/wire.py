"""The frames between a check and a box: a JSON header and raw buffers, every length bounded, no pickle.

A frame is the header's length and the number of buffers (two little-endian u32), each buffer's length (u64), the
header in UTF-8, the buffers. Either side refuses what is over the limits before it allocates.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any

MAX_HEADER = 4 << 20
MAX_BUFFERS = 4096
MAX_BYTES = 128 << 20
MAX_DEPTH = 16
MAX_ITEMS = 100_000
MAX_INT_BITS = 4096
JOINED = 1 << 16

Buffer = bytes | bytearray | memoryview
Header = dict[str, Any]
Fill = Callable[[int], bytearray]


class FrameError(Exception):
    """A frame that is over a limit or is not what the format says."""


def pack(header: Header, buffers: Sequence[Buffer] = ()) -> list[Buffer]:
    """The frame as pieces to send in order; one piece when it is small. Raises FrameError over a limit."""
    text = json.dumps(header, separators=(",", ":")).encode("utf-8", "backslashreplace")
    lengths = [memoryview(buffer).nbytes for buffer in buffers]
    if len(text) > MAX_HEADER or len(buffers) > MAX_BUFFERS or sum(lengths) > MAX_BYTES:
        raise FrameError("the value is too large to cross")
    prefix = struct.pack(f"<II{len(lengths)}Q", len(text), len(lengths), *lengths)
    pieces: list[Buffer] = [prefix + text, *(buffer for buffer, length in zip(buffers, lengths, strict=True) if length)]
    if len(text) + sum(lengths) < JOINED:
        return [b"".join(pieces)]
    return pieces


def unpack(fill: Fill) -> tuple[Header, list[bytearray]]:
    """Read one frame. `fill(n)` returns exactly n bytes from the peer. Raises FrameError."""
    header_length, count = struct.unpack("<II", fill(8))
    if header_length > MAX_HEADER or count > MAX_BUFFERS:
        raise FrameError("the frame is too large")
    lengths = struct.unpack(f"<{count}Q", fill(8 * count)) if count else ()
    if sum(lengths) > MAX_BYTES:
        raise FrameError("the frame is too large")
    text = fill(header_length)
    buffers = [fill(length) for length in lengths]
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"the frame's header is not JSON ({type(error).__name__})") from None
    if not isinstance(header, dict):
        raise FrameError("the frame's header is not an object")
    return header, buffers


def fill_from(peer: socket.socket) -> Fill:
    """A `fill` that blocks on a socket. Raises EOFError when the peer is gone."""

    def fill(length: int) -> bytearray:
        data = bytearray(length)
        view, got = memoryview(data), 0
        while got < length:
            received = peer.recv_into(view[got:], min(length - got, 1 << 20))
            if not received:
                raise EOFError
            got += received
        return data

    return fill
