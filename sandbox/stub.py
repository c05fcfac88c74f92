"""The box's side of the RPC: runs in the same interpreter as the submission, so nothing that it says is trusted.

It executes the submission, keeps its objects under numbers and does with them what the check asks. The check side
(`values.py`, `client.py`) treats every reply as hostile. Standard library, numpy and the framework only.
"""

from __future__ import annotations

import builtins
import gc
import linecache
import os
import socket
import sys
import tempfile
import traceback
import types
from pathlib import Path
from typing import Any

import numpy as np

from sandbox import wire
from sandbox.preload import adapter, fork_handlers

FILE = "submission.py"
LIMIT_TEXT = 4000
MAX_STRING = 1 << 20

Buffers = list[Any]


def warm() -> None:
    """Do once what costs time the first time, after the fork and before a submission is there."""
    framework = adapter()
    if framework is not None:
        framework.warm()
    _rehearse()


def _rehearsed(x: Any) -> Any:
    return x * x + 1.0


def _rehearse() -> None:
    """Answer a call and a gradient of a function of our own: their code paths are then in this process's memory.

    What a box touches first costs it a copied page each time, and a waiting box must stay small: so no more than this.
    """
    mine, theirs = socket.socketpair()
    with mine, theirs:
        server = Server(mine, adapter())
        server.objects[1] = _rehearsed
        array = {"a": 0, "d": "float32", "w": "float32", "s": [2], "r": "tensor", "g": False}
        requests: list[tuple[dict[str, Any], bytes]] = [
            ({"do": "call", "o": 1, "name": "", "a": [array], "k": {}, "keep": False}, bytes(8)),
        ]
        if adapter() is not None:
            vjp = {"do": "vjp", "o": 1, "inputs": [array], "cotangents": [array], "second": [array]}
            requests.append((vjp, bytes(8)))
        for number, (request, data) in enumerate(requests):
            for piece in wire.pack(request | {"n": number}, [data]):
                theirs.sendall(piece)
            header, server.incoming = wire.unpack(wire.fill_from(mine))
            server.outgoing = []
            server.answer(header)


def open_streams() -> None:
    """Standard output and error anew, on the descriptors as they are now: whole lines, no text that fails to encode."""
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc]


def serve() -> None:
    """Answer requests on descriptor 3 until it closes."""
    gc.enable()
    tempfile.tempdir = os.environ["TMPDIR"]  # an import may have settled on the server's
    for handlers in fork_handlers():
        os.register_at_fork(**handlers)
    Server(socket.socket(fileno=3), adapter()).run()


