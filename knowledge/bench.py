"""Measures retrieval: how often a query finds a question on its subject, by each ranking, in one run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import get_args

import yaml

from domain import UserError
from knowledge.index import QuestionIndex, Ranking
from knowledge.questions import Bank

RANKINGS: tuple[Ranking, ...] = get_args(Ranking)


@dataclass(frozen=True)
class Query:
    """What somebody looks for, and the subjects that would serve them."""

    text: str
    subjects: frozenset[str]


@dataclass(frozen=True)
class Retrieval:
    """How one ranking did. Shares are of the queries, `mrr` is the mean reciprocal rank, `p50_ms` a search's time."""

    ranking: Ranking
    queries: int
    recall_at_1: float
    recall_at_5: float
    mrr: float
    p50_ms: float
    missed: tuple[str, ...]


def read_queries(path: Path) -> list[Query]:
    """Read `- {query, subjects}` rows. Raises UserError naming the row at fault."""
    try:
        rows = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"The queries in {path} cannot be read: {error}.") from None
    queries = []
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        if not (isinstance(row, dict) and set(row) == {"query", "subjects"} and isinstance(row["subjects"], list)):
            raise UserError(f"{path}: row {number} must be {{query: text, subjects: [ids]}}.")
        queries.append(Query(str(row["query"]), frozenset(map(str, row["subjects"]))))
    return queries


def covered(queries: Sequence[Query], bank: Bank) -> list[Query]:
    """The queries that some question of the bank could serve."""
    subjects = {source for question in bank.questions.values() for source in question.sources}
    return [query for query in queries if query.subjects & subjects]


def measure(index: QuestionIndex, bank: Bank, queries: Sequence[Query], ranking: Ranking) -> Retrieval:
    """Search every query. A hit is a question whose sources name one of the query's subjects."""
    ranks: list[int | None] = []
    times = []
    for query in queries:
        start = time.perf_counter()
        hits = index.search(query.text, k=len(bank.questions), ranking=ranking)
        times.append(time.perf_counter() - start)
        fitting = (
            rank for rank, hit in enumerate(hits, start=1) if query.subjects & set(bank.questions[hit.id].sources)
        )
        ranks.append(next(fitting, None))
    count = max(len(queries), 1)
    return Retrieval(
        ranking=ranking,
        queries=len(queries),
        recall_at_1=sum(rank == 1 for rank in ranks) / count,
        recall_at_5=sum(rank is not None and rank <= 5 for rank in ranks) / count,
        mrr=sum(1 / rank for rank in ranks if rank) / count,
        p50_ms=1000 * median(times) if times else 0.0,
        missed=tuple(query.text for query, rank in zip(queries, ranks, strict=True) if rank is None or rank > 5),
    )
