"""The smallest honest check: `double(x)` on a number that only this file knows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from domain import Box, Case
from sandbox.toolkit import case, expect_close


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Two visible numbers and a hidden one."""
    function = box.get(box.load(), "double")
    yield case("visible", "the example", lambda: expect_close(box.call(function, 2), 4), visible=True)
    hidden = int(rng.integers(1000, 9999))
    yield case("hidden", "another number", lambda: expect_close(box.call(function, hidden), 2 * hidden))
