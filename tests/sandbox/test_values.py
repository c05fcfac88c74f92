"""Values and frames across the border: what goes in comes out; nothing that hostile code sends gets through wrong."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Array, Handle
from sandbox import wire
from sandbox.client import _error
from sandbox.endings import ProtocolViolation, from_error, from_report
from sandbox.stub import Server
from sandbox.toolkit import tensor
from sandbox.values import DTYPES, Reader, encode

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 100), 1 << 100)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=4)
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


def reader_of(pieces: list[wire.Buffer]) -> Any:
    """A `fill` over bytes in memory."""
    data = b"".join(bytes(piece) for piece in pieces)
    place = 0

    def fill(length: int) -> bytearray:
        nonlocal place
        part = data[place : place + length]
        if len(part) < length:
            raise EOFError
        place += length
        return bytearray(part)

    return fill


@given(plain)
def test_a_value_survives_the_way_in_and_out(value: Any) -> None:
    """Through our writer, the box's reader and writer, and our reader."""
    buffers: list[wire.Buffer] = []
    header = {"v": encode(value, buffers)}
    server = Server(None, None)  # type: ignore[arg-type]
    request, server.incoming = wire.unpack(reader_of(wire.pack(header, buffers)))
    inside = server.decode(request["v"])
    outgoing: list[Any] = []
    reply, received = wire.unpack(reader_of(wire.pack({"v": server.encode(inside, outgoing)}, outgoing)))
    assert Reader(received).value(reply["v"]) == value


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 1 << 70) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "d", "w", "s", "r", "g", "v", "h", "t", "f", "l", "u", "m", "b"]), inner
        )
    ),
    max_leaves=10,
)


@given(json_values, st.lists(st.binary(max_size=16).map(bytearray), max_size=2))
def test_whatever_is_sent_is_a_value_or_a_violation(item: Any, buffers: list[bytearray]) -> None:
    try:
        Reader(buffers).value(item)
    except ProtocolViolation:
        return


@given(json_values)
def test_whatever_an_error_says_is_an_error_or_a_violation(item: Any) -> None:
    assert isinstance(_error(item), Exception)


@given(
    st.fixed_dictionaries(
        {
            "a": st.integers(-1, 1),
            "d": st.sampled_from([*DTYPES, "object", "float128"]),
            "s": st.lists(st.integers(-1, 3), max_size=3),
            "r": st.sampled_from(["tensor", "variable", "ndarray", "x"]),
            "v": st.sampled_from(["cpu", "cuda:0", "tpu"]),
            "h": st.integers(0, 3),
        }
    ),
    st.binary(max_size=32).map(bytearray),
)
def test_an_array_has_the_bytes_that_it_claims(item: dict[str, Any], data: bytearray) -> None:
    try:
        found = Reader([data]).array(item)
    except ProtocolViolation:
        return
    assert found.shape == tuple(item["s"])
    assert found.data.nbytes == len(data)
    assert found.data.dtype.kind in "fiubc"
    assert found.handle == Handle(item["h"])


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_refused(data: bytes) -> None:
    try:
        header, _ = wire.unpack(reader_of([data]))
    except (wire.FrameError, EOFError):
        return
    assert isinstance(header, dict)


@pytest.mark.parametrize(
    "prefix",
    [
        struct.pack("<II", wire.MAX_HEADER + 1, 0),
        struct.pack("<II", 2, wire.MAX_BUFFERS + 1),
        struct.pack("<IIQ", 2, 1, wire.MAX_BYTES + 1),
        struct.pack("<IIQQ", 2, 2, (1 << 64) - 1, 1),
    ],
)
def test_a_length_over_the_limit_is_refused_before_anything_is_read(prefix: bytes) -> None:
    with pytest.raises(wire.FrameError):
        wire.unpack(reader_of([prefix]))


def test_too_large_a_value_is_not_sent() -> None:
    with pytest.raises(wire.FrameError):
        wire.pack({"x": "y" * (wire.MAX_HEADER + 1)})
    with pytest.raises(wire.FrameError):
        wire.pack({}, [bytes(1)] * (wire.MAX_BUFFERS + 1))


def test_what_cannot_be_sent_is_an_error_of_the_check() -> None:
    for value in (object(), np.float32(1.0), Array(np.zeros(1), "object"), {1, 2}):
        with pytest.raises(TypeError):
            encode(value, [])  # type: ignore[arg-type]


def test_many_small_parts_do_not_add_up() -> None:
    item: Any = [0] * wire.MAX_ITEMS
    with pytest.raises(ProtocolViolation):
        Reader([]).value({"l": [{"l": item}] * 5})


def test_bfloat16_travels_widened() -> None:
    buffers: list[wire.Buffer] = []
    header = encode(tensor([1.0, 2.0], "bfloat16"), buffers)
    assert (header["d"], header["w"], len(bytes(buffers[0]))) == ("bfloat16", "float32", 8)


@pytest.mark.parametrize(
    ("report", "tail", "status"),
    [
        ({"cause": "", "exit": 0}, "", "crashed"),
        ({"cause": "", "exit": -11}, "", "crashed"),
        ({"cause": "", "exit": -24}, "", "timed_out"),
        ({"cause": "", "exit": -250}, "", "crashed"),
        ({"cause": "memory", "exit": -9}, "", "out_of_memory"),
        ({"cause": "", "exit": -6}, "terminate called: std::bad_alloc", "out_of_memory"),
        ({"cause": "time", "exit": -9}, "", "timed_out"),
        ({"cause": "disk", "exit": -9}, "", "crashed"),
        ({"cause": "setup", "detail": "x"}, "", "box_broken"),
    ],
)
def test_how_a_dead_box_is_reported(report: dict[str, object], tail: str, status: str) -> None:
    assert from_report(report, tail).status == status


def test_allocator_errors_are_want_of_memory() -> None:
    from domain import CandidateError

    for kind, text in (
        ("MemoryError", ""),
        ("RuntimeError", "[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory"),
        ("OutOfMemoryError", "CUDA out of memory. Tried to allocate 2 GiB"),
        ("ResourceExhaustedError", "OOM when allocating tensor"),
    ):
        assert from_error(CandidateError(kind, text)).status == "out_of_memory"
    assert from_error(CandidateError("RuntimeError", "shapes differ")).status == "crashed"
    json.dumps(str(from_error(CandidateError("E", "m", 3))))
