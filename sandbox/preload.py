"""What a fork server imports before its boxes are forked. Nothing of it is run: a fork must be safe."""

from __future__ import annotations

import importlib
import os
from typing import Any

# What submissions import most; and what else they may, for boxes that cannot open a file once they are closed.
COMMON = """
abc ast collections contextlib copy dataclasses enum functools heapq inspect io itertools json math operator pathlib
random statistics string tempfile textwrap threading time timeit typing unittest warnings encodings.idna
""".split()  # noqa: SIM905
RARE = """
argparse array asyncio base64 binascii bisect builtins calendar cmath collections.abc concurrent.futures copyreg csv
ctypes datetime decimal difflib errno fcntl fractions gc getpass glob graphlib gzip hashlib hmac html keyword linecache
logging mmap multiprocessing numbers numpy.linalg numpy.random numpy.testing pickle platform pprint queue re reprlib
resource secrets shutil signal socket struct subprocess sysconfig tarfile token tokenize traceback types typing
unittest.mock urllib.parse uuid weakref xml.etree.ElementTree zipfile zlib zoneinfo
""".split()  # noqa: SIM905
_state: dict[str, Any] = {"adapter": None, "handlers": []}


def preload(role: str, gpu: int = 0, first_use: bool = True, rare: bool = False) -> None:
    """Import what boxes of this framework use, and run none of it. `role` is "pytorch", "tensorflow" or "none".

    `gpu` is how many bytes of a GPU's memory a box may take, 0 for none. `first_use`: also what the framework imports
    when it is first used; `rare`: also what few submissions import.
    """
    register, os.register_at_fork = os.register_at_fork, _postpone
    try:
        _import(role, gpu, first_use, rare)
    finally:
        os.register_at_fork = register


def _postpone(**handlers: Any) -> None:
    """Remember what a module wants to run in each fork, for `serve`.

    The fork server has one thread and holds no lock, so its own forks need none of it, and it would make each of them
    copy a megabyte. What a submission forks does need it.
    """
    _state["handlers"].append(handlers)


def _import(role: str, gpu: int, first_use: bool, rare: bool) -> None:
    for name in (*COMMON, *(RARE if rare else ())):
        importlib.import_module(name)
    if role == "pytorch":
        from sandbox import stub_torch

        _state["adapter"] = stub_torch.Adapter(gpu, first_use)
    elif role == "tensorflow":
        from sandbox import stub_tensorflow

        _state["adapter"] = stub_tensorflow.Adapter(gpu, rare)


def adapter() -> Any:
    """What was preloaded."""
    return _state["adapter"]


def fork_handlers() -> list[dict[str, Any]]:
    """What the imported modules want to be run in a fork, as arguments of `os.register_at_fork`."""
    handlers: list[dict[str, Any]] = _state["handlers"]
    return handlers
