"""The usual way, to measure against: a fresh process that imports the framework and runs a check in itself.

`python -m sandbox.cold CHECK FILE FRAMEWORK`. No isolation at all: for the benchmark's own submissions only.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from pathlib import Path

import numpy as np

from domain import Framework
from sandbox import preload, stub
from sandbox.channel import Channel
from sandbox.client import RemoteBox


def main(check: str, file: str, framework: str) -> int:
    """Run the check with the submission in a thread of this process. Returns 0 when every case passed."""
    preload.preload(framework, first_use=False)
    ours, theirs = socket.socketpair()
    lifeline, _kept = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    output, _ = os.pipe()
    threading.Thread(target=stub.Server(theirs, preload.adapter()).run, daemon=True).start()
    channel = Channel(ours.detach(), output, lifeline.detach())
    channel.start(60.0)
    box = RemoteBox(channel, Framework(framework), Path(file).read_text(encoding="utf-8"))
    channel.receive()
    namespace: dict[str, object] = {"__name__": "check"}
    exec(compile(Path(check).read_text(encoding="utf-8"), check, "exec"), namespace)
    function = namespace["check"]
    assert callable(function)
    return 0 if all(case.passed for case in function(box, np.random.default_rng(0))) else 1


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:4]))  # the thread that serves may hold a framework's lock
