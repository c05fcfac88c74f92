"""How far a judge agrees with the people who graded the same answers.

Each answer is judged against a rubric, and two scores are taken from the verdicts: `verdicts`, the share of the worth
that is MET, an UNGRADED point counting as missed; and `graded`, which weighs each point by how likely the judge holds
it to be met (confidence of MET, one less the confidence of NOT_MET, 0 for CONTRADICTED). Two baselines stand beside
them: the answer's length (logarithm of its words) and the cosine of whole answer and nearest reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from domain import Embedder, Judge, PointScore, RubricPoint, UngradedReason, Verdict
from grader import public, statistics
from grader.public import Graded
from grader.rubric import score
from grader.statistics import Floats

BANDS = ((0.0, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 1.0 + 1e-9))


@dataclass(frozen=True)
class Judged:
    """A graded answer with what the judge made of it."""

    row: Graded
    verdicts: float
    graded: float
    label: str
    ungraded: float


def likelihood(item: PointScore) -> float:
    """How likely the judge holds the point to be met, in [0, 1]."""
    if item.verdict is Verdict.MET:
        return item.confidence
    if item.verdict is Verdict.CONTRADICTED:
        return 0.0
    if item.verdict is Verdict.NOT_MET:
        return 1.0 - item.confidence
    return item.confidence if item.reason is UngradedReason.UNCERTAIN else 0.0


def _label(scores: Sequence[PointScore], share: float) -> str:
    """The three-way label of a set of verdicts; "ungraded", which is always wrong, when nothing was decided."""
    if any(item.verdict is Verdict.CONTRADICTED for item in scores):
        return "contradictory"
    if scores and all(item.verdict is Verdict.UNGRADED for item in scores):
        return "ungraded"
    return "correct" if share >= 0.5 else "incorrect"


def judge_rows(judge: Judge, rows: Sequence[Graded]) -> list[Judged]:
    """Every row judged on its own."""
    result = []
    for row in rows:
        question = public.rubric(row.question_id, row.question, row.references)
        scores = judge.judge(question, question.points, [public.answer_turn(row.answer)])
        result.append(_judged(row, question.points, scores))
    return result


def _judged(row: Graded, points: Sequence[RubricPoint], scores: Sequence[PointScore]) -> Judged:
    summed = score(points, scores)
    worths = np.array([point.worth for point in points])
    graded = float(worths @ np.array([likelihood(item) for item in scores]) / worths.sum())
    share = summed.low / summed.worth
    ungraded = sum(item.verdict is Verdict.UNGRADED for item in scores) / len(scores)
    return Judged(row, share, graded, _label(scores, share), ungraded)


def similarities(embedder: Embedder, rows: Sequence[Graded]) -> Floats:
    """The cosine of each whole answer with the nearest of its references."""
    texts = [row.answer for row in rows]
    references = sorted({reference for row in rows for reference in row.references})
    place = {reference: number for number, reference in enumerate(references)}
    answers, vectors = embedder.encode(texts), embedder.encode(references)
    return np.array(
        [
            max(float(answers[number] @ vectors[place[reference]]) for reference in row.references)
            for number, row in enumerate(rows)
        ],
        dtype=np.float64,
    )


def lengths(rows: Sequence[Graded]) -> Floats:
    """The logarithm of each answer's number of words."""
    return np.array([np.log1p(len(row.answer.split())) for row in rows], dtype=np.float64)


def _figures(values: Floats, grades: Floats, groups: npt.NDArray[np.str_], long: Floats) -> dict[str, Any]:
    """Every figure for one kind of score. `values` of baselines may have any scale; their raw errors are left out."""
    fitted = statistics.calibrated(values, grades, groups)
    on_scale = bool((values >= 0).all() and (values <= 1).all())
    errors = values - grades
    result: dict[str, Any] = {
        "r": statistics.pearson(values, grades),
        "r_interval": statistics.interval(lambda rows: statistics.pearson(values[rows], grades[rows]), groups),
        "r_within_question": statistics.within(values, grades, groups),
        "r_given_length": statistics.partial(values, grades, long),
        "r_calibrated": statistics.pearson(fitted, grades),
        "rmse_calibrated": statistics.rmse(fitted, grades),
        "rmse_calibrated_interval": statistics.interval(
            lambda rows: statistics.rmse(fitted[rows], grades[rows]), groups
        ),
        "kappa_calibrated": statistics.kappa(fitted, grades),
        "over_credit_calibrated": float((fitted - grades).mean()),
    }
    if on_scale:
        result |= {
            "rmse": statistics.rmse(values, grades),
            "kappa": statistics.kappa(values, grades),
            "over_credit": float(errors.mean()),
            "bands": [
                {
                    "from": low,
                    "to": min(high, 1.0),
                    "answers": int(inside.sum()),
                    "mean_error": float(errors[inside].mean()),
                }
                for low, high in BANDS
                if (inside := (grades >= low) & (grades < high)).any()
            ],
        }
    return result


