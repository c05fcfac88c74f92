"""Fits the scorer and writes `scorer.json`: python -m grader fit.

A multinomial logistic with a ridge, over the rows of `grader/training.py`: once on all of them, and once for each fold
of whole questions without that fold, so that `agree` and `gaming` judge every question with weights in which it had no
part. Nothing is drawn at random.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from domain import Embedder, Verdict
from grader import statistics, training
from grader.labelled import Labelled
from grader.local import LocalJudge
from grader.scorer import FEATURES, TABLE
from grader.training import Row

VERDICTS = (Verdict.MET, Verdict.NOT_MET, Verdict.CONTRADICTED)
_RIDGE = 10.0  # on weights of standardised features
_DIGITS = 5


def fit(embedder: Embedder, answers: Sequence[Labelled], path: Path = TABLE) -> dict[str, Any]:
    """Fit on these answers and write the table. Returns what was fitted on, for the terminal."""
    rows = training.rows(LocalJudge(embedder), answers)
    groups = np.array([row.question_id for row in rows])
    masks = statistics.folds(groups)
    fold_of = {str(name): number for number, mask in enumerate(masks) for name in np.unique(groups[mask])}
    table = {
        "features": FEATURES,
        "verdicts": [verdict.value for verdict in VERDICTS],
        "all": _table(rows),
        "fold_of": fold_of,
        "folds": [_table([row for row, held in zip(rows, mask, strict=True) if not held]) for mask in masks],
    }
    path.write_text(json.dumps(table, separators=(",", ":")) + "\n", encoding="utf-8")
    return {"rows": len(rows), "questions": len(fold_of), "folds": len(masks), "features": len(FEATURES)}


def _table(rows: Sequence[Row]) -> dict[str, Any]:
    """Weights and biases for the features as they are, the standardisation folded in."""
    from sklearn.linear_model import LogisticRegression

    values = np.array([row.features for row in rows])
    middle, spread = values.mean(0), values.std(0)
    spread[spread < 1e-9] = 1.0
    model = LogisticRegression(C=1 / _RIDGE, max_iter=2000, tol=1e-6)
    model.fit(
        (values - middle) / spread,
        np.array([VERDICTS.index(row.verdict) for row in rows]),
        sample_weight=np.array([row.weight for row in rows]),
    )
    weights: npt.NDArray[np.float64] = model.coef_ / spread
    bias = model.intercept_ - weights @ middle
    return {"weights": np.round(weights, _DIGITS).tolist(), "bias": np.round(bias, _DIGITS).tolist()}
