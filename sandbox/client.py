"""The trusted side of a box: `domain.Box` over the RPC. Each method is one request and one reply."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any

from domain import Array, Box, CandidateError, Framework, Handle, RunStatus, Value, Vjp
from sandbox import wire
from sandbox.channel import Channel
from sandbox.endings import ProtocolViolation, RunEnded
from sandbox.values import Reader, encode, encode_array

MAX_REQUESTS = 200_000


class RemoteBox:
    """`domain.Box`: each method is one request and one reply."""

    def __init__(
        self,
        channel: Channel,
        framework: Framework,
        source: str | None,
        another: Callable[[], Channel] | None = None,
        seconds: float = 10.0,
    ) -> None:
        self.channel = channel
        self._framework = framework
        self._source = source
        self._another = another
        self._seconds = seconds
        self._device = "cpu"
        self._number = 0
        self.versions: tuple[tuple[str, str], ...] = ()
        self.others: list[RemoteBox] = []

    @property
    def framework(self) -> Framework:
        """PYTORCH or TENSORFLOW."""
        return self._framework

    @property
    def device(self) -> str:
        """Where tensors are put."""
        return self._device

    def hello(self, hello: dict[str, Any]) -> None:
        """Take over what the box said of itself before any submission was in it."""
        self._device = str(hello.get("device", "cpu"))
        self.versions = tuple((str(name), str(value)) for name, value in hello.get("versions", {}).items())

    def _ask(self, do: str, buffers: list[wire.Buffer] | None = None, **fields: Any) -> tuple[Any, Reader]:
        self._number += 1
        if self._number > MAX_REQUESTS:
            raise RunEnded(RunStatus.TIMED_OUT, "The check made too many calls.")
        self.channel.send({"do": do, "n": self._number, **fields}, buffers or ())
        reply, received = self.channel.receive()
        if reply.get("n") != self._number:
            raise ProtocolViolation("a reply does not belong to its request")
        if "error" in reply:
            raise _error(reply["error"])
        return reply.get("value"), Reader(received)

    def load(self) -> Handle:
        """Execute the submission."""
        return self._load(False)

    def run_main(self) -> Handle:
        """Execute the submission as the main program."""
        return self._load(True)

    def _load(self, main: bool) -> Handle:
        if self._source is None:
            raise ValueError("this box is for references; ask for another(load=True) to load the submission")
        self.channel.started = True
        item, reader = self._ask("load", [self._source.encode("utf-8", "replace")], main=main)
        return reader.handle(item)

    def has(self, target: Handle, name: str) -> bool:
        """Whether the object has that attribute."""
        item, _ = self._ask("has", o=target.id, name=name)
        return item is True

    def get(self, target: Handle, name: str) -> Handle:
        """An attribute, kept in the box."""
        item, reader = self._ask("get", o=target.id, name=name)
        return reader.handle(item)

    def value(self, target: Handle) -> Value:
        """The object itself, brought out."""
        item, reader = self._ask("value", o=target.id)
        return reader.value(item)

    def keep(self, value: Value) -> Handle:
        """Send a value in and keep it there."""
        buffers: list[wire.Buffer] = []
        item, reader = self._ask("keep", buffers, v=encode(value, buffers))
        return reader.handle(item)

    def define(self, source: str, name: str) -> Handle:
        """Run the check's own source in the box and return what it calls `name`."""
        item, reader = self._ask("define", source=source, name=name)
        return reader.handle(item)

    def call(self, target: Handle, *args: Value, **kwargs: Value) -> Value:
        """Call the object and bring the result out."""
        item, reader = self._call(target, "", args, kwargs, keep=False)
        return reader.value(item)

    def make(self, target: Handle, *args: Value, **kwargs: Value) -> Handle:
        """Call the object and keep the result in the box."""
        item, reader = self._call(target, "", args, kwargs, keep=True)
        return reader.handle(item)

    def method(self, target: Handle, name: str, *args: Value, **kwargs: Value) -> Value:
        """Call a method of the object and bring the result out."""
        item, reader = self._call(target, name, args, kwargs, keep=False)
        return reader.value(item)

    def _call(
        self, target: Handle, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], keep: bool
    ) -> tuple[Any, Reader]:
        buffers: list[wire.Buffer] = []
        positional = [encode(value, buffers) for value in args]
        named = {key: encode(value, buffers) for key, value in kwargs.items()}
        return self._ask("call", buffers, o=target.id, name=name, a=positional, k=named, keep=keep)

    def vjp(
        self,
        function: Handle,
        inputs: Sequence[Array | Handle],
        cotangents: Sequence[Array],
        second: Sequence[Array] | None = None,
    ) -> Vjp:
        """Vector-Jacobian products, and with `second` the double backward."""
        buffers: list[wire.Buffer] = []
        item, reader = self._ask(
            "vjp",
            buffers,
            o=function.id,
            inputs=[encode(value, buffers) for value in inputs],
            cotangents=[encode_array(value, buffers) for value in cotangents],
            second=None if second is None else [encode_array(value, buffers) for value in second],
        )
        if not isinstance(item, list) or len(item) != 3:
            raise ProtocolViolation("a vector-Jacobian product has an unknown form")
        outputs = reader.optional_arrays(item[0], len(cotangents))
        gradients, double = (reader.optional_arrays(part, len(inputs)) for part in item[1:])
        if len(outputs) != len(cotangents) or len(gradients) != len(inputs) or None in outputs:
            raise ProtocolViolation("a vector-Jacobian product has an unknown form")
        if second is not None and len(double) != len(inputs):
            raise ProtocolViolation("a vector-Jacobian product has an unknown form")
        return Vjp(tuple(output for output in outputs if output is not None), gradients, double)

    def step(self, optimizer: Handle, parameters: Sequence[Handle], gradients: Sequence[Array]) -> list[Array]:
        """Give the parameters these gradients, step once, bring the parameters out."""
        buffers: list[wire.Buffer] = []
        sent = [encode_array(value, buffers) for value in gradients]
        numbers = [parameter.id for parameter in parameters]
        item, reader = self._ask("step", buffers, o=optimizer.id, parameters=numbers, gradients=sent)
        found = [value for value in reader.optional_arrays(item, len(numbers)) if value is not None]
        if len(found) != len(numbers):
            raise ProtocolViolation("a parameter is missing")
        return found

    def iterate(self, iterable: Handle, limit: int) -> list[Value]:
        """At most `limit` items, brought out."""
        item, reader = self._ask("iterate", o=iterable.id, limit=limit)
        found = reader.value({"l": item})
        if not isinstance(found, list) or len(found) > limit:
            raise ProtocolViolation("there are more items than were asked for")
        return found

    def write(self, name: str, data: bytes) -> None:
        """Write a file in the box's working folder."""
        self._ask("write", [data], name=_plain_name(name))

    def read(self, name: str, limit: int = 1 << 26) -> bytes:
        """Read a file from the box's working folder."""
        item, reader = self._ask("read", name=_plain_name(name), limit=limit)
        found = reader.value(item)
        if not isinstance(found, bytes) or len(found) > limit:
            raise ProtocolViolation("a file is larger than was asked for")
        return found

    def another(self, load: bool = False) -> Box:
        """A second, fresh box. At most four in a run."""
        if self._another is None or len(self.others) >= 4:
            raise ValueError("no more boxes in this run")
        channel = self._another()
        box = RemoteBox(channel, self._framework, self._source if load else None, None, self._seconds)
        channel.start(max(0.01, self.channel.deadline - time.monotonic()))
        self.others.append(box)
        return box

    def close(self) -> None:
        """End the box and those it asked for."""
        for box in (*self.others, self):
            box.channel.close()


def _plain_name(name: str) -> str:
    if not name or name != PurePosixPath(name).name or name in (".", ".."):
        raise ValueError(f"{name!r} is not a plain file name")
    return name


def _error(item: Any) -> CandidateError | ProtocolViolation:
    if not isinstance(item, dict):
        return ProtocolViolation("an error has an unknown form")
    texts = [item.get(field, "") for field in ("type", "message", "trace")]
    line = item.get("line")
    if any(not isinstance(text, str) or len(text) > 8000 for text in texts):
        return ProtocolViolation("an error has an unknown form")
    if line is not None and (type(line) is not int or not 0 < line < 1 << 24):
        return ProtocolViolation("an error has an unknown form")
    code = item.get("code")
    error = CandidateError(texts[0][:200], texts[1], line, texts[2])
    error.exit_code = code if type(code) is int else None  # type: ignore[attr-defined]
    return error
