"""A LangChain VectorStore over FAISS and JSON: no pickle, written atomically, never trusted when damaged or stale.

On disk a store is `store.json` (texts, metadata, and what it was built from) and the FAISS index that it names by its
SHA-256. The JSON is replaced last and atomically, so that a reader sees the old store or the new one, never a mix.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from domain import Embedder

FORMAT = 1
NAME = "store.json"
Vectors = npt.NDArray[np.float32]

# The kind of index by size. Exact search needs no build, and up to here takes about a millisecond on one core; above,
# IVF with 8-bit components: at 10^5 vectors an HNSW graph answered no faster (.18 against .09 ms), took three times as
# long to build and four times the memory, for a recall@10 of 1.00 against .99 (`python -m knowledge bench --scale`).
FLAT_UP_TO = 20_000  # vectors


def kind_for(count: int) -> str:
    """The kind of index for so many vectors: flat or ivf."""
    return "flat" if count <= FLAT_UP_TO else "ivf"


class Encoder(Embeddings):
    """Our Embedder, as LangChain wants to call it."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Unit vectors, one a text."""
        return [[float(x) for x in row] for row in self.embedder.encode(texts)]

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of one text."""
        return self.embed_documents([text])[0]


@dataclass(frozen=True)
class Row:
    """One indexed text. `id` is unique in its store; `metadata` is JSON."""

    id: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)


def build_index(vectors: Vectors, kind: str = "") -> Any:
    """An inner-product FAISS index of the vectors, shape (n, dimension).

    `kind` is flat, hnsw or ivf; "" follows the rule of `kind_for`.
    """
    count, dimension = vectors.shape
    index: Any
    kind = kind or kind_for(count)
    if kind == "flat":
        index = faiss.IndexFlatIP(dimension)
    elif kind == "hnsw":
        index = faiss.IndexHNSWFlat(dimension, 32, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = 80
        index.hnsw.efSearch = 96
    else:
        lists = int(2 ** round(np.log2(4 * np.sqrt(count))))
        index = faiss.index_factory(dimension, f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
        index.cp.niter = 8
        index.cp.max_points_per_centroid = 64
        index.train(vectors)
        index.nprobe = max(8, lists // 64)
    index.add(vectors)
    return index


class FaissStore(VectorStore):
    """Texts and their unit vectors, searched by cosine similarity.

    `content_hash` names what the store was built from. Not safe to change from several threads; searching is.
    """

    def __init__(self, embedder: Embedder, rows: Sequence[Row], vectors: Vectors, content_hash: str = "") -> None:
        if len(rows) != len(vectors):
            raise ValueError(f"{len(rows)} texts but {len(vectors)} vectors")
        self._start(embedder, list(rows), build_index(np.ascontiguousarray(vectors, np.float32)), content_hash)

    def _start(self, embedder: Embedder, rows: list[Row], index: Any, content_hash: str) -> None:
        self.embedder, self.rows, self.content_hash, self._index = embedder, rows, content_hash, index
        self._at = {row.id: number for number, row in enumerate(rows)}
        if len(self._at) != len(rows):
            raise ValueError("an id stands twice")

    @classmethod
    def build(cls, embedder: Embedder, rows: Sequence[Row], content_hash: str = "") -> FaissStore:
        """Embed the rows' texts and index them."""
        return cls(embedder, rows, embedder.encode([row.text for row in rows]), content_hash)

    # -- searching

    def __len__(self) -> int:
        return len(self.rows)

    def nearest(self, queries: Vectors, k: int) -> tuple[Vectors, npt.NDArray[np.int64]]:
        """Cosine similarities and row numbers of the k nearest, both of shape (queries, k); -1 where there is none."""
        scores, numbers = self._index.search(np.ascontiguousarray(queries, np.float32), max(1, min(k, len(self.rows))))
        return scores, numbers

    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """The stored vectors of these rows (as the index keeps them), shape (len(numbers), dimension)."""
        if isinstance(self._index, faiss.IndexIVF):
            self._index.make_direct_map()
        found = [self._index.reconstruct(int(number)) for number in numbers]
        return np.array(found, np.float32).reshape(len(numbers), self._index.d)

    def _document(self, number: int) -> Document:
        row = self.rows[number]
        return Document(id=row.id, page_content=row.text, metadata=row.metadata)

    def similarity_search_with_score_by_vector(
        self, embedding: Sequence[float], k: int = 4
    ) -> list[tuple[Document, float]]:
        """The k nearest texts with their cosine similarity, best first."""
        if not self.rows:
            return []
        scores, numbers = self.nearest(np.array([embedding], np.float32), k)
        pairs = zip(numbers[0], scores[0], strict=True)
        return [(self._document(int(number)), float(score)) for number, score in pairs if number >= 0]

    def similarity_search_with_score(self, query: str, k: int = 4, **_: Any) -> list[tuple[Document, float]]:
        """The k nearest texts with their cosine similarity, best first."""
        return self.similarity_search_with_score_by_vector(self.embedder.encode([query])[0].tolist(), k)

    def similarity_search(self, query: str, k: int = 4, **_: Any) -> list[Document]:
        """The k nearest texts, best first."""
        return [document for document, _score in self.similarity_search_with_score(query, k)]

    def similarity_search_by_vector(self, embedding: list[float], k: int = 4, **_: Any) -> list[Document]:
        """The k texts nearest to a unit vector."""
        return [document for document, _score in self.similarity_search_with_score_by_vector(embedding, k)]

    def _select_relevance_score_fn(self) -> Any:
        return lambda similarity: (similarity + 1) / 2

    # -- changing

    @property
    def embeddings(self) -> Embeddings:
        """The embedding model, as LangChain calls it."""
        return Encoder(self.embedder)

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **_: Any,
    ) -> list[str]:
        """Add texts and return their ids. Raises ValueError when an id exists or the counts differ."""
        added = list(texts)
        names = ids or [f"{len(self.rows) + number}-{_digest(text.encode())[:12]}" for number, text in enumerate(added)]
        details = metadatas or [{} for _text in added]
        rows = [Row(*row) for row in zip(names, added, details, strict=True)]
        if self._at.keys() & set(names) or len(set(names)) < len(names):
            raise ValueError("an id stands twice")
        if rows:
            self._index.add(self.embedder.encode(added))
            self._at.update({row.id: len(self.rows) + number for number, row in enumerate(rows)})
            self.rows.extend(rows)
        return list(names)

    def delete(self, ids: list[str] | None = None, **_: Any) -> bool:
        """Remove texts by id (all of them for None), by building the index anew. Unknown ids are ignored."""
        gone = set(self._at if ids is None else ids)
        keep = [number for number, row in enumerate(self.rows) if row.id not in gone]
        index = build_index(self.vectors(keep))
        self._start(self.embedder, [self.rows[number] for number in keep], index, self.content_hash)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The texts of these ids; unknown ids are left out."""
        return [self._document(self._at[name]) for name in ids if name in self._at]

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **_: Any,
    ) -> FaissStore:
        """A store of these texts. `embedding` is an `Encoder` around one of our embedders."""
        if not isinstance(embedding, Encoder):
            raise TypeError("embedding must be a knowledge.vectors.Encoder")
        empty = embedding.embedder.encode([])
        store = cls(embedding.embedder, [], empty)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    # -- on disk

    def save(self, folder: Path) -> None:
        """Write the store into the folder, atomically. Raises OSError when the folder cannot be written."""
        folder.mkdir(parents=True, exist_ok=True)
        data = faiss.serialize_index(self._index).tobytes()
        name = f"vectors-{_digest(data)[:16]}.faiss"
        _replace(folder / name, data)
        content = {
            "format": FORMAT,
            "content_hash": self.content_hash,
            "embedder": self.embedder.name,
            "dimension": self._index.d,
            "index": {"file": name, "sha256": _digest(data)},
            "rows": [[row.id, row.text, row.metadata] for row in self.rows],
        }
        body = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        _replace(folder / NAME, f"{_digest(body.encode())}\n{body}\n".encode())
        for old in folder.glob("vectors-*.faiss"):
            if old.name != name:
                with contextlib.suppress(OSError):
                    old.unlink()

    @classmethod
    def load(cls, embedder: Embedder, folder: Path, content_hash: str) -> FaissStore | None:
        """The store in the folder, or None where there is none, it is damaged, or was built from something else."""
        try:
            digest, _, body = (folder / NAME).read_text(encoding="utf-8").removesuffix("\n").partition("\n")
            if digest != _digest(body.encode()):
                return None
            content = json.loads(body)
            expected = (FORMAT, content_hash, embedder.name)
            if (content.get("format"), content.get("content_hash"), content.get("embedder")) != expected:
                return None
            data = (folder / Path(content["index"]["file"]).name).read_bytes()
        except (OSError, ValueError):
            return None
        if _digest(data) != content["index"]["sha256"]:
            return None
        index = faiss.deserialize_index(np.frombuffer(data, np.uint8))
        rows = [Row(*row) for row in content["rows"]]
        if index.ntotal != len(rows) or index.d != content["dimension"]:
            return None
        store = cls.__new__(cls)
        store._start(embedder, rows, index, content_hash)
        return store


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that it is there as a whole or not at all, also after a power cut."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