class Server:
    """Holds the submission's objects and serves one connection."""

    def __init__(self, peer: socket.socket, adapter: Any) -> None:
        self.peer, self.adapter = peer, adapter
        self.objects: dict[int, Any] = {}
        self.incoming: list[bytearray] = []
        self.outgoing: Buffers = []

    def run(self) -> None:
        """Say hello, then answer one request after the other."""
        hello: dict[str, Any] = {
            "versions": {"python": sys.version.split()[0], "numpy": np.__version__},
            "device": self.adapter.device if self.adapter else "cpu",
        }
        if self.adapter:
            hello["versions"] |= self.adapter.versions()
        self._send({"hello": hello}, [])
        fill = wire.fill_from(self.peer)
        while True:
            try:
                request, buffers = wire.unpack(fill)
            except (EOFError, OSError):
                return
            self.incoming, self.outgoing = buffers, []
            self.answer(request)

    def answer(self, request: dict[str, Any]) -> None:
        """Do what a request asks and send the reply."""
        try:
            result = getattr(self, "do_" + request["do"])(request)
            self._flush()
            self._send({"n": request["n"], "value": result}, self.outgoing)
        except (BrokenPipeError, ConnectionResetError):
            os._exit(0)
        except BaseException as error:  # noqa: BLE001  (whatever the submission raises is an answer)
            self._flush()
            self._send({"n": request["n"], "error": self._describe(error)}, [])

    def _send(self, header: dict[str, Any], buffers: Buffers) -> None:
        for piece in wire.pack(header, buffers):
            self.peer.sendall(piece)

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                continue

    def _describe(self, error: BaseException) -> dict[str, Any]:
        """An exception as the check will see it: class, message, line of the submission, the end of the traceback."""
        line = None
        frames = traceback.extract_tb(error.__traceback__)
        for frame in frames:
            if frame.filename == FILE:
                line = frame.lineno
        if isinstance(error, SyntaxError) and error.filename == FILE:
            line = error.lineno
        try:
            message = str(error)
        except Exception as second:  # noqa: BLE001  (a __str__ of the submission's own)
            message = f"(its message raised {type(second).__name__})"
        own = [frame for frame in frames if frame.filename == FILE]
        trace = "".join(traceback.format_list(own))
        result: dict[str, Any] = {
            "type": type(error).__name__,
            "message": message[:LIMIT_TEXT],
            "trace": trace[-LIMIT_TEXT:],
        }
        result["line"] = line if isinstance(line, int) else None
        if isinstance(error, SystemExit):
            result["code"] = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        return result

    # -------------------------------------------------------------------------------------------- values

    def keep(self, item: Any) -> dict[str, Any]:
        """Keep an object and name it."""
        number = len(self.objects) + 1
        self.objects[number] = item
        return {"h": number, "t": type(item).__name__[:100]}

    def encode(self, item: Any, buffers: Buffers, depth: int = 0) -> Any:
        """A value on its way out; what cannot cross is kept and named."""
        if item is None or item is True or item is False:
            return item
        kind = type(item)
        if kind is int:
            return item if item.bit_length() <= wire.MAX_INT_BITS else self.keep(item)
        if kind is float:
            return {"f": repr(item)}
        if kind is str:
            return {"s": item} if len(item) <= MAX_STRING else self.keep(item)
        if kind is bytes:
            buffers.append(item)
            return {"b": len(buffers) - 1}
        if depth < wire.MAX_DEPTH - 1:
            if kind in (list, tuple) or (isinstance(item, tuple) and hasattr(item, "_fields")):
                if len(item) <= wire.MAX_ITEMS:
                    return {"l" if kind is list else "u": [self.encode(part, buffers, depth + 1) for part in item]}
            elif isinstance(item, dict) and len(item) <= wire.MAX_ITEMS and all(_plain(key) for key in item):
                pairs = [
                    [self.encode(k, buffers, depth + 1), self.encode(v, buffers, depth + 1)] for k, v in item.items()
                ]
                return {"m": pairs}
        out = self._encode_array(item)
        if out is None:
            return self.keep(item)
        data, dtype, role, grad, device = out
        buffers.append(np.ascontiguousarray(data).tobytes())
        described = {"a": len(buffers) - 1, "d": dtype, "w": str(data.dtype), "s": list(data.shape), "r": role}
        return described | {"g": grad, "v": device, "h": self.keep(item)["h"]}

    def _encode_array(self, item: Any) -> tuple[Any, str, str, bool, str] | None:
        if self.adapter is not None:
            found = self.adapter.encode(item)
            if found is not None:
                return found  # type: ignore[no-any-return]
        if isinstance(item, np.ndarray | np.generic) and item.dtype.kind in "fiubc" and item.dtype.itemsize <= 16:
            data = np.asarray(item)
            if data.dtype.name in ("float128", "longdouble", "complex256"):
                return None
            data = data.astype(data.dtype.newbyteorder("="), copy=False)
            return data, data.dtype.name, "ndarray", False, "cpu"
        return None

    def decode(self, item: Any) -> Any:
        """A value on its way in (from the check: trusted)."""
        if not isinstance(item, dict):
            return item
        if "a" in item:
            data = np.frombuffer(self.incoming[item["a"]], dtype=item["w"]).reshape(item["s"]).copy()
            if item["r"] == "ndarray" or self.adapter is None:
                return data
            return self.adapter.decode(data, item["d"], item["r"], item["g"])
        if "h" in item:
            return self.objects[item["h"]]
        if "f" in item:
            return float(item["f"])
        if "s" in item:
            return item["s"]
        if "b" in item:
            return bytes(self.incoming[item["b"]])
        if "l" in item:
            return [self.decode(part) for part in item["l"]]
        if "u" in item:
            return tuple(self.decode(part) for part in item["u"])
        return {self.decode(key): self.decode(value) for key, value in item["m"]}

    def _arguments(self, request: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        positional = [self.decode(item) for item in request["a"]]
        return positional, {name: self.decode(item) for name, item in request["k"].items()}

    # -------------------------------------------------------------------------------------------- requests

    def do_load(self, request: dict[str, Any]) -> Any:
        """Execute the submission as a module, or as the main program."""
        source = bytes(self.incoming[0]).decode("utf-8", "replace")
        name = "__main__" if request["main"] else "submission"
        module = types.ModuleType(name)
        module.__loader__ = _Loader(source)  # type: ignore[assignment]
        module.__file__ = FILE
        sys.modules[name] = module
        linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
        exec(compile(source, FILE, "exec", dont_inherit=True), module.__dict__)
        return self.keep(module)

    def do_has(self, request: dict[str, Any]) -> Any:
        """hasattr."""
        return bool(hasattr(self.objects[request["o"]], request["name"]))

    def do_get(self, request: dict[str, Any]) -> Any:
        """getattr, kept."""
        return self.keep(getattr(self.objects[request["o"]], request["name"]))

    def do_value(self, request: dict[str, Any]) -> Any:
        """The object itself."""
        return self.encode(self.objects[request["o"]], self.outgoing)

    def do_keep(self, request: dict[str, Any]) -> Any:
        """A value sent in, kept."""
        return self.keep(self.decode(request["v"]))

    def do_define(self, request: dict[str, Any]) -> Any:
        """Run the check's own source and keep one of its names."""
        space: dict[str, Any] = {"np": np, "__builtins__": builtins, "__name__": "check"}
        if self.adapter is not None:
            space |= self.adapter.names()
        exec(compile(request["source"], "check", "exec", dont_inherit=True), space)
        return self.keep(space[request["name"]])

    def do_call(self, request: dict[str, Any]) -> Any:
        """Call an object or one of its methods, and bring the result out or keep it."""
        target = self.objects[request["o"]]
        if request["name"]:
            target = getattr(target, request["name"])
        positional, named = self._arguments(request)
        result = target(*positional, **named)
        return self.keep(result) if request["keep"] else self.encode(result, self.outgoing)

    def do_vjp(self, request: dict[str, Any]) -> Any:
        """Vector-Jacobian products, and the double backward."""
        inputs = [self.decode(item) for item in request["inputs"]]
        owned = [isinstance(item, dict) and "a" in item for item in request["inputs"]]
        cotangents = [self.decode(item) for item in request["cotangents"]]
        second = None if request["second"] is None else [self.decode(item) for item in request["second"]]
        function = self.objects[request["o"]]
        outputs, gradients, double = self.adapter.vjp(function, inputs, owned, cotangents, second)
        return [[self.encode(item, self.outgoing) for item in group] for group in (outputs, gradients, double)]

    def do_step(self, request: dict[str, Any]) -> Any:
        """One optimizer step with given gradients."""
        parameters = [self.objects[number] for number in request["parameters"]]
        gradients = [self.decode(item) for item in request["gradients"]]
        self.adapter.step(self.objects[request["o"]], parameters, gradients)
        return [self.encode(item, self.outgoing) for item in parameters]

    def do_iterate(self, request: dict[str, Any]) -> Any:
        """The first items of an iterable."""
        items: list[Any] = []
        for item in self.objects[request["o"]]:
            if len(items) >= request["limit"]:
                break
            items.append(self.encode(item, self.outgoing))
        return items

    def do_write(self, request: dict[str, Any]) -> Any:
        """A file in the working folder."""
        (Path(os.environ["HOME"]) / request["name"]).write_bytes(bytes(self.incoming[0]))

    def do_read(self, request: dict[str, Any]) -> Any:
        """A file's bytes, no more than asked for."""
        with (Path(os.environ["HOME"]) / request["name"]).open("rb") as file:
            self.outgoing.append(file.read(request["limit"]))
        return {"b": 0}


class _Loader:
    """Lets `inspect` and AutoGraph find the submission's source, which is in no file."""

    def __init__(self, source: str) -> None:
        self.source = source

    def get_source(self, _name: str) -> str:
        """The source."""
        return self.source


def _plain(key: Any) -> bool:
    return type(key) in (str, int, float, bool, bytes, type(None))
