"""One embedding model for all tests of the grader."""

from __future__ import annotations

import pytest

from embed import SentenceEmbedder
from grader.local import LocalJudge


@pytest.fixture(scope="session")
def embedder() -> SentenceEmbedder:
    """The packaged model."""
    return SentenceEmbedder()


@pytest.fixture(scope="session")
def local(embedder: SentenceEmbedder) -> LocalJudge:
    """The judge as it ships."""
    return LocalJudge(embedder)
