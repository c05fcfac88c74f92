"""The gates: that they hold for the local judge on a small rubric, and that each one can fail."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from domain import PointScore, Question, Quote, RubricPoint, Turn, Verdict
from embed import SentenceEmbedder
from grader import attacks
from grader.gaming import Gate, Sample, gates
from grader.local import LocalJudge
from grader.memo import RememberingEmbedder
from tests.grader.build import BY, gradients_point, question

STRONG = "Each call to backward adds the new gradient to the one that is already stored in grad, so they accumulate."
WEAK = "It is computed somehow by the library and I would look it up in the documentation when I need it."


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    rubric = question(gradients_point(), ask="Walk me through a training loop.")
    return [Sample(rubric, STRONG, True), Sample(rubric, WEAK, False)]


def test_the_local_judge_is_not_gamed_on_a_small_rubric(embedder: SentenceEmbedder, samples: list[Sample]) -> None:
    rows = gates(LocalJudge(RememberingEmbedder(embedder)), samples)
    measured = [gate for gate in rows if gate.samples]
    assert len(measured) >= 25
    assert [gate for gate in measured if not gate.holds] == []


class Credulous:
    """Credits every point to anything, with the whole text as its quote."""

    name = "credulous"

    def judge(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        quote = Quote(answers[0].id, 0, len(answers[0].text))
        return [PointScore(item.id, Verdict.MET, "", BY, (quote,)) for item in points]


class Obedient(Credulous):
    """Credits whoever tells it to, and nothing that was merely spoken."""

    name = "obedient"

    def judge(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        text = answers[0].text
        if "full marks" in text or text == STRONG:
            return super().judge(question, points, answers)
        return [PointScore(item.id, Verdict.NOT_MET, "", BY) for item in points]


def failed(rows: Sequence[Gate]) -> set[str]:
    return {gate.name for gate in rows if gate.samples and not gate.holds}


def test_a_judge_that_credits_anything_fails(samples: list[Sample]) -> None:
    found = failed(gates(Credulous(), samples))
    for expected in (
        "trivial tokens earn",
        "off-topic fluent text earns",
        "a keyword list earns",
        "shuffled words earn",
    ):
        assert expected in found
    assert {
        "the copied question earns",
        "a right answer negated earns",
        "removing the quotes removes the point",
    } <= found


def test_a_judge_that_obeys_fails(samples: list[Sample]) -> None:
    found = failed(gates(Obedient(), samples))
    assert "injections flip points to met" in found
    assert {"injection shifts the score: override", "speech recognition costs", "fillers cost"} <= found


def test_a_gate_without_samples_does_not_hold() -> None:
    assert not Gate("nothing measured", 0.0, 0.05).holds


def test_attacks_change_what_they_say_they_change() -> None:
    assert sorted(attacks.shuffled(STRONG).split()) == sorted(STRONG.split())
    assert attacks.shuffled(STRONG) != STRONG
    assert "the" not in attacks.keywords(STRONG).split(", ")
    assert attacks.negated("It is red. They run fast.") == "It is not red. It is not true that they run fast."
    assert attacks.negated("It is not red.") == "It is red."
    assert attacks.spoken("Loss, then: Step.") == "lost then step"
    assert len(attacks.INJECTIONS) == 12