def _three_way(judged: Sequence[Judged], groups: npt.NDArray[np.str_]) -> dict[str, Any]:
    truth, found = [item.row.label for item in judged], [item.label for item in judged]
    fitted = _fitted_labels(judged, groups)

    def figures(labels: Sequence[str]) -> dict[str, Any]:
        wrong = [label for label, real in zip(labels, truth, strict=True) if real == "contradictory"]
        return {
            "macro_f1": statistics.macro_f1(truth, labels, public.LABELS),
            "macro_f1_interval": statistics.interval(
                lambda rows: statistics.macro_f1(
                    [truth[row] for row in rows], [labels[row] for row in rows], public.LABELS
                ),
                groups,
                200,
            ),
            "contradictory_credited": sum(label == "correct" for label in wrong) / max(len(wrong), 1),
        }

    return {"raw": figures(found), "calibrated": figures(fitted)}


def _fitted_labels(judged: Sequence[Judged], groups: npt.NDArray[np.str_]) -> list[str]:
    """Labels with the bar for "correct" put where it serves best on the other folds' questions."""
    truth = np.array([item.row.label for item in judged])
    raw = [item.label for item in judged]
    graded = np.array([item.graded for item in judged])
    labels = list(raw)

    def at(bar: float, rows: Sequence[int]) -> list[str]:
        return [
            "contradictory" if raw[row] == "contradictory" else "correct" if graded[row] >= bar else "incorrect"
            for row in rows
        ]

    for mask in statistics.folds(groups):
        others, held = np.flatnonzero(~mask).tolist(), np.flatnonzero(mask).tolist()
        bars = np.unique(np.round(graded[others], 2))
        best = max(bars, key=lambda bar: statistics.macro_f1(truth[others].tolist(), at(bar, others), public.LABELS))
        for row, label in zip(held, at(float(best), held), strict=True):
            labels[row] = label
    return labels


def measure(judge: Judge, embedder: Embedder, rows: Sequence[Graded], name: str) -> dict[str, Any]:
    """Every figure of one set, ready for JSON."""
    judged = judge_rows(judge, rows)
    grades = np.array([row.score for row in rows], dtype=np.float64)
    groups = np.array([row.question_id for row in rows])
    long = lengths(rows)
    kinds: dict[str, Floats] = {
        "graded": np.array([item.graded for item in judged]),
        "verdicts": np.array([item.verdicts for item in judged]),
        "length only": long,
        "similarity only": similarities(embedder, rows),
    }
    result: dict[str, Any] = {
        "set": name,
        "answers": len(rows),
        "questions": len(set(groups.tolist())),
        "judge": judge.name,
        "ungraded": float(np.mean([item.ungraded for item in judged])),
        "scores": {kind: _figures(values, grades, groups, long) for kind, values in kinds.items()},
    }
    if rows and rows[0].label:
        result["three_way"] = _three_way(judged, groups)
    return result


def measure_files(
    judge: Judge,
    embedder: Embedder,
    paths: Sequence[Path],
    limit: int = 0,
    tell: Callable[[str], object] = str,
) -> list[dict[str, Any]]:
    """The figures of each file. `tell` hears of progress. Raises UserError for a file that cannot be read."""
    read = [(path, public.sample(public.read(path), limit)) for path in paths]
    result = []
    for path, rows in read:
        tell(f"{path.name}: {len(rows)} answers")
        result.append(measure(judge, embedder, rows, path.stem))
    return result
