"""Finds questions and study notes by meaning and by words.

Every question is several texts (title, ask, keywords, each symptom, each rubric point's `says`), each with a vector of
its own; a question is as near as its nearest text. That ranking and BM25's over the same texts are fused. The vectors
are made at first use and kept in a folder; the words are indexed anew at each start, which takes milliseconds.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from domain import Embedder, Hit, Question
from knowledge.library import Note
from knowledge.questions import Bank
from knowledge.words import BM25, sentences, words

if TYPE_CHECKING:
    from knowledge.vectors import FaissStore, Row

log = logging.getLogger(__name__)

Ranking: TypeAlias = Literal["hybrid", "vectors", "bm25"]
HitKind: TypeAlias = Literal["question", "note"]
LONGEST_TEXT = 1500  # characters embedded of one text; the model reads 256 word pieces
LONG_QUERY = 40  # words; a longer query (a job description, a CV) is searched sentence by sentence
MOST_PARTS = 64  # sentences searched of a long query
BM25_WEIGHT = 0.15  # of BM25's share of its best score, beside a cosine similarity (`bench` shows that it wins)


@dataclass(frozen=True)
class _Owner:
    """What a hit leads to: a question or a note."""

    id: str
    kind: HitKind
    title: str


def question_texts(question: Question) -> list[str]:
    """The texts that a question is found by."""
    return [
        question.title,
        question.ask[:LONGEST_TEXT],
        ", ".join(question.keywords),
        *question.symptoms,
        *(point.says for point in question.points),
    ]


class QuestionIndex:
    """Searches the bank's questions and the library's notes. Safe to use from several threads.

    Nothing is embedded or read before the first search (or `prepare`). `folder` keeps the vectors between starts;
    where it cannot be written, `notice` says so and the index lives in memory.
    """

    def __init__(self, bank: Bank, embedder: Embedder, folder: Path, notes: Sequence[Note] = ()) -> None:
        self._embedder = embedder
        self._folder = Path(folder)
        self._lock = threading.Lock()
        self._store: FaissStore | None = None
        self._owners: list[_Owner] = []
        self._texts: list[list[str]] = []
        self.notice = ""
        self.built = False
        for question in bank.questions.values():
            self._owners.append(_Owner(question.id, "question", question.title))
            self._texts.append([text for text in question_texts(question) if text.strip()])
        for note in notes:
            self._owners.append(_Owner(note.id, "note", note.title))
            self._texts.append([f"{note.title}\n{note.text}"])
        self._index_words()

    def _index_words(self) -> None:
        self._numbers = {owner.id: number for number, owner in enumerate(self._owners)}
        self._words = BM25([words(" ".join(texts)) for texts in self._texts])

    # -- the vectors

    def _content_hash(self) -> str:
        content = [self._embedder.name, [[owner.id, owner.kind] for owner in self._owners], self._texts]
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()

    def _rows(self) -> list[Row]:
        from knowledge.vectors import Row

        pairs = zip(self._owners, self._texts, strict=True)
        return [
            Row(f"{owner.kind}:{owner.id}:{n}", text, {"owner": owner.id, "kind": owner.kind})
            for owner, texts in pairs
            for n, text in enumerate(texts)
        ]

    def prepare(self) -> None:
        """Load the vectors, or make them where there are none that fit. Raises UserError without a model."""
        self._ready()

    def _ready(self) -> FaissStore:
        with self._lock:
            if self._store is None:
                from knowledge.vectors import FaissStore

                digest = self._content_hash()
                store = FaissStore.load(self._embedder, self._folder, digest)
                if store is None:
                    store = FaissStore.build(self._embedder, self._rows(), digest)
                    self.built = True
                    try:
                        store.save(self._folder)
                    except OSError as error:
                        self.notice = f"The search index cannot be kept in {self._folder}: {error.strerror}."
                        log.warning(self.notice)
                self._adopt(store)
            return self._store  # type: ignore[return-value]

    def _adopt(self, store: FaissStore) -> None:
        self._row_owner = np.array([self._numbers[row.metadata["owner"]] for row in store.rows], dtype=np.intp)
        self._store = store

    def all_vectors(self) -> npt.NDArray[np.float32]:
        """Every vector of the index, shape (texts, dimension)."""
        store = self._ready()
        return store.vectors(range(len(store)))

    def remove(self, question_id: str) -> None:
        """Forget a question or note, in memory only: its vectors and its words. Raises KeyError for an unknown id."""
        store = self._ready()
        with self._lock:
            number = self._numbers[question_id]
            store.delete([row.id for row in store.rows if row.metadata["owner"] == question_id])
            del self._owners[number], self._texts[number]
            self._index_words()
            self._adopt(store)

    # -- searching

    def _parts(self, query: str) -> list[str]:
        if len(query.split()) <= LONG_QUERY:
            return [query]
        return [part for part in sentences(query) if len(words(part)) > 1][:MOST_PARTS] or [query[:LONGEST_TEXT]]

    def _similarities(self, parts: Sequence[str]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
        """The similarity and the row of each owner's nearest text for each part, both of shape (parts, owners)."""
        store = self._ready()
        scores, numbers = store.nearest(
            self._embedder.encode(parts), max(len(store), 1) if len(store) < 20_000 else 2_000
        )
        best = np.full((len(parts), len(self._owners)), -1.0)
        rows = np.full(best.shape, -1, dtype=np.intp)
        for part in range(len(parts)):
            # From the farthest to the nearest, so that the nearest text of an owner is written last.
            found = numbers[part][::-1]
            near = found[found >= 0]
            owner = self._row_owner[near]
            best[part, owner] = scores[part][::-1][found >= 0]
            rows[part, owner] = near
        return best, rows

    def search(
        self,
        query: str,
        k: int = 5,
        ids: Collection[str] | None = None,
        kind: HitKind | None = "question",
        ranking: Ranking = "hybrid",
    ) -> list[Hit]:
        """The k best hits, best first; `ids` restricts what may be found, `kind` None finds questions and notes.

        `Hit.score` is the cosine similarity of the nearest text, `Hit.text` that text; the order is by `ranking`. A
        long query is searched sentence by sentence. An empty query finds nothing.
        """
        if not query.strip() or k < 1 or not self._owners:
            return []
        parts = self._parts(query)
        near, rows = self._similarities(parts)
        part = near.argmax(axis=0)
        column = np.arange(len(self._owners))
        if ranking == "vectors":
            order = near.max(axis=0)
        else:
            by_words = np.stack([self._words.scores(words(text)) for text in parts])
            share = by_words / np.maximum(by_words.max(axis=1, keepdims=True), 1e-9)
            order = (share if ranking == "bm25" else near + BM25_WEIGHT * share).max(axis=0)
        hits = []
        store = self._ready()
        for number in np.lexsort((column, -order)):
            owner = self._owners[number]
            if (ids is not None and owner.id not in ids) or (kind is not None and owner.kind != kind):
                continue
            row = rows[part[number], number]
            text = store.rows[row].text if row >= 0 else owner.title
            score = float(near[part[number], number]) if row >= 0 else 0.0
            hits.append(Hit(owner.id, owner.kind, owner.title, score, text))
            if len(hits) == k:
                break
        return hits
