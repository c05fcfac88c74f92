"""Human-graded answers from CSV files, and rubrics derived from reference answers where there are none.

Columns read: `question`, `answer`, `question_id` (else the question tells questions apart), the reference as
`reference` or as a JSON list of {"text"} in `references_json`, and the grade as `score` (a number) or `label3`
(correct, contradictory, incorrect). Scores are divided by the largest of the file. Left out: blank answers, answers
such as "No response", and rows with `is_reference` = 1, which are answers of full marks that serve as references.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from domain import Framework, Kind, Level, Question, RubricPoint, Speaker, Turn, TurnKind, UserError
from grader.clauses import statements
from grader.text import content_stems, total_weight

_NO_ANSWER = re.compile(r"^\W*(?:no (?:response|answer|submission)|n/?a|none)\W*$", re.IGNORECASE)
LABELS = ("correct", "contradictory", "incorrect")


@dataclass(frozen=True)
class Graded:
    """One answer with its human grade: `score` in [0, 1], or `label` of `LABELS` where the set has labels."""

    question_id: str
    question: str
    references: tuple[str, ...]
    answer: str
    score: float
    label: str = ""


def read(path: Path) -> list[Graded]:
    """The graded answers of a CSV file. Raises UserError when it cannot be read or a column is missing."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path} cannot be read as CSV: {error}") from error
    columns = set(rows[0]) if rows else set()
    for choice in (("question",), ("answer",), ("reference", "references_json"), ("score", "label3")):
        if not columns & set(choice):
            raise UserError(
                f"{path} lacks the column {' or '.join(choice)}; it has {', '.join(sorted(columns)) or 'none'}."
            )
    try:
        full = max((float(row["score"]) for row in rows if row.get("score")), default=1.0) or 1.0
        return [_graded(row, full) for row in rows if _answered(row)]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} has a row that cannot be read: {error}") from error


def _answered(row: dict[str, str]) -> bool:
    answer = row["answer"].strip()
    return bool(answer) and not _NO_ANSWER.match(answer) and row.get("is_reference", "0") not in {"1", "True", "true"}


def _graded(row: dict[str, str], full: float) -> Graded:
    if row.get("references_json"):
        references = tuple(item["text"] for item in json.loads(row["references_json"]))
    else:
        references = (row["reference"],)
    label = row.get("label3", "")
    if label and label not in LABELS:
        raise ValueError(f"label3 is {label!r}, and must be one of {', '.join(LABELS)}")
    score = float(label == "correct") if label else float(row["score"]) / full
    return Graded(row.get("question_id") or row["question"], row["question"], references, row["answer"], score, label)


def sample(rows: Sequence[Graded], limit: int, seed: int = 0) -> list[Graded]:
    """At most `limit` rows, as evenly as can be over the questions, the same ones every time. 0 means all."""
    if not limit or len(rows) <= limit:
        return list(rows)
    by_question: dict[str, list[Graded]] = defaultdict(list)
    for row in rows:
        by_question[row.question_id].append(row)
    for question, group in by_question.items():
        Random(f"{seed} {question}").shuffle(group)  # noqa: S311 - a sample, no secret
    ranked = sorted((rank, question) for question, group in by_question.items() for rank in range(len(group)))
    return [by_question[question][rank] for rank, question in ranked[:limit]]


@lru_cache(maxsize=512)
def rubric(question_id: str, ask: str, references: tuple[str, ...]) -> Question:
    """A question with a rubric derived from reference answers.

    Several references are different ways to answer in full: one point, which accepts each. A single reference comes
    apart into its clauses, a point each, worth the weight of the words that the question did not bring.
    """
    first = references[0]
    if len(references) > 1:
        points: Iterable[RubricPoint] = [RubricPoint("whole", first, 1.0, accepts=references[1:])]
    else:
        clauses = [item.text for item in statements([answer_turn(first)]) if len(item.clauses) == 1]
        worths = [total_weight(content_stems(text) - content_stems(ask)) for text in clauses]
        kept = [(text, worth) for text, worth in zip(clauses, worths, strict=True) if worth > 0] or [(first, 1.0)]
        points = [RubricPoint(f"part-{number}", text, worth) for number, (text, worth) in enumerate(kept, 1)]
    return Question(
        question_id, ask[:60], "public", Framework.BOTH, Level.MEDIUM, Kind.EXPLAIN, ask, tuple(points), first
    )


def answer_turn(text: str, id_: int = 0) -> Turn:
    """A candidate's turn with this text."""
    return Turn(id_, Speaker.CANDIDATE, TurnKind.ANSWER, text, 0.0)
