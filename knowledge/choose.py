"""Chooses what to ask next: filters first, then a weighted draw. Pure: the same plan, past and draw, the same choice.

The weight of a candidate question is `fit to the focus words x popularity x nearness in level`, and `draw` in [0, 1)
picks along the weights' cumulated sum. Where a filter leaves nothing, it is relaxed, and the reason given says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from domain import Framework, Hit, Level, Plan, Question, QuestionResult
from knowledge.ability import DIFFICULTY, PRIOR, chance_above, estimate, evidence
from knowledge.questions import Bank

LEVELS = tuple(Level)
CONFIDENT = 0.58  # probability that the next level fits better, from which the interview goes there
REVIEWED = 3.0  # weight of a question of which points were missed in an earlier interview and are due,
KNOWN = 0.25  # and of one that was asked before and of which nothing is due
UNKNOWN_POPULARITY = 30  # where a source gives none; the documents' own range is 35 to 46
OFTEN = 40  # popularity from which a question counts as often practised
LEVEL_DECAY = 0.25  # weight for each level away from the wanted one
FOCUS_LEVEL_DECAY = 0.5  # the same where the candidate's own words narrow the choice already
FOCUS_SHARPNESS = 0.03  # difference in merit (a cosine similarity, nearly) that makes a question e times as likely
FOCUS_HITS = 8  # only the nearest questions are drawn from when there are focus words,
FOCUS_LEAST = 0.1  # and of these only such as fit at least this share of how the best one fits
FOCUS_NEAR = 0.25  # nearness (`Hit.score`): below, nothing in the bank fits the words
FOCUS_CLOSE = 0.45  # from here on a question is said to be close to the words; below, only the nearest that is left
NAMES = {Framework.PYTORCH: "PyTorch", Framework.TENSORFLOW: "TensorFlow", Framework.BOTH: "both frameworks"}

Filter = tuple[str, Callable[[Question], bool]]


class Searcher(Protocol):
    """What the chooser needs of an index."""

    def ranked(self, query: str, k: int = 5, ids: Sequence[str] | None = None) -> list[tuple[Hit, float]]:
        """The k best questions among `ids` with the merit that they are ordered by, best first."""


class QuestionChooser:
    """domain.Chooser over a bank and its index."""

    def __init__(self, bank: Bank, index: Searcher) -> None:
        self._bank = bank
        self._index = index

    def choose(self, plan: Plan, asked: Sequence[QuestionResult], draw: float) -> tuple[Question, str] | None:
        """A question not asked before and why it was chosen, or None when none is left. `draw` is in [0, 1)."""
        done = {result.question.id for result in asked}
        left = [question for _, question in sorted(self._bank.questions.items()) if question.id not in done]
        if not left:
            return None
        left, relaxed = _filtered(left, plan)
        wanted, step = _wanted_level(plan, asked)
        fit, nearness = self._fit(plan.focus, left)
        decay = LEVEL_DECAY if not fit else FOCUS_LEVEL_DECAY if asked else 1.0
        due = {item.question_id for item in plan.due}
        weights = [
            (fit.get(question.id, 0.0) if fit else 1.0)
            * (question.popularity or UNKNOWN_POPULARITY)
            * decay ** abs(LEVELS.index(question.level) - LEVELS.index(wanted))
            * (REVIEWED if question.id in due else KNOWN if question.id in plan.known else 1.0)
            for question in left
        ]
        question = left[_pick(weights, draw)]
        near = nearness.get(question.id, 0.0) if nearness is not None else None
        return question, _reason(question, plan, relaxed, step if question.level is wanted else "", near)

    def _fit(self, focus: str, left: Sequence[Question]) -> tuple[dict[str, float], dict[str, float] | None]:
        """How well each of the nearest questions fits the focus words, and how near it is: none where nothing in the
        bank fits, and None without words."""
        if not focus.strip():
            return {}, None
        found = self._index.ranked(focus, k=FOCUS_HITS, ids=[question.id for question in left])
        if not found or max(hit.score for hit, _merit in found) < FOCUS_NEAR:
            return {}, {}
        best = found[0][1]
        fits = {hit.id: math.exp((merit - best) / FOCUS_SHARPNESS) for hit, merit in found}
        nearness = {hit.id: hit.score for hit, _merit in found}
        return {name: fit for name, fit in fits.items() if fit >= FOCUS_LEAST}, nearness


def _filtered(left: list[Question], plan: Plan) -> tuple[list[Question], list[str]]:
    """The questions that keep the plan's filters; the least important one that leaves nothing is dropped and named."""
    filters: list[Filter] = []
    if plan.framework is not Framework.BOTH:
        filters.append(
            (f"on {NAMES[plan.framework]}", lambda question: question.framework in (plan.framework, Framework.BOTH))
        )
    if plan.topics:
        filters.append((f"on {_listed(plan.topics)}", lambda question: question.topic in plan.topics))
    if plan.level is not None:
        filters.append((f"at level {plan.level.value}", lambda question: question.level is plan.level))
    relaxed: list[str] = []
    for name, keeps in filters:
        kept = [question for question in left if keeps(question)]
        if kept:
            left = kept
        else:
            relaxed.append(name)
    return left, relaxed


