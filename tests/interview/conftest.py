"""The packaged bank and embedding model, for the tests that hold whole interviews and read real utterances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from embed import SentenceEmbedder
from knowledge.questions import Bank, load_bank

QUESTIONS = ("grad_at", "swish_function", "csv_dataset", "batch_norm", "low_latency_inference", "gd_step")


class RememberingEmbedder:
    """The real model; encodes each text once, however many tests ask for it, and on one thread.

    On a busy machine torch's threads wait for each other: a sentence then takes 0.7 s on two threads, 0.03 s on one.
    """

    def __init__(self) -> None:
        import torch

        torch.set_num_threads(1)
        self._model = SentenceEmbedder()
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors, a row for each text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new or not texts:
            self._known.update(zip(new, made := self._model.encode(new), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else made


@pytest.fixture(scope="session")
def embedder() -> RememberingEmbedder:
    """The packaged model."""
    return RememberingEmbedder()


@pytest.fixture(scope="session")
def bank() -> Bank:
    """The packaged questions that these tests talk about."""
    return load_bank(only=QUESTIONS)
