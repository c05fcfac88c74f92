"""The embedding model that comes as a package: real weights, verified, and no hub."""

from __future__ import annotations

import numpy as np
import pytest

import embed
from domain import UserError
from embed import SentenceEmbedder


def test_vectors_are_unit_length_and_order_meaning() -> None:
    embedder = SentenceEmbedder()
    vectors = embedder.encode(["The gradients explode.", "My loss becomes NaN after a few steps.", "I like soup."])
    assert vectors.shape == (3, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert embedder.encode([]).shape == (0, 384)


def test_altered_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "EMBEDDED_SHA256", "0" * 64)
    with pytest.raises(UserError, match="not the published ones"):
        SentenceEmbedder().encode(["x"])


def test_a_missing_package_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "EMBEDDED_PACKAGE", "no_such_package")
    with pytest.raises(UserError, match="make run"):
        SentenceEmbedder().encode(["x"])


def test_an_unknown_folder_is_a_user_error() -> None:
    with pytest.raises(UserError, match="cannot be loaded"):
        SentenceEmbedder("/no/such/folder").encode(["x"])