def _wanted_level(plan: Plan, asked: Sequence[QuestionResult]) -> tuple[Level, str]:
    """The level to aim at, and whether that is a step: "harder", "easier" or ""."""
    if plan.level is not None:
        return plan.level, ""
    prior = plan.ability or PRIOR
    shown = evidence(asked)
    if not shown and (asked or plan.ability is None):
        return (asked[-1].question.level if asked else Level.EASY), ""
    ability = estimate(shown, prior)
    if not shown:
        return min(LEVELS, key=lambda level: abs(DIFFICULTY[level] - ability.mean)), ""
    last = next(result for result in reversed(asked) if result.score is not None and result.score.value is not None)
    here = LEVELS.index(last.question.level)
    there = here
    if here + 1 < len(LEVELS) and chance_above(ability, _between(here, here + 1)) >= CONFIDENT:
        there = here + 1
    elif here > 0 and chance_above(ability, _between(here - 1, here)) <= 1 - CONFIDENT:
        there = here - 1
    return LEVELS[there], "" if there == here else "harder" if there > here else "easier"


def _between(lower: int, upper: int) -> float:
    return (DIFFICULTY[LEVELS[lower]] + DIFFICULTY[LEVELS[upper]]) / 2


def _pick(weights: Sequence[float], draw: float) -> int:
    """The position that `draw` in [0, 1) falls on, along the cumulated weights."""
    mark = draw * sum(weights)
    for number, weight in enumerate(weights):
        mark -= weight
        if mark < 0:
            return number
    return max(range(len(weights)), key=lambda number: weights[number])


def _listed(names: Sequence[str]) -> str:
    spoken = [name.replace("_", " ") for name in names]
    return spoken[0] if len(spoken) == 1 else f"{', '.join(spoken[:-1])} or {spoken[-1]}"


def _reason(question: Question, plan: Plan, relaxed: Sequence[str], step: str, near: float | None) -> str:
    """One sentence for the candidate."""
    about = f"it is about {question.topic.replace('_', ' ')}"
    if near:
        words = " ".join(plan.focus.split())
        how = "close to" if near >= FOCUS_CLOSE else "the nearest that is left to"
        about = f"it is {how} what you asked for (“{words[:60].strip()}{'…' if len(words) > 60 else ''}”)"
    elif near is None and plan.topics and question.topic in plan.topics:
        about = f"you wanted {_listed([question.topic])}"
    parts = [about]
    if any(item.question_id == question.id for item in plan.due):
        parts.append("you missed some of it in an earlier interview")
    if step:
        because = "went well" if step == "harder" else "was hard"
        parts.append(f"it is {step} than the last one, which {because}")
    elif plan.level is not None and question.level is plan.level:
        parts.append(f"it is {question.level.value}, as you wished")
    if question.popularity >= OFTEN:
        parts.append("it is often practised")
    sentence = parts[0] + "".join(f", {part}" for part in parts[1:-1])
    sentence += f" and {parts[-1]}" if len(parts) > 1 else ""
    sentence = f"I chose this question because {sentence}"
    if near == 0.0:
        sentence += "; nothing in the bank is close to your own words"
    if relaxed:
        sentence += f"; no question {' and '.join(relaxed)} is left"
    return f"{sentence}."
