"""The machine by hand-written events: what is said, what is asked for, and what is earned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from domain import (
    Answer,
    Case,
    Intent,
    Mode,
    Phase,
    Plan,
    PointScore,
    Question,
    RunReport,
    RunStatus,
    Session,
    TurnKind,
    UngradedReason,
    UserError,
    Verdict,
)
from grader.cases import score_cases
from interview.actions import Choose, FollowUp, Judge, Run, Say
from interview.events import (
    Chosen,
    Created,
    Event,
    Finished,
    FollowedUp,
    HintAsked,
    Judged,
    NoneLeft,
    Planned,
    Ran,
    Said,
    Skipped,
    Stopped,
    Submitted,
)
from interview.session import advance, blank, fold, pending, submissions_left
from tests.interview.making import BY, WordJudge, code, explain, met, point

RIGHT = "def twice(x):\n    return x + x\n"


def opened(question: Question, mode: Mode = Mode.PRACTICE, questions: int = 1) -> Session:
    """A session with that question just asked."""
    plan = Plan(questions=questions, mode=mode)
    return fold("s", [Created(1.0, 7, 0.1), Planned(2.0, plan, 0.1), Chosen(3.0, question, "fits", 0.1)])


def after(session: Session, *events: Event) -> Session:
    """The session after the events."""
    for event in events:
        session, _ = advance(session, event)
    return session


def said(text: str, intent: Intent = Intent.ANSWER, reply: str = "") -> Said:
    """The candidate says so."""
    return Said(10.0, Answer(text), intent, 0.3, reply)


def judged(session: Session) -> Session:
    """The session after its pending judgement, given by words."""
    (action,) = pending(session)
    assert isinstance(action, Judge)
    question = session.results[-1].question
    answers = [turn for turn in session.turns if turn.kind is TurnKind.ANSWER and turn.question_id == question.id]
    scores = WordJudge().judge(question, [question.point(item) for item in action.points], answers)
    return after(session, Judged(11.0, tuple(scores), 0.3))


def followed(session: Session, text: str) -> Session:
    """The session after the pending follow-up and an answer to it."""
    return judged(after(session, FollowedUp(12.0, 0.3), said(text)))


def ran(session: Session, *, right: bool = True, status: RunStatus | None = None, name: str = "r1") -> Session:
    """The session after its pending run."""
    (action,) = pending(session)
    assert isinstance(action, Run)
    result = session.results[-1]
    if not action.checked:
        return after(session, Ran(11.0, RunReport(name, RunStatus.OK, stdout_tail="out"), 0.3))
    cases = (Case("small", "small", True), Case("large", "large", right), Case("kind", "kind", right))
    run = RunReport(name, status or (RunStatus.OK if right else RunStatus.WRONG), cases, check_hash="c")
    return after(session, Ran(11.0, run, 0.3, tuple(score_cases(result.question, [run]))))


def verdicts(session: Session) -> dict[str, tuple[Verdict, float]]:
    """Verdict and credit of each point of the last question."""
    return {item.point_id: (item.verdict, item.credit) for item in session.results[-1].scores}


def texts(session: Session, kind: TurnKind) -> list[str]:
    """What was said in turns of that kind."""
    return [turn.text for turn in session.turns if turn.kind is kind]


def test_it_greets_and_waits_for_the_plan() -> None:
    session, actions = advance(blank("s"), Created(1.0, 7, 0.1, topics=("sea",)))
    assert session.phase is Phase.SETUP
    assert [type(action) for action in actions] == [Say]
    assert "sea" in session.turns[0].text


def test_a_plan_asks_for_a_question_and_says_what_was_understood() -> None:
    session = fold("s", [Created(1.0, 7, 0.1)])
    session, actions = advance(session, Planned(2.0, Plan(questions=2, mode=Mode.EXAM), 0.1, text="two, exam"))
    assert isinstance(actions[-1], Choose)
    assert session.turns[-2].text == "two, exam"
    assert "2 questions" in session.turns[-1].text
    assert "exam" in session.turns[-1].text


def test_an_answer_is_stored_before_it_is_judged_on_all_said_points() -> None:
    session, actions = advance(opened(explain()), said("the moon"))
    assert session.turns[-1].text == "the moon"
    assert actions == (Judge("tides", ("moon", "sun", "wind", "myth")),)


def test_a_full_answer_closes_the_question_and_a_practice_interview_says_what_was_credited() -> None:
    session = judged(after(opened(explain()), said("Moon, sun and wind.")))
    assert session.phase is Phase.ENDED
    assert session.overall is not None
    assert session.overall.value == 1.0
    (feedback,) = texts(session, TurnKind.FEEDBACK)
    assert "“Moon”" in feedback
    assert "6 of 6" in feedback


def test_one_follow_up_aims_at_the_most_valuable_missing_point() -> None:
    session = judged(after(opened(explain()), said("only wind")))
    assert pending(session) == (FollowUp("tides", "moon"),)
    session = after(session, FollowedUp(12.0, 0.3))
    assert session.turns[-1].kind is TurnKind.FOLLOW_UP
    assert session.turns[-1].point_id == "moon"
    assert "worth 3?" in session.turns[-1].text
    session = judged(after(session, said("nothing")))
    assert session.phase is Phase.ENDED
    assert len(texts(session, TurnKind.FOLLOW_UP)) == 1
    assert session.results[0].follow_ups == ("moon",)


def test_what_was_unclear_is_followed_up_before_what_was_missed_at_the_same_worth() -> None:
    question = explain(points=(point("moon", 2), point("sun", 2), point("wind", 2)))
    session = judged(after(opened(question), said("moon and wind?")))
    assert pending(session) == (FollowUp("tides", "wind"),)


def test_a_point_earned_after_the_follow_up_gets_three_quarters() -> None:
    session = followed(judged(after(opened(explain()), said("sun"))), "the moon and the wind")
    assert verdicts(session)["moon"] == (Verdict.MET, 0.75)
    assert verdicts(session)["sun"] == (Verdict.MET, 1.0)
    assert session.results[0].score is not None
    assert session.results[0].score.earned == pytest.approx(2 + 0.75 * 3 + 0.75 * 1)


def test_what_was_said_at_first_and_recognised_late_keeps_its_worth() -> None:
    session = after(judged(after(opened(explain()), said("sun, moon?"))), FollowedUp(12.0, 0.3), said("as I said"))
    first = next(turn for turn in session.turns if turn.kind is TurnKind.ANSWER)
    scores = [met("moon", first, 5, 4)]
    scores += [PointScore(name, Verdict.NOT_MET, "no", BY) for name in ("wind", "myth")]
    session = after(session, Judged(13.0, tuple(scores), 0.3))
    assert verdicts(session)["moon"] == (Verdict.MET, 1.0)


def test_a_hint_halves_its_point_and_no_other() -> None:
    session = after(opened(explain()), HintAsked(4.0, 0.1), said("moon, sun and wind"))
    assert session.turns[-2].kind is TurnKind.HINT
    session = judged(session)
    assert verdicts(session)["moon"] == (Verdict.MET, 0.5)
    assert verdicts(session)["sun"] == (Verdict.MET, 1.0)
    assert session.results[0].hints == 1


def test_hints_go_from_weak_to_strong_then_to_the_next_point_then_end() -> None:
    session = after(opened(explain()), *[HintAsked(4.0, 0.1)] * 7)
    hints = texts(session, TurnKind.HINT)
    assert ["weak" in text for text in hints] == [True, False, True, False, True, False]
    assert [text.split("worth ")[1] for text in hints] == ["3", "3", "2", "2", "1", "1"]
    assert session.turns[-1].kind is TurnKind.REPLY


def test_no_hint_in_an_exam() -> None:
    session = after(opened(explain(), Mode.EXAM), HintAsked(4.0, 0.1))
    assert session.results[0].hints == 0
    assert session.turns[-1].kind is TurnKind.REPLY
    assert "exam" in session.turns[-1].text


def test_a_grader_failure_is_ungraded_and_neither_followed_up_nor_wrong() -> None:
    session = after(opened(explain()), said("moon"))
    reason = UngradedReason.GRADER_FAILED
    failed = tuple(
        PointScore(name, Verdict.UNGRADED, "broke", replace(BY, note="It broke."), reason=reason)
        for name in ("moon", "sun", "wind", "myth")
    )
    session = after(session, Judged(11.0, failed, 0.3))
    assert session.phase is Phase.ENDED
    assert session.overall is not None
    assert session.overall.value is None
    assert session.overall.high == 6
    assert session.notices == ("It broke.",)


def test_a_contradiction_shows_its_correction_and_a_pitfall_costs() -> None:
    session = followed(judged(after(opened(explain()), said("not sun, and myth"))), "moon")
    (feedback,) = texts(session, TurnKind.FEEDBACK)
    assert "There is a sun." in feedback
    assert "“not sun”" in feedback
    assert "A fault" in feedback
    assert session.results[0].score is not None
    assert session.results[0].score.earned == pytest.approx(3 * 0.75 - 1)


def test_an_exam_says_nothing_of_verdicts_before_its_end() -> None:
    session = opened(explain(), Mode.EXAM, questions=2)
    session = followed(judged(after(session, said("sun"))), "not moon")
    assert session.phase is Phase.CHOOSING
    spoken = " ".join(turn.text for turn in session.turns if turn.speaker == "interviewer")
    assert "“sun”" not in spoken
    assert not texts(session, TurnKind.FEEDBACK)
    session = after(session, NoneLeft(20.0, 0.1))
    assert session.phase is Phase.ENDED
    assert "“sun”" in texts(session, TurnKind.FEEDBACK)[0]


def test_requests_change_no_verdict_and_are_answered() -> None:
    session = opened(explain())
    for intent, reply, expected in (
        (Intent.CLARIFY, "Any sea.", "Any sea."),
        (Intent.CLARIFY, "", "notes"),
        (Intent.REPEAT, "", "What do you know of tides?"),
        (Intent.SMALL_TALK, "", ""),
    ):
        session = after(session, said("please", intent, reply))
        assert session.phase is Phase.ANSWERING
        assert session.turns[-2].kind is TurnKind.REQUEST
        assert expected in session.turns[-1].text
    assert session.results[0].scores == ()


def test_repeat_during_a_follow_up_repeats_the_follow_up() -> None:
    session = after(judged(after(opened(explain()), said("wind"))), FollowedUp(12.0, 0.3), said("again", Intent.REPEAT))
    assert "worth 3?" in session.turns[-1].text


def test_skipping_counts_as_missed_and_skipping_a_follow_up_keeps_what_was_earned() -> None:
    session = after(opened(explain()), Skipped(5.0, 0.1))
    assert session.results[0].skipped
    assert session.overall is not None
    assert session.overall.value == 0
    session = judged(after(opened(explain()), said("moon")))
    session = after(session, FollowedUp(12.0, 0.3), said("skip", Intent.SKIP))
    assert not session.results[0].skipped
    assert session.overall is not None
    assert session.overall.earned == 3


def test_stopping_leaves_an_unanswered_question_out_in_practice_and_counts_it_in_an_exam() -> None:
    practice = after(opened(explain()), Stopped(5.0, 0.1))
    assert practice.phase is Phase.ENDED
    assert practice.overall is None
    assert practice.results[0].score is None
    exam = after(opened(explain(), Mode.EXAM), said("stop", Intent.STOP))
    assert exam.overall is not None
    assert exam.overall.value == 0


def test_right_code_is_explained_once_then_the_question_closes() -> None:
    session = ran(after(opened(code()), Submitted(5.0, RIGHT, 0.1)))
    assert session.turns[-2].kind is TurnKind.RESULT
    assert "3 of 3" in session.turns[-2].text
    assert session.turns[-1].kind is TurnKind.FOLLOW_UP
    assert session.turns[-1].point_id == ""
    session = judged(after(session, said("carry, shift")))
    assert session.phase is Phase.ENDED
    assert verdicts(session)["carry"] == (Verdict.MET, 1.0)
    assert session.overall is not None
    assert session.overall.value == 1.0


def test_an_explanation_before_the_code_waits_for_the_code() -> None:
    session = judged(after(opened(code()), said("carry and shift")))
    assert session.phase is Phase.ANSWERING
    session = ran(after(session, Submitted(5.0, RIGHT, 0.1)))
    assert session.phase is Phase.ENDED


def test_practice_has_five_submissions_and_the_last_counts() -> None:
    session = opened(code())
    for number in range(5):
        assert submissions_left(session) == 5 - number
        session = ran(after(session, Submitted(5.0, f"# {number}", 0.1)), right=number == 0, name=f"r{number}")
        if number == 0:
            assert session.phase is Phase.ANSWERING  # it passed; the explanation is awaited
    assert verdicts(session)["value"][0] is Verdict.NOT_MET
    assert len(session.results[0].runs) == 5
    with pytest.raises(UserError, match="used your submissions"):
        advance(session, Submitted(6.0, RIGHT, 0.1))


def test_an_exam_has_one_submission_and_keeps_its_cases_for_the_end() -> None:
    session = ran(after(opened(code(), Mode.EXAM), Submitted(5.0, "nope", 0.1)), right=False)
    (result,) = texts(session, TurnKind.RESULT)
    assert "✗" not in result
    assert submissions_left(session) == 0
    assert session.turns[-1].kind is TurnKind.FOLLOW_UP


def test_a_broken_box_costs_no_submission_and_no_verdict() -> None:
    session = ran(after(opened(code()), Submitted(5.0, RIGHT, 0.1)), status=RunStatus.BOX_BROKEN)
    assert submissions_left(session) == 5
    assert verdicts(session)["value"][0] is Verdict.UNGRADED
    assert any("sandbox failed" in notice for notice in session.notices)


def test_a_whole_block_in_a_chat_answer_is_a_submission_and_its_words_are_judged() -> None:
    session = after(opened(code()), said(f"With a carry:\n```python\n{RIGHT}```"))
    (action,) = pending(session)
    assert isinstance(action, Run)
    assert action.checked
    assert action.code == RIGHT
    session = judged(ran(session))
    assert verdicts(session)["value"][0] is Verdict.MET
    assert verdicts(session)["carry"][0] is Verdict.MET


def test_a_fragment_is_only_run_and_lowers_nothing() -> None:
    session = ran(after(opened(code()), Submitted(5.0, RIGHT, 0.1)))
    before = session.results[0].scores
    session = after(session, said("```python\nprint(1)\n```"))
    (action,) = pending(session)
    assert isinstance(action, Run)
    assert not action.checked
    session = ran(session, name="r2")
    assert session.results[0].scores == before
    assert "out" in session.turns[-1].text
    assert submissions_left(session) == 4


def test_code_alone_on_a_question_in_words_is_run_and_asks_for_words() -> None:
    session = ran(after(opened(explain()), Submitted(5.0, "print(1)", 0.1)))
    assert session.phase is Phase.ANSWERING
    assert session.results[0].scores == ()
    assert "words" in session.turns[-1].text


def test_finishing_asks_once_for_the_explanation_then_closes() -> None:
    session = ran(after(opened(code()), Submitted(5.0, "nope", 0.1)), right=False)
    session = after(session, Finished(6.0, 0.1))
    assert session.phase is Phase.ANSWERING
    assert session.turns[-1].kind is TurnKind.FOLLOW_UP
    session = after(session, Finished(7.0, 0.1))
    assert session.phase is Phase.ENDED
    assert verdicts(session)["carry"][0] is Verdict.NOT_MET


def test_each_question_leads_to_the_next_and_topics_are_kept() -> None:
    session = judged(after(opened(explain(), questions=2), said("moon sun wind")))
    assert session.phase is Phase.CHOOSING
    session = after(session, Chosen(20.0, code(), "next", 0.1), Skipped(21.0, 0.1))
    assert session.phase is Phase.ENDED
    assert [(topic.topic, topic.score.value) for topic in session.topics] == [("sea", 1.0), ("numbers", 0.0)]
    assert session.overall is not None
    assert session.overall.earned == 6


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([said("moon")], "not been created"),
        ([Created(1.0, 1, 0.1), Submitted(2.0, "x", 0.1)], "No question has been asked"),
        ([Created(1.0, 1, 0.1), Created(1.0, 1, 0.1)], "created already"),
        ([Created(1.0, 1, 0.1), Planned(2.0, Plan(questions=11), 0.1)], "from 1 to 10"),
        ([Created(1.0, 1, 0.1), Planned(2.0, Plan(), 0.1), said("moon")], "still at work"),
        ([Created(1.0, 1, 0.1), Stopped(2.0, 0.1), said("moon")], "has ended"),
    ],
)
def test_an_event_that_does_not_fit_is_refused(events: Sequence[Event], message: str) -> None:
    with pytest.raises(UserError, match=message):
        fold("s", events)


def test_hostile_text_cannot_break_out_of_what_quotes_it() -> None:
    session = opened(explain())
    session = judged(after(session, said("![x](http://evil/moon) <img src=x> moon")))
    session = followed(session, "sun ``` wind")
    (feedback,) = texts(session, TurnKind.FEEDBACK)
    assert "![" not in feedback
    run = RunReport("r", RunStatus.CRASHED, stdout_tail="```\n![x](http://evil)\n```", error="````boom")
    session = after(opened(explain()), Submitted(5.0, "print(1)", 0.1), Ran(6.0, run, 0.1))
    shown = next(turn.text for turn in session.turns if turn.kind is TurnKind.RESULT)
    assert "`````text\n````boom" in shown
    assert "````text\n```\n![x]" in shown
