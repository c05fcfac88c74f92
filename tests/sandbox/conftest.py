"""Fixtures: a plain sandbox for every level that can be built on this machine, and one with PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sandbox.backend import Sandbox
from sandbox.plan import LEVELS
from tests.sandbox.plain import LIMITS, PlainSandbox

_made: dict[str, PlainSandbox] = {}


def plain_sandbox(level: str) -> PlainSandbox:
    """The sandbox of a level, made once; skips where the level cannot be built here."""
    if level not in _made:
        _made[level] = PlainSandbox(only=level, limits=LIMITS)
    if _made[level].status().level != level:
        pytest.skip(f"{level} cannot be built here: {_made[level].status().missing}")
    return _made[level]


@pytest.fixture(params=LEVELS)
def plain(request: pytest.FixtureRequest) -> PlainSandbox:
    """A plain sandbox, at each level."""
    return plain_sandbox(request.param)


@pytest.fixture(scope="session", autouse=True)
def _close_plain_sandboxes() -> Iterator[None]:
    yield
    while _made:
        _made.popitem()[1].close()


@pytest.fixture(scope="session")
def torch_sandbox() -> Iterator[Sandbox]:
    """A sandbox at the highest level, for PyTorch submissions."""
    sandbox = Sandbox()
    if sandbox.status().level not in LEVELS:
        sandbox.close()
        pytest.skip(sandbox.status().sentence)
    yield sandbox
    sandbox.close()
