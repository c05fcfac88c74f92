"""What somebody can do, as a running estimate: a Rasch model on the levels of questions, with its uncertainty.

A question of difficulty d is answered with the share sigmoid(ability - d) of its points. Each question that was scored
counts as a few independent points (`EVIDENCE`), so that one lucky or unlucky question moves the estimate and does not
decide it. The posterior is summed over a grid, which is exact enough and has no way to fail.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from domain import Ability, Level, QuestionResult

DIFFICULTY = {Level.EASY: -1.0, Level.MEDIUM: 0.0, Level.HARD: 1.0}
PRIOR = Ability(-1.0, 1.5)  # nobody known yet: begin with easy questions, and learn quickly
EVIDENCE = 4.0
FORGETTING = 0.5  # standard deviation that is added to what earlier interviews showed
_GRID = tuple(step / 20 for step in range(-160, 161))


def evidence(results: Iterable[QuestionResult]) -> list[tuple[Level, float]]:
    """(level, share of the points) of each question that was scored."""
    return [
        (result.question.level, result.score.value)
        for result in results
        if result.score is not None and result.score.value is not None
    ]


def estimate(shown: Iterable[tuple[Level, float]], prior: Ability = PRIOR) -> Ability:
    """The ability after what was shown: (level, share in [0, 1]) of each question."""
    weights = [-((ability - prior.mean) ** 2) / (2 * prior.deviation**2) for ability in _GRID]
    for level, share in shown:
        for number, ability in enumerate(_GRID):
            right = 1 / (1 + math.exp(DIFFICULTY[level] - ability))
            weights[number] += EVIDENCE * (share * math.log(right) + (1 - share) * math.log(1 - right))
    highest = max(weights)
    mass = [math.exp(weight - highest) for weight in weights]
    total = sum(mass)
    mean = sum(ability * part for ability, part in zip(_GRID, mass, strict=True)) / total
    variance = sum((ability - mean) ** 2 * part for ability, part in zip(_GRID, mass, strict=True)) / total
    return Ability(round(mean, 4), round(math.sqrt(variance), 4))


def carried(ability: Ability) -> Ability:
    """The estimate of earlier interviews as a prior for the next one: the same mean, less sure."""
    return Ability(ability.mean, round(math.hypot(ability.deviation, FORGETTING), 4))


def chance_above(ability: Ability, mark: float) -> float:
    """The probability that the true ability lies above a mark."""
    return 0.5 * math.erfc((mark - ability.mean) / (ability.deviation * math.sqrt(2)))
