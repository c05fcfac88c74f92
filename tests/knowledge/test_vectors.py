"""The store keeps what it was given, as plain data, and believes nothing on disk that it cannot prove."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from knowledge import vectors
from knowledge.vectors import NAME, Encoder, FaissStore, Row, Vectors, build_index
from tests.knowledge.conftest import RememberingEmbedder

TEXTS = {
    "cat": "The cat sleeps on the sofa.",
    "graph": "A computation graph records operations.",
    "norm": "Batch normalisation uses the statistics of a batch.",
}


@pytest.fixture
def store(embedder: RememberingEmbedder) -> FaissStore:
    return FaissStore.build(embedder, [Row(name, text, {"n": len(text)}) for name, text in TEXTS.items()], "hash-1")


def test_the_nearest_text_is_found_with_its_cosine(store: FaissStore, embedder: RememberingEmbedder) -> None:
    document, score = store.similarity_search_with_score("operations are recorded in a graph", k=1)[0]
    assert document.id == "graph"
    assert document.metadata == {"n": len(TEXTS["graph"])}
    one, other = embedder.encode(["operations are recorded in a graph", TEXTS["graph"]])
    assert score == pytest.approx(float(one @ other), abs=1e-5)


def test_it_is_a_langchain_store(embedder: RememberingEmbedder) -> None:
    store = FaissStore.from_texts(list(TEXTS.values()), Encoder(embedder), [{"a": 1}] * 3, ids=list(TEXTS))
    found = store.as_retriever(search_kwargs={"k": 2}).invoke("statistics of batches")
    assert len(found) == 2
    assert found[0].id == "norm"
    ((_, relevance),) = store.similarity_search_with_relevance_scores(TEXTS["cat"], k=1)
    assert relevance == pytest.approx(1.0, abs=1e-5)


def test_texts_are_added_and_deleted(store: FaissStore) -> None:
    (new,) = store.add_texts(["Dropout switches units off at random."])
    assert store.similarity_search("dropping units", k=1)[0].id == new
    with pytest.raises(ValueError, match="twice"):
        store.add_texts(["again"], ids=["cat"])
    store.delete([new, "unknown"])
    assert store.get_by_ids([new, "cat", "unknown"])[0].page_content == TEXTS["cat"]
    assert len(store) == 3
    assert store.similarity_search("dropping units", k=9)[0].id != new
    store.delete()
    assert store.similarity_search("anything") == []


def test_what_is_saved_comes_back(store: FaissStore, embedder: RememberingEmbedder, tmp_path: Path) -> None:
    store.save(tmp_path)
    before = embedder.asked
    loaded = FaissStore.load(embedder, tmp_path, "hash-1")
    assert loaded is not None
    assert embedder.asked == before
    assert loaded.rows == store.rows
    assert np.array_equal(loaded.vectors(range(3)), store.vectors(range(3)))


def test_it_is_stale_for_another_content_or_model(
    store: FaissStore, embedder: RememberingEmbedder, tmp_path: Path
) -> None:
    class Other(RememberingEmbedder):
        @property
        def name(self) -> str:
            return "another model"

    store.save(tmp_path)
    assert FaissStore.load(embedder, tmp_path, "hash-2") is None
    assert FaissStore.load(Other(), tmp_path, "hash-1") is None
    assert FaissStore.load(embedder, tmp_path / "absent", "hash-1") is None


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def _faiss_file(folder: Path) -> Path:
    return next(folder.glob("*.faiss"))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a bit of the vectors": lambda folder: _flip(_faiss_file(folder)),
    "a bit of the texts": lambda folder: _flip(folder / NAME),
    "vectors cut short": lambda folder: _faiss_file(folder).write_bytes(_faiss_file(folder).read_bytes()[:-9]),
    "texts cut short": lambda folder: (folder / NAME).write_bytes((folder / NAME).read_bytes()[:-9]),
    "vectors gone": lambda folder: _faiss_file(folder).unlink(),
    "texts gone": lambda folder: (folder / NAME).unlink(),
    "texts empty": lambda folder: (folder / NAME).write_bytes(b""),
    "texts binary": lambda folder: (folder / NAME).write_bytes(bytes(range(256))),
    "something else": lambda folder: (folder / NAME).write_text(json.dumps({"format": 1})),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_noticed(
    damage: Callable[[Path], object], store: FaissStore, embedder: RememberingEmbedder, tmp_path: Path
) -> None:
    store.save(tmp_path)
    assert FaissStore.load(embedder, tmp_path, "hash-1") is not None
    damage(tmp_path)
    assert FaissStore.load(embedder, tmp_path, "hash-1") is None


def test_the_folder_holds_plain_data_of_the_newest_store_only(store: FaissStore, tmp_path: Path) -> None:
    store.save(tmp_path)
    store.add_texts(["more"])
    store.save(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names[0] == NAME
    assert len(names) == 2
    assert json.loads((tmp_path / NAME).read_text().split("\n", 1)[1])["rows"][0][0] == "cat"


def test_an_interrupted_save_leaves_the_old_store(
    store: FaissStore, embedder: RememberingEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save(tmp_path)
    real = vectors._replace

    def cut(path: Path, data: bytes) -> None:
        if path.name == NAME:
            raise OSError("No space left on device")
        real(path, data)

    monkeypatch.setattr(vectors, "_replace", cut)
    store.add_texts(["more"])
    with pytest.raises(OSError, match="No space"):
        store.save(tmp_path)
    loaded = FaissStore.load(embedder, tmp_path, "hash-1")
    assert loaded is not None
    assert len(loaded) == 3


@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
def test_approximate_kinds_agree_with_exact_search(kind: str) -> None:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((40, 64))
    made = centres[rng.integers(40, size=6000)] + 0.5 * rng.standard_normal((6000, 64))
    unit: Vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    _, exact = build_index(unit, "flat").search(unit[:50], 10)
    _, found = build_index(unit, kind).search(unit[:50], 10)
    recall = np.mean([len(np.intersect1d(*pair)) / 10 for pair in zip(exact, found, strict=True)])
    assert recall >= 0.9
