"""Calls every `attack_` and `control_` function of a submission, and reports what each said as one case."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from domain import Box, CandidateError, Case

EXPECTED = "the-expected-value-" + "9173046825"


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """A case passes when the function returns "done"."""
    module = box.load()
    names = box.call(box.get(module, "names"))
    assert isinstance(names, list)
    for name in names:
        assert isinstance(name, str)
        try:
            said = str(box.call(box.get(module, name)))
        except CandidateError as error:
            said = f"refused: {error}"
        yield Case(name, "attack", said == "done", said)
