"""Finds questions and study notes by meaning and by words.

Every question is several texts (title, ask, keywords, each symptom, each rubric point's `says`), each with a vector of
its own. How near a question is, is a mean of cosine similarities: 2/5 its nearest text, 2/5 the mean of its three
nearest, 1/5 its title. To that a share of BM25 over the same texts is added. The vectors are made at first use and kept
in a folder; the words are indexed anew at each start, which takes milliseconds.
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
POOLED = 3  # nearest texts of a question that count: one stray symptom alone must not make it the best
TITLE_SHARE = 0.2  # of the title in how near a question is
SEEN = 20_000  # texts compared at most
BM25_WEIGHT = 0.2  # of BM25's share of its best score, beside a cosine similarity (`bench` shows that it wins)


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
        self._title_row = np.unique(self._row_owner, return_index=True)[1]  # the title is each owner's first row
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
        """How near each owner is to each part, and the row of its nearest text, both of shape (parts, owners)."""
        store = self._ready()
        scores, numbers = store.nearest(self._embedder.encode(parts), SEEN)
        near = np.full((len(parts), len(self._owners)), -1.0)
        rows = np.full(near.shape, -1, dtype=np.intp)
        for part in range(len(parts)):
            found = numbers[part] >= 0
            owner = self._row_owner[numbers[part][found]]
            # Grouped by owner, each group still from the nearest text to the farthest.
            order = np.argsort(owner, kind="stable")
            owners, first, count = np.unique(owner[order], return_index=True, return_counts=True)
            grouped = scores[part][found][order].astype(np.float64)
            best = np.stack([grouped[first + np.minimum(place, count - 1)] for place in range(POOLED)])
            by_row = np.full(len(store), -1.0)
            by_row[numbers[part][found]] = scores[part][found]
            title = by_row[self._title_row[owners]]
            near[part, owners] = (1 - TITLE_SHARE) * (best[0] + best.mean(axis=0)) / 2 + TITLE_SHARE * title
            rows[part, owners] = numbers[part][found][order][first]
        return near, rows

    def search(
        self,
        query: str,
        k: int = 5,
        ids: Collection[str] | None = None,
        kind: HitKind | None = "question",
        ranking: Ranking = "hybrid",
    ) -> list[Hit]:
        """The k best hits, best first; `ids` restricts what may be found, `kind` None finds questions and notes.

        `Hit.text` is the text nearest to the query, and `Hit.score` how near the owner is (see above, without BM25's
        share). The order is by `ranking`; "bm25" alone embeds nothing, and its scores are 0. A long query is searched
        sentence by sentence. An empty query finds nothing.
        """
        return [hit for hit, _merit in self.ranked(query, k, ids, kind, ranking)]

    def nearness(self, text: str) -> float:
        """How near a text is to the question nearest to it: a cosine similarity."""
        found = self.ranked(text, k=1)
        return found[0][0].score if found else 0.0

    def ranked(
        self,
        query: str,
        k: int = 5,
        ids: Collection[str] | None = None,
        kind: HitKind | None = "question",
        ranking: Ranking = "hybrid",
    ) -> list[tuple[Hit, float]]:
        """As `search`, each hit with the merit that it is ordered by: nearness plus BM25's share."""
        if not query.strip() or k < 1 or not self._owners:
            return []
        parts = self._parts(query)
        shape = (len(parts), len(self._owners))
        near, rows = np.zeros(shape), np.full(shape, -1, dtype=np.intp)
        by_words = np.zeros(shape)
        if ranking != "bm25":
            near, rows = self._similarities(parts)
        if ranking != "vectors":
            scores = np.stack([self._words.scores(words(text)) for text in parts])
            by_words = scores / np.maximum(scores.max(axis=1, keepdims=True), 1e-9)
        merit = (by_words if ranking == "bm25" else near + BM25_WEIGHT * by_words).max(axis=0)
        return self._hits(merit, near, rows, k, ids, kind)

    def _hits(
        self,
        merit: npt.NDArray[np.float64],
        near: npt.NDArray[np.float64],
        rows: npt.NDArray[np.intp],
        k: int,
        ids: Collection[str] | None,
        kind: HitKind | None,
    ) -> list[tuple[Hit, float]]:
        part = near.argmax(axis=0)
        hits: list[tuple[Hit, float]] = []
        for number in np.lexsort((np.arange(len(merit)), -merit)):
            owner = self._owners[number]
            if (ids is not None and owner.id not in ids) or (kind is not None and owner.kind != kind):
                continue
            row = rows[part[number], number]
            text = self._store.rows[row].text if self._store is not None and row >= 0 else owner.title
            hit = Hit(owner.id, owner.kind, owner.title, max(float(near[part[number], number]), 0.0), text)
            hits.append((hit, float(merit[number])))
            if len(hits) == k:
                break
        return hits
