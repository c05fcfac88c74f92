"""A stored session as the page shows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain import (
    Answer,
    Case,
    Framework,
    JudgedBy,
    Kind,
    Level,
    Mode,
    Phase,
    Plan,
    PointScore,
    Question,
    QuestionResult,
    Quote,
    RubricPoint,
    RunReport,
    RunStatus,
    Score,
    Session,
    Speaker,
    Turn,
    TurnKind,
    UngradedReason,
    Verdict,
)
from ui.render import Screen, per_cent, view
from ui.results import headline, run_html, runs_html

ATTACK = "<img src=x onerror=alert(1)>"
POINTS = (RubricPoint("a", "The graph is recorded", 2), RubricPoint("b", "Gradients add up", 1))
QUESTION = Question(
    "q", "Autograd & co", "autograd", Framework.PYTORCH, Level.EASY, Kind.CODE, "Explain.", POINTS, "", "import torch",
    check="c",
)  # fmt: skip
CASES = (
    Case("visible", "value", False, ATTACK, True, (("got", ATTACK),)),
    Case("hidden", "dtype", False, "the dtype differs", False, (("expected", "SECRET"),)),
    Case("good", "shape", True),
)
RUN = RunReport(
    "r1",
    RunStatus.WRONG,
    CASES,
    ATTACK,
    seconds=0.0123,
    isolation="L3",
    check_hash="c" * 64,
    versions=(("torch", "2.13"),),
)
SCORES = (
    PointScore("a", Verdict.MET, "", JudgedBy("local"), (Quote(1, 0, 11),)),
    PointScore("b", Verdict.UNGRADED, "", JudgedBy("local"), reason=UngradedReason.UNCERTAIN),
)
OPEN = QuestionResult(QUESTION, "it fits <b>", runs=(RUN,))
CLOSED = replace(OPEN, closed_at=1.0, scores=SCORES, score=Score(2, 3, 2, 3, 0.66, None))
TURNS = (
    Turn(0, Speaker.INTERVIEWER, TurnKind.QUESTION, "Explain.", 0.0, "q"),
    Turn(1, Speaker.CANDIDATE, TurnKind.ANSWER, "Autograd is <b>", 0.0, "q", Answer("Autograd is <b>")),
    Turn(2, Speaker.CANDIDATE, TurnKind.ANSWER, "```python\nx = 1\n```", 0.0, "q", Answer("", code="x = 1"), "r1"),
    Turn(3, Speaker.INTERVIEWER, TurnKind.RESULT, "It failed.\n\n- a case\n\nTook 12 ms.", 0.0, "q", run_id="r1"),
)
PRACTICE = Session("0" * 32, 1, 0.0, Plan(questions=2), Phase.ANSWERING, TURNS, (OPEN,))
EXAM = replace(PRACTICE, plan=Plan(questions=2, mode=Mode.EXAM))


def test_nothing_that_a_submission_wrote_is_markup() -> None:
    page = run_html(RUN, 1, 5)
    assert ATTACK not in page
    assert page.count("&lt;img src=x") == 3


def test_a_hidden_case_shows_no_value() -> None:
    page = run_html(RUN, 1, 5)
    assert "the dtype differs" in page
    assert "SECRET" not in page


def test_what_failed_comes_first_and_the_circumstances_are_told() -> None:
    page = run_html(RUN, 2, 5)
    assert page.index("dtype") < page.index("shape")
    for words in ("Submission 2 of 5", "1 of 3 cases passed", "0.012 s", "on cpu", "isolation L3", "torch 2.13"):
        assert words in page


@pytest.mark.parametrize(
    ("run", "words", "kind"),
    [
        (RunReport("r", RunStatus.OK, CASES[2:]), "The case passed", "good"),
        (RunReport("r", RunStatus.OK), "nothing was checked", "gold"),
        (RunReport("r", RunStatus.TIMED_OUT), "ran out of time", "bad"),
        (RunReport("r", RunStatus.OUT_OF_MEMORY), "ran out of memory", "bad"),
        (RunReport("r", RunStatus.CRASHED, CASES[2:]), "after 1 of 1 cases", "bad"),
        (RunReport("r", RunStatus.BOX_BROKEN), "our fault and does not count", "gold"),
    ],
)
def test_how_a_run_ended_in_words(run: RunReport, words: str, kind: str) -> None:
    told, mark = headline(run)
    assert words in told
    assert mark == kind


def test_the_last_run_is_shown_first_and_the_others_are_kept() -> None:
    page = runs_html((RUN, replace(RUN, id="r2")), 5)
    assert page.index("Submission 2 of 5") < page.index("Earlier runs (1)") < page.index("Submission 1 of 5")
    assert runs_html((), 5) == ""


def test_code_in_an_answer_uses_up_no_submission() -> None:
    page = runs_html((RUN, replace(RUN, id="r2", check_hash=""), replace(RUN, id="r3")), 5)
    assert page.count("<h3>Run (not counted)</h3>") == 1
    assert page.index("Submission 2 of 5") < page.index("Run (not counted)") < page.index("Submission 1 of 5")


def test_an_error_names_its_line() -> None:
    run = RunReport("r", RunStatus.CRASHED, error="SyntaxError: bad <x>", error_line=7)
    assert "line 7: SyntaxError: bad &lt;x&gt;" in run_html(run, 1, 1)


def test_an_exam_keeps_results_and_points_until_its_end() -> None:
    shown = view(replace(EXAM, results=(CLOSED, replace(OPEN, question=replace(QUESTION, id="p")))))
    assert "cases passed" not in shown.results
    assert "The graph is recorded" not in shown.card
    assert "cases passed" in view(replace(EXAM, phase=Phase.ENDED, results=(CLOSED,))).results


def test_practice_shows_closed_points_with_their_quote_and_no_open_one() -> None:
    assert "The graph is recorded" not in view(PRACTICE).card
    shown = view(replace(PRACTICE, results=(CLOSED, replace(OPEN, question=replace(QUESTION, id="p"))))).card
    assert "<q>Autograd is</q>" in shown
    assert "not graded" in shown
    assert "it fits &lt;b&gt;" in shown


def test_code_stands_once_in_the_chat_and_results_are_short_there() -> None:
    messages = view(PRACTICE).messages
    assert messages[1] == {"role": "user", "content": "Autograd is &lt;b>"}
    assert messages[2]["content"].count("x = 1") == 1
    assert messages[3]["content"] == "#### Code\n\nIt failed.\n\nTook 12 ms."


def test_the_editor_holds_what_was_submitted_last_else_the_starter() -> None:
    assert view(PRACTICE).code == "x = 1"
    assert view(replace(PRACTICE, turns=TURNS[:2])).code == "import torch"


@pytest.mark.parametrize(
    ("session", "allowed"),
    [
        (PRACTICE, {"answer", "submit", "try", "hint", "skip", "finish", "pause", "stop"}),
        (replace(PRACTICE, phase=Phase.JUDGING), {"stop", "cancel"}),
        (replace(PRACTICE, phase=Phase.ENDED, results=(CLOSED,)), set()),
        (Session("0" * 32, 1, 0.0, turns=TURNS[:1]), {"answer", "stop"}),
    ],
)
def test_what_the_candidate_may_do(session: Session, allowed: set[str]) -> None:
    assert view(session).actions == allowed


def test_an_exam_takes_one_submission_and_gives_no_hint() -> None:
    assert "submit" not in view(EXAM).actions
    assert "hint" not in view(EXAM).actions
    fresh = replace(EXAM, turns=TURNS[:2], results=(replace(OPEN, runs=()),))
    assert "submit" in view(fresh).actions


def test_the_page_says_what_is_being_worked_on() -> None:
    for phase, words in (
        (Phase.RUNNING, "Running your code"),
        (Phase.JUDGING, "Scoring"),
        (Phase.CHOOSING, "Choosing"),
    ):
        assert words in view(replace(PRACTICE, phase=phase)).status
    assert view(PRACTICE).screen is Screen.INTERVIEW
    assert view(replace(PRACTICE, phase=Phase.ENDED)).screen is Screen.ENDED


def test_a_score_has_bounds_and_none_where_too_little_was_graded() -> None:
    assert per_cent(Score(3, 4, 3, 3, 1.0, 0.75)) == "75%"
    assert per_cent(Score(3, 4, 3, 3.5, 0.9, 0.8)) == "80% (between 75% and 88%)"
    assert per_cent(Score(1, 4, 1, 4, 0.25, None)) == "no score: 25% of it could be graded"
    assert per_cent(None) == "not scored"


def test_no_answer_is_taken_before_the_consent_was_asked() -> None:
    asked = view(PRACTICE, "openai:some-model")
    assert asked.provider == "openai:some-model"
    assert "answer" not in asked.actions
    for agreed in (True, False):
        told = view(replace(PRACTICE, consents=(("openai:some-model", agreed),)), "openai:some-model")
        assert told.provider == ""
        assert "answer" in told.actions
