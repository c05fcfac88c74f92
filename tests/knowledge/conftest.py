"""The real embedding model, the real bank and its real index, made once for all tests of this part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from embed import SentenceEmbedder
from knowledge.index import QuestionIndex
from knowledge.library import load_library
from knowledge.questions import Bank, load_bank


class RememberingEmbedder:
    """The real model, which encodes each text once however many tests ask for it. Counts what it was asked for."""

    def __init__(self) -> None:
        self._real = SentenceEmbedder()
        self._known: dict[str, npt.NDArray[np.float32]] = {}
        self.asked = 0

    @property
    def name(self) -> str:
        return self._real.name

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked += len(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new or not texts:
            self._known.update(zip(new, made := self._real.encode(new), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else made


@pytest.fixture(scope="session")
def embedder() -> RememberingEmbedder:
    return RememberingEmbedder()


@pytest.fixture(scope="session")
def bank() -> Bank:
    return load_bank()


@pytest.fixture(scope="session")
def index(bank: Bank, embedder: RememberingEmbedder, tmp_path_factory: pytest.TempPathFactory) -> QuestionIndex:
    """The index of the real bank and library. Tests must not change it."""
    return QuestionIndex(bank, embedder, tmp_path_factory.mktemp("index"), load_library())


@pytest.fixture
def made_bank(tmp_path: Path) -> Path:
    """An empty folder for a made bank."""
    folder = tmp_path / "bank"
    folder.mkdir()
    return folder
