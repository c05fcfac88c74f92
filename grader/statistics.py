"""Agreement of scores with human grades: correlations, errors, calibration on other questions, and intervals.

Arrays are one-dimensional, one entry an answer; scores are in [0, 1]; `groups` says which question an answer is to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
FOLDS = 10
RESAMPLES = 1000


def pearson(first: Floats, second: Floats) -> float:
    """Pearson's r; 0 where one side does not vary."""
    if len(first) < 2 or first.std() < 1e-12 or second.std() < 1e-12:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def within(first: Floats, second: Floats, groups: npt.NDArray[np.str_]) -> float:
    """Pearson's r after each question's mean is taken out of both sides."""
    return pearson(_centred(first, groups), _centred(second, groups))


def partial(first: Floats, second: Floats, given: Floats) -> float:
    """Pearson's r of what a straight line on `given` leaves of both sides."""
    line = np.column_stack([np.ones_like(given), given])

    def rest(values: Floats) -> Floats:
        return np.asarray(values - line @ np.linalg.lstsq(line, values, rcond=None)[0])

    return pearson(rest(first), rest(second))


def _centred(values: Floats, groups: npt.NDArray[np.str_]) -> Floats:
    _, where = np.unique(groups, return_inverse=True)
    means = np.bincount(where, values) / np.bincount(where)
    return np.asarray(values - means[where])


def rmse(first: Floats, second: Floats) -> float:
    """The root of the mean squared difference."""
    return float(np.sqrt(np.mean((first - second) ** 2)))


def kappa(first: Floats, second: Floats, levels: int = 5) -> float:
    """Quadratic weighted kappa of scores rounded to `levels` + 1 equal steps (Cohen 1968)."""
    a, b = (np.clip(np.rint(values * levels), 0, levels).astype(int) for values in (first, second))
    seen = np.zeros((levels + 1, levels + 1))
    np.add.at(seen, (a, b), 1)
    chance = np.outer(seen.sum(1), seen.sum(0)) / seen.sum()
    cost = (np.arange(levels + 1)[:, None] - np.arange(levels + 1)[None, :]) ** 2
    expected = float((cost * chance).sum())
    return 1.0 - float((cost * seen).sum()) / expected if expected else 0.0


def isotonic(scores: Floats, grades: Floats) -> Callable[[Floats], Floats]:
    """The rising step function that fits best (pool adjacent violators), joined by straight lines."""
    order = np.argsort(scores, kind="stable")
    blocks: list[list[float]] = []  # mean grade, weight, sum of scores
    for index in order:
        blocks.append([float(grades[index]), 1.0, float(scores[index])])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            mean, weight, total = blocks.pop()
            last = blocks[-1]
            last[0] = (last[0] * last[1] + mean * weight) / (last[1] + weight)
            last[1] += weight
            last[2] += total
    places = np.array([total / weight for _, weight, total in blocks])
    heights = np.array([mean for mean, _, _ in blocks])
    return lambda values: np.asarray(np.interp(values, places, heights), dtype=np.float64)


def folds(groups: npt.NDArray[np.str_], count: int = FOLDS) -> list[npt.NDArray[np.bool_]]:
    """Masks of the held-out answers: whole questions, dealt out by falling size."""
    names, sizes = np.unique(groups, return_counts=True)
    count = min(count, len(names))
    load = [0] * count
    fold_of: dict[str, int] = {}
    for index in np.argsort(-sizes, kind="stable"):
        fold = load.index(min(load))
        fold_of[str(names[index])] = fold
        load[fold] += int(sizes[index])
    numbers = np.array([fold_of[str(group)] for group in groups])
    return [numbers == fold for fold in range(count)]


def calibrated(scores: Floats, grades: Floats, groups: npt.NDArray[np.str_]) -> Floats:
    """Scores through a monotone calibration fitted on the other folds' questions. One question alone stays raw."""
    held_out = folds(groups)
    if len(held_out) < 2:
        return scores
    result = np.empty_like(scores)
    for mask in held_out:
        result[mask] = isotonic(scores[~mask], grades[~mask])(scores[mask])
    return result


def interval(
    statistic: Callable[[npt.NDArray[np.intp]], float], groups: npt.NDArray[np.str_], resamples: int = RESAMPLES
) -> tuple[float, float]:
    """The 95 % interval of a statistic of row numbers, by drawing whole questions with replacement."""
    rng = np.random.default_rng(0)
    _, where = np.unique(groups, return_inverse=True)
    rows = [np.flatnonzero(where == number) for number in range(where.max() + 1)]
    values = [
        statistic(np.concatenate([rows[number] for number in rng.integers(len(rows), size=len(rows))]))
        for _ in range(resamples)
    ]
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def macro_f1(truth: Sequence[str], found: Sequence[str], labels: Sequence[str]) -> float:
    """The mean F1 over the labels; a found label outside them is an error like any other."""
    scores = []
    for label in labels:
        hits = sum(t == f == label for t, f in zip(truth, found, strict=True))
        claimed, real = sum(f == label for f in found), sum(t == label for t in truth)
        scores.append(2 * hits / (claimed + real) if claimed + real else 0.0)
    return sum(scores) / len(scores)
