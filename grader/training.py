"""What the scorer is fitted on: the bank's labelled answers, and what rules make of them.

Each row is one point of one answer. Made by rule from the strong answers, with less weight: denied ones and ones as
speech recognition hands them over, shuffled words, answers to another question, and the model answers. Mixed answers
join a part of a strong answer to a part of a wrong one, so that right statements beside wrong ones keep their worth;
a point of theirs is labelled when its best statement by the first look lies in one part alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain import Proof, Question, Verdict
from grader import attacks
from grader.labelled import Labelled
from grader.local import LocalJudge
from grader.public import answer_turn
from grader.scorer import best_and_worst, features
from grader.weigh import Weighed

WEIGHTS = {
    "denied": 0.1, "spoken": 0.4, "another question": 0.7, "shuffled": 0.3, "model": 1.0, "model shuffled": 0.4,
    "model denied": 0.1, "mixed": 0.3,
}  # fmt: skip
_OTHERS = (1, 17)  # which other questions, by their place in the alphabet
_PARTS = (0.34, 0.67)
_CLEAR_RIGHT, _CLEAR_WRONG = 0.5, 0.45
_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*")


@dataclass(frozen=True)
class Row:
    """One point of one answer: the numbers of `scorer.FEATURES`, the verdict, and how much it weighs in the fit."""

    question_id: str
    features: list[float]
    verdict: Verdict
    weight: float


@dataclass(frozen=True)
class _Made:
    question: Question
    text: str
    verdicts: tuple[tuple[str, Verdict], ...]
    kind: str = ""


def rows(judge: LocalJudge, answers: Sequence[Labelled]) -> list[Row]:
    """Every row, always in the same order."""
    made = [
        *(_Made(item.question, item.text, item.verdicts) for item in answers),
        *_by_rule(answers),
        *_models(answers),
        *_mixed(judge, answers),
    ]
    result = []
    for item in made:
        weighed, _ = judge.weighed(item.question, [answer_turn(item.text)])
        for point_id, verdict in item.verdicts:
            if point_id in weighed:
                numbers = features(*best_and_worst(weighed[point_id]))
                result.append(Row(item.question.id, numbers, verdict, WEIGHTS.get(item.kind, 1.0)))
    return result


def _all(question: Question, verdict: Verdict) -> tuple[tuple[str, Verdict], ...]:
    return tuple((point.id, verdict) for point in question.points if point.proof is Proof.SAID)


def _by_rule(answers: Sequence[Labelled]) -> Iterator[_Made]:
    questions = _questions(answers)
    for item in answers:
        if item.kind == "strong":
            denied = tuple((point_id, Verdict.CONTRADICTED) for point_id, _ in item.verdicts)
            missed = tuple((point_id, Verdict.NOT_MET) for point_id, _ in item.verdicts)
            yield _Made(item.question, attacks.negated(item.text), denied, "denied")
            yield _Made(item.question, attacks.spoken(item.text), item.verdicts, "spoken")
            for step in _OTHERS:
                other = questions[(questions.index(item.question) + step) % len(questions)]
                if other != item.question:
                    yield _Made(other, item.text, _all(other, Verdict.NOT_MET), "another question")
            yield _Made(item.question, attacks.shuffled(item.text), missed, "shuffled")


def _models(answers: Sequence[Labelled]) -> Iterator[_Made]:
    for question in _questions(answers):
        text = question.model_answer
        yield _Made(question, text, _all(question, Verdict.MET), "model")
        yield _Made(question, attacks.shuffled(text), _all(question, Verdict.NOT_MET), "model shuffled")
        yield _Made(question, attacks.negated(text), _all(question, Verdict.CONTRADICTED), "model denied")


def _questions(answers: Sequence[Labelled]) -> list[Question]:
    return sorted({item.question.id: item.question for item in answers}.values(), key=lambda item: item.id)


def _mixed(judge: LocalJudge, answers: Sequence[Labelled]) -> Iterator[_Made]:
    by_kind: dict[tuple[str, str], list[_Marked]] = defaultdict(list)
    for item in answers:
        if item.kind in {"strong", "wrong"} and len(by_kind[item.question.id, item.kind]) < 2:
            by_kind[item.question.id, item.kind].append(_marked(judge, item))
    for question in _questions(answers):
        for strong in by_kind[question.id, "strong"]:
            for wrong in by_kind[question.id, "wrong"]:
                for share in _PARTS:
                    yield from _joined(question, strong, wrong, share)


@dataclass(frozen=True)
class _Marked:
    """A text, where its sentences end, and where its clear statement on each point stands."""

    text: str
    ends: list[int]
    places: dict[str, tuple[int, int]]


def _marked(judge: LocalJudge, item: Labelled) -> _Marked:
    weighed, _ = judge.weighed(item.question, [answer_turn(item.text)])
    right = item.kind == "strong"
    wanted = Verdict.MET if right else Verdict.CONTRADICTED

    def clear(one: Weighed) -> float:
        return one.makes - _CLEAR_RIGHT if right else max(one.says, one.denies) - _CLEAR_WRONG

    places = {}
    for point_id, verdict in item.verdicts:
        best = max(weighed.get(point_id, []), key=clear, default=None)
        if best and verdict is wanted and clear(best) >= 0:
            places[point_id] = (best.statement.start, best.statement.end)
    return _Marked(item.text, [match.end() for match in _SENTENCE.finditer(item.text) if match.group().strip()], places)


def _joined(question: Question, strong: _Marked, wrong: _Marked, share: float) -> Iterator[_Made]:
    if len(strong.ends) < 2 or len(wrong.ends) < 2:
        return
    for first, second, first_is_right in ((strong, wrong, True), (wrong, strong, False)):
        end = first.ends[max(1, min(round(len(first.ends) * share), len(first.ends) - 1)) - 1]
        start = second.ends[max(1, min(round(len(second.ends) * share), len(second.ends) - 1)) - 1]
        verdicts = []
        for point_id in strong.places.keys() & wrong.places.keys():
            in_first = first.places[point_id][1] <= end
            in_second = second.places[point_id][0] >= start
            if in_first != in_second:
                right = in_first is first_is_right
                verdicts.append((point_id, Verdict.MET if right else Verdict.CONTRADICTED))
        if verdicts:
            text = f"{first.text[:end].strip()} {second.text[start:].strip()}"
            yield _Made(question, text, tuple(sorted(verdicts)), "mixed")
