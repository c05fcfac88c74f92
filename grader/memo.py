"""An embedder that remembers, for measurements that meet the same texts again and again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from domain import Embedder


class RememberingEmbedder:
    """Wraps an embedder and keeps every vector. Not for the service: it never forgets."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self._embedder.name

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors, float32, shape (len(texts), dimension)."""
        new = sorted({text for text in texts if text not in self._known}, key=len)
        for text, vector in zip(new, self._embedder.encode(new), strict=True):
            self._known[text] = vector
        return np.stack([self._known[text] for text in texts]) if texts else self._embedder.encode([])
