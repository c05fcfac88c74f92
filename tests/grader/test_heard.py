"""What hangs on words that were not heard clearly is not graded; everything else stands as the judge found it."""

from __future__ import annotations

import pytest

from domain import (
    Answer,
    JudgedBy,
    PointScore,
    Question,
    Quote,
    RubricPoint,
    Speaker,
    Turn,
    TurnKind,
    UngradedReason,
    Verdict,
)
from grader.heard import alike, excused
from tests.grader.build import question

BY = JudgedBy("local", version="1")
DETACH = RubricPoint(
    "detach", "Detaching the loss lets go of the graph", 2.0, accepts=("detach the loss before it is stored",)
)
FAULT = RubricPoint("fault", "Says that gradients are overwritten", -1.0)


@pytest.fixture
def rubric() -> Question:
    return question(DETACH, FAULT, ask="What leaks?")


def spoken(text: str, *doubtful: str, number: int = 0) -> Turn:
    """An answer turn in which these words were heard with low confidence."""
    heard = tuple((text.index(words), text.index(words) + len(words)) for words in doubtful)
    return Turn(number, Speaker.CANDIDATE, TurnKind.ANSWER, text, 0.0, answer=Answer(text, heard=heard))


def found(verdict: Verdict, point: str = "detach", quote: Quote | None = None) -> PointScore:
    return PointScore(point, verdict, "why", BY, (quote,) if quote else (), 0.9)


def after(rubric: Question, score: PointScore, *turns: Turn, since: dict[str, int] | None = None) -> PointScore:
    (result,) = excused(rubric, [score], turns, since)
    return result


def test_a_point_missed_for_a_misheard_word_is_unintelligible(rubric: Question) -> None:
    turn = spoken("I would debt the loss before it goes into the list.", "debt")
    result = after(rubric, found(Verdict.NOT_MET), turn)
    assert (result.verdict, result.reason) == (Verdict.UNGRADED, UngradedReason.UNINTELLIGIBLE)
    assert result.evidence == () and "not heard clearly" in result.why


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        ("I would debt the loss before it goes into the list.", ()),  # heard clearly, so it was said
        ("I would print the loss before it goes into the list.", ("print",)),  # sounds like nothing that is missing
        ("My sister was in debt for a year.", ("debt",)),  # is about something else
        ("The learning rate decays with the epoch.", ("epoch",)),
    ],
)
def test_a_point_that_hangs_on_nothing_doubtful_stays_missed(
    rubric: Question, text: str, doubtful: tuple[str, ...]
) -> None:
    missed = found(Verdict.NOT_MET)
    assert after(rubric, missed, spoken(text, *doubtful)) == missed


def test_a_long_run_of_doubtful_words_may_have_been_the_point(rubric: Question) -> None:
    turn = spoken("Before you store the loss you call on it though sum graph.", "call on it though sum")
    assert after(rubric, found(Verdict.NOT_MET), turn).verdict is Verdict.UNGRADED


def test_what_was_credited_stays_credited(rubric: Question) -> None:
    turn = spoken("You detach the loss before it is stored.", "detach")
    met = found(Verdict.MET, quote=Quote(0, 0, len(turn.text)))
    assert after(rubric, met, turn) == met


def test_a_contradiction_counts_only_where_it_was_heard(rubric: Question) -> None:
    text = "Detaching does keep the graph. And the graph stays alive after detach."
    whole, second = Quote(0, 0, 30), Quote(0, 31, len(text))
    turn = spoken(text, "does")
    assert after(rubric, found(Verdict.CONTRADICTED, quote=whole), turn).reason is UngradedReason.UNINTELLIGIBLE
    clear = found(Verdict.CONTRADICTED, quote=second)
    assert after(rubric, clear, turn) == clear


def test_a_pitfall_counts_only_where_it_was_heard(rubric: Question) -> None:
    turn = spoken("Gradients are overwritten.", "are overwritten")
    committed = found(Verdict.MET, "fault", Quote(0, 0, 26))
    assert after(rubric, committed, turn).verdict is Verdict.UNGRADED
    avoided = found(Verdict.NOT_MET, "fault")
    assert after(rubric, avoided, turn) == avoided


def test_asked_again_only_what_was_said_since_counts(rubric: Question) -> None:
    first = spoken("I would debt the loss before it goes into the list.", "debt")
    missed = found(Verdict.NOT_MET)
    again = spoken("I would print it.", number=2)
    assert after(rubric, missed, first, again, since={"detach": 1}) == missed
    unclear = spoken("You debt the loss.", "debt", number=2)
    assert after(rubric, missed, first, unclear, since={"detach": 1}).verdict is Verdict.UNGRADED


def test_typed_answers_are_left_alone(rubric: Question) -> None:
    scores = [found(Verdict.NOT_MET), found(Verdict.MET, "fault", Quote(0, 0, 3))]
    assert excused(rubric, scores, [spoken("Nothing.")]) == scores


def test_words_that_sound_alike() -> None:
    assert alike("lost", "loss") >= 0.8 and alike("grid", "grad") >= 0.8
    assert alike("cat", "softmax") < 0.5
