"""A submission that talks to the check itself: forged, broken, endless and enormous replies on the RPC.

Whatever it writes, the verdict is never OK and never "our fault", and the next submission still gets its verdict.
"""

from __future__ import annotations

import pytest

from domain import RunStatus
from tests.sandbox.conftest import plain_sandbox
from tests.sandbox.plain import RIGHT, PlainSandbox

PRELUDE = """
import json, os, struct, sys, time
import numpy as np

def frame(header, *buffers, lengths=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    lengths = [len(b) for b in buffers] if lengths is None else lengths
    return struct.pack(f"<II{len(lengths)}Q", len(text), len(lengths), *lengths) + text + b"".join(buffers)

def number():
    # the request's number, taken from the stub's own frame
    f = sys._getframe()
    while f is not None:
        if "request" in f.f_locals and isinstance(f.f_locals["request"], dict):
            return f.f_locals["request"]["n"]
        f = f.f_back
    return 0

def reply(value, *buffers):
    os.write(3, frame({"n": number(), "value": value}, *buffers))
    time.sleep(30)

def array(**changes):
    return {"a": 0, "d": "float32", "w": "float32", "s": [1], "r": "tensor", "g": False, "v": "cpu", "h": 1} | changes
"""

# name: (body of double(x), statuses that are right)
CRASHED, WRONG, LATE = RunStatus.CRASHED, RunStatus.WRONG, RunStatus.TIMED_OUT
FORGERIES: dict[str, tuple[str, set[RunStatus]]] = {
    "garbage": ("os.write(3, os.urandom(4096)); time.sleep(30)", {CRASHED, LATE}),
    "oversized header": ("os.write(3, struct.pack('<II', 0xFFFFFFFF, 0)); time.sleep(30)", {CRASHED}),
    "too many buffers": ("os.write(3, struct.pack('<II', 2, 0xFFFFFFFF)); time.sleep(30)", {CRASHED}),
    "oversized buffer": ("os.write(3, frame({}, lengths=[1 << 62])); time.sleep(30)", {CRASHED}),
    "overflowing buffers": ("os.write(3, frame({}, lengths=[(1 << 64) - 1, 2])); time.sleep(30)", {CRASHED}),
    "deep nesting": ("os.write(3, frame(b'[' * 100000 + b']' * 100000)); time.sleep(30)", {CRASHED}),
    "deep value": ("v = 1\n    for _ in range(400): v = {'l': [v]}\n    reply(v)", {CRASHED}),
    "not an object": ("os.write(3, frame([1])); time.sleep(30)", {CRASHED}),
    "not UTF-8": ("os.write(3, frame(b'\\xff\\xfe{}')); time.sleep(30)", {CRASHED}),
    "wrong number": ("os.write(3, frame({'n': 77, 'value': 4})); time.sleep(30)", {CRASHED}),
    "forged hello": ("os.write(3, frame({'hello': {'device': 'cuda:0'}})); time.sleep(30)", {CRASHED}),
    "forged verdict": ("os.write(3, frame({'done': {'status': 'ok'}, 'case': {}})); time.sleep(30)", {CRASHED}),
    "number of a million digits": (
        "os.write(3, frame(b'{\"n\": ' + b'9' * 1000000 + b'}')); time.sleep(30)",
        {CRASHED},
    ),
    "long number": ("reply(1 << 5000)", {CRASHED}),
    "bare infinity": ('os.write(3, frame(b\'{"n": %d, "value": Infinity}\' % number())); time.sleep(30)', {CRASHED}),
    "a float that is none": ("reply({'f': 'x' * 39})", {CRASHED}),
    "missing buffer": ("reply(array())", {CRASHED}),
    "negative buffer": ("reply(array(a=-1), bytes(4))", {CRASHED}),
    "unknown dtype": ("reply(array(d='object', w='object'), bytes(8))", {CRASHED}),
    "dtype of another size": ("reply(array(d='float64'), bytes(4))", {CRASHED}),
    "negative shape": ("reply(array(s=[-1]), bytes(4))", {CRASHED}),
    "huge shape": ("reply(array(s=[1 << 39, 1 << 39]), bytes(4))", {CRASHED}),
    "shape of another type": ("reply(array(s=[True]), bytes(4))", {CRASHED}),
    "too many dimensions": ("reply(array(s=[1] * 70), bytes(4))", {CRASHED}),
    "unknown role": ("reply(array(r='verdict'), bytes(4))", {CRASHED}),
    "unknown device": ("reply(array(v='<script>'), bytes(4))", {CRASHED}),
    "truth values that are none": ("reply(array(d='bool', w='bool'), b'\\x02')", {CRASHED}),
    "a list too long": ("reply({'l': [0] * 200000})", {CRASHED}),
    "a text too long": ("reply({'s': 'x' * (2 << 20)})", {CRASHED}),
    "unhashable key": ("reply({'m': [[{'l': []}, 1]]})", {CRASHED}),
    "broken pair": ("reply({'m': [[1]]})", {CRASHED}),
    "handle of another kind": ("reply({'h': 'x'})", {CRASHED}),
    "unknown form": ("reply({'python/object': 'os.system'})", {CRASHED}),
    "forged error": ("os.write(3, frame({'n': number(), 'error': 7})); time.sleep(30)", {CRASHED}),
    "error with a forged line": (
        "os.write(3, frame({'n': number(), 'error': {'type': 'E', 'message': 'm', 'line': -5}})); time.sleep(30)",
        {CRASHED},
    ),
    "error of a megabyte": (
        "os.write(3, frame({'n': number(), 'error': {'type': 'E', 'message': 'm' * 1000000}})); time.sleep(30)",
        {CRASHED},
    ),
    "dripped frame": (
        "for byte in frame({'n': number(), 'value': 4, 'x': 'y' * 999}): os.write(3, bytes([byte])); time.sleep(0.1)",
        {LATE},
    ),
    "half a frame": ("os.write(3, b'\\x10'); time.sleep(30)", {LATE}),
    "closed connection": ("os.close(3); time.sleep(30)", {CRASHED}),
    "connection replaced": ("os.dup2(os.open('/dev/null', 2), 3); time.sleep(30)", {CRASHED}),
    "a flood of frames": ("while True: os.write(3, frame({'n': number(), 'value': {'s': 'x' * 60000}}))", {CRASHED}),
    "wrong value by a forged frame": ("reply(5)", {WRONG, LATE, CRASHED}),
    "exit": ("sys.exit(0)", {WRONG, CRASHED}),
    "hard exit": ("os._exit(0)", {CRASHED}),
    "exit at exit": ("import atexit; atexit.register(lambda: os._exit(0)); sys.exit(0)", {WRONG, CRASHED}),
    "killed by itself": ("os.kill(os.getpid(), 9)", {CRASHED}),
    "an exception that cannot be shown": (
        "class E(Exception):\n        def __str__(self): raise RuntimeError\n    raise E",
        {WRONG, CRASHED},
    ),
    "an exception whose text never ends": (
        "class E(Exception):\n        def __str__(self):\n            while True: pass\n    raise E",
        {LATE},
    ),
    "text with lone surrogates": ("raise ValueError('\\ud800\\x00')", {WRONG, CRASHED}),
    "equal to everything": (
        "class E:\n        def __eq__(self, other): return True\n        __hash__ = None\n    return E()",
        {WRONG},
    ),
    "a stub that lies": (
        "import sandbox.stub as s\n    s.Server.encode = lambda self, *a, **k: True\n    return x * 3",
        {WRONG, CRASHED},
    ),
    "a number that is none": ("return float('nan')", {WRONG}),
    "not a number": ("return object()", {WRONG}),
    "None": ("return None", {WRONG}),
    "hard-coded": ("return 4", {WRONG}),
    "a list": ("return [x * 2]", {WRONG}),
    "another shape": ("return np.full((1,), x * 2)", {WRONG}),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_reply_never_passes(name: str) -> None:
    body, allowed = FORGERIES[name]
    sandbox = forging_sandbox()
    report = sandbox.check(f"{PRELUDE}\nprint('it ran', flush=True)\ndef double(x):\n    {body}\n")
    assert report.status in allowed, report
    assert "it ran" in report.stdout_tail
    report.error.encode()


def test_the_next_submission_still_gets_its_verdict() -> None:
    assert forging_sandbox().check(RIGHT).passed


def test_what_was_found_before_the_end_is_kept() -> None:
    report = forging_sandbox().check("def double(x):\n    if x > 100: raise SystemExit\n    return x * 2\n")
    assert [(case.name, case.passed) for case in report.cases] == [("visible", True), ("hidden", False)]
    report = forging_sandbox().check("import os\ndef double(x):\n    return x * 2 if x < 100 else os._exit(3)\n")
    assert report.status is RunStatus.CRASHED
    assert [(case.name, case.passed) for case in report.cases] == [("visible", True)]
    assert "exit code 3" in report.error


def test_a_hidden_case_never_shows_what_was_expected() -> None:
    report = forging_sandbox().check("def double(x):\n    return x * 2 + (x > 100)\n", seed=5)
    visible, hidden = report.cases
    assert ("expected", "4") in visible.values
    assert not hidden.values
    assert not any(character.isdigit() for character in hidden.why)


def forging_sandbox() -> PlainSandbox:
    """One level is enough: the protocol is the same at each."""
    return plain_sandbox("L1")
