"""What a report says of a session, and what it keeps to itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace

import pytest

from domain import (
    Ability,
    Mode,
    Phase,
    Plan,
    PointScore,
    QuestionResult,
    Quote,
    RunStatus,
    Session,
    TopicLevel,
    UngradedReason,
    Verdict,
)
from report import sample_bank as bank
from report.build import build, public_id
from report.html import render_html
from report.json import render_json
from report.markdown import render_markdown
from report.model import QuestionReport, Report
from report.script import LOCAL, missed, run, ungraded
from tests.report import sessions as made

kinds = pytest.mark.parametrize("make", made.KINDS.values(), ids=made.KINDS.keys())


def all_text(report: Report) -> str:
    return render_html(report) + render_json(report) + render_markdown(report)


@kinds
def test_the_same_session_gives_the_same_report(make: Callable[[], Session]) -> None:
    assert all_text(build(make(), 1.0)) == all_text(build(make(), 1.0))


@kinds
def test_the_time_of_making_changes_that_one_field(make: Callable[[], Session]) -> None:
    early, late = asdict(build(make(), 1.0)), asdict(build(make(), 90_000.0))
    assert {key for key in early if early[key] != late[key]} == {"made_at"}


@kinds
def test_the_secret_of_the_link_is_nowhere(make: Callable[[], Session]) -> None:
    session = made.with_strings(make(), lambda text: f"{text} {made.SECRET}")
    assert made.SECRET in repr(session.environment + session.notices + session.turns + (session.plan,))
    assert made.SECRET not in all_text(build(session))


def test_the_public_id_is_short_and_does_not_open_the_session() -> None:
    assert public_id(made.SECRET) == build(made.strong()).public_id
    assert len(public_id(made.SECRET)) == 10
    assert public_id(made.SECRET) not in made.SECRET


@kinds
def test_the_segments_make_up_what_was_said(make: Callable[[], Session]) -> None:
    session = make()
    for question in build(session).questions:
        own = [turn for turn in session.turns if turn.question_id == question.id]
        for turn in question.turns:
            said = own[turn.number - 1]
            only_code = said.answer is not None and said.answer.code and not said.answer.text
            assert "".join(segment.text for segment in turn.segments) == ("" if only_code else said.text)


def test_a_quote_is_resolved_to_words_in_their_place() -> None:
    first = build(made.mixed()).questions[0]
    chain = first.points[1]
    assert chain.quotes[0].text == "walks that graph backwards from the output and uses the chain rule"
    turn = next(turn for turn in first.turns if turn.number == chain.quotes[0].turn)
    assert [segment.text for segment in turn.segments if segment.earned == (2,)] == [chain.quotes[0].text]
    assert [segment.text for segment in turn.segments if segment.contradicted] == [
        "each backward call replaces what was in there before"
    ]
    assert [segment.text for segment in turn.segments if segment.misheard] == ["tensors"]


def test_overlapping_quotes_are_cut_apart() -> None:
    session = made.one_answer("one two three four")
    turn = next(turn for turn in session.turns if turn.answer)
    text = turn.text
    first, second = Quote(turn.id, 0, text.index(" three")), Quote(turn.id, text.index("two"), len(text))
    scores = [
        PointScore("recorded", Verdict.MET, "", LOCAL, (first,)),
        PointScore("chain_rule", Verdict.MET, "", LOCAL, (second,)),
    ]
    question = build(made.result_of(session, 0, scores=tuple(scores))).questions[0]
    found = [(segment.text, segment.earned, segment.closing) for segment in question.turns[0].segments]
    assert found == [("one ", (1,), ()), ("two", (1, 2), (1,)), (" three four", (2,), (2,))]


@pytest.mark.parametrize("place", [(0, 5, 2), (0, -1, 4), (0, 0, 9_999), (77, 0, 4)])
def test_a_quote_that_points_nowhere_is_left_out(place: tuple[int, int, int]) -> None:
    session = made.one_answer("four words of text")
    turn_id, start, end = place
    answered = next(turn for turn in session.turns if turn.answer)
    quote = Quote(answered.id if turn_id == 0 else turn_id, start, end)
    score = PointScore("recorded", Verdict.MET, "", LOCAL, (quote,))
    question = build(made.result_of(session, 0, scores=(score,))).questions[0]
    assert question.points[0].quotes == ()
    assert "".join(segment.text for segment in question.turns[0].segments) == "four words of text"


def test_fewer_than_three_questions_on_a_topic_are_too_few_to_tell() -> None:
    topics = {topic.topic: topic for topic in build(made.mixed()).topics}
    assert topics["autograd"].enough
    assert topics["autograd"].score is not None
    assert topics["autograd"].score.percent == 72
    for name in ("layers", "inference"):
        score = topics[name].score
        assert not topics[name].enough
        assert score is not None
        assert score.percent is None
        assert score.text.startswith("Too few questions to tell")


def test_no_headline_where_too_little_was_graded() -> None:
    report = build(made.unjudged())
    assert report.overall is not None
    assert report.overall.percent is None
    assert (report.overall.low_percent, report.overall.high_percent) == (14, 100)
    assert report.overall_text.startswith("No headline score: only 14 % of the points could be graded")


def test_what_could_not_be_graded_is_listed_with_its_reason() -> None:
    report = build(made.unjudged())
    assert len(report.ungraded) == 7
    assert "could not tell from your words" in report.ungraded[0].reason_text
    assert all("our fault" in item.reason_text for item in report.ungraded[1:])
    assert report.questions[0].points[1].earned == "2 points not counted"


def test_bounds_are_told_where_something_is_open() -> None:
    overall = build(made.mixed()).overall
    assert overall is not None
    assert (overall.low_percent, overall.percent, overall.high_percent) == (56, 60, 62)
    assert "between 56 % and 62 %" in overall.text


def test_three_things_to_study_are_the_costliest_from_different_questions() -> None:
    report = build(made.mixed())
    assert [(item.question, item.point, item.problem) for item in report.study] == [
        (1, 3, "wrong"),
        (2, 3, "failed"),
        (5, 2, "missing"),
    ]
    assert report.study[0].correction.startswith("backward() adds to .grad")
    assert report.study[1].found.startswith("the second derivative: The gradient of the gradient")
    assert all(item.read and item.matters for item in report.study)


def test_code_that_never_came_to_a_case_says_why_at_the_thing_to_study() -> None:
    found = [item.found for item in build(made.all_code()).study]
    assert found == ["Not shown: the time ran out.", "Not shown: the time ran out.", ""]


def test_what_was_not_graded_is_nothing_to_study() -> None:
    assert build(made.unjudged()).study == ()
    assert build(made.strong()).study == ()
    assert build(made.strong()).study_text.startswith("Nothing stands out")


def test_the_last_checked_run_counts_and_a_broken_box_does_not() -> None:
    session = made.all_code()
    assert [run.counts for run in build(session).questions[0].submissions] == [False, True]
    broken = replace(session.results[0].runs[1], status=RunStatus.BOX_BROKEN)
    session = made.result_of(session, 0, runs=(session.results[0].runs[0], broken))
    assert [run.counts for run in build(session).questions[0].submissions] == [True, False]


def test_each_run_shows_the_code_that_it_ran() -> None:
    question = build(made.all_code()).questions[0]
    assert [run.code for run in question.submissions] == [bank.SWISH_CODE, bank.SWISH.model_code]
    assert [turn.submission for turn in question.turns] == [1, 2]
    assert all(turn.code == "" for turn in question.turns)


def test_code_that_was_only_tried_is_told_apart() -> None:
    (run_of_code,) = build(made.tried()).questions[0].submissions
    assert (run_of_code.submitted, run_of_code.counts, run_of_code.turn) == (False, False, 2)
    assert run_of_code.name == "Code that was tried, run 1"


def test_values_of_hidden_cases_are_never_told() -> None:
    session = made.all_code()
    runs = tuple(
        replace(run, cases=tuple(replace(case, values=(("expected", "42.4242"),)) for case in run.cases))
        for run in session.results[0].runs
    )
    cases = build(made.result_of(session, 0, runs=runs)).questions[0].submissions[-1].cases
    assert [case.name for case in cases if case.values] == ["documented-example"]


def test_a_failed_case_names_its_aspect_at_the_point() -> None:
    point = build(made.mixed()).questions[1].points[2]
    assert (point.outcome, point.label) == ("missing", "Failed")
    assert (point.cases[0].aspect, point.cases[0].passed, point.cases[0].submission) == (
        "the second derivative",
        False,
        2,
    )


def test_an_open_question_keeps_its_rubric_and_model_answer() -> None:
    text = all_text(build(made.interrupted()))
    assert bank.AUTOGRAD.points[1].says in text
    for secret in (bank.SWISH.points[2].says, "compute the sigmoid again", bank.SWISH.errata[0].fact, "extending.html"):
        assert secret not in text
    assert build(made.interrupted()).questions[1].state == "open"


def test_a_running_exam_tells_no_verdict_at_all() -> None:
    report = build(made.exam_running())
    assert report.overall is None
    assert (report.topics, report.study, report.judges) == ((), (), ())
    text = all_text(report)
    assert bank.AUTOGRAD.points[1].says not in text
    assert "Credited" not in render_markdown(report)
    ended = replace(made.exam_running(), ended_at=made.exam_running().created_at + 100)
    assert build(ended).questions[0].points[0].outcome == "met"


def test_a_question_left_open_at_the_end_does_not_count() -> None:
    report = build(made.stopped())
    assert (report.state, report.questions[1].state) == ("stopped", "left")
    assert report.topics[0].questions == 1
    assert report.topics[0].coverage.ungraded == 0
    assert "2 of 3 planned questions" in report.state_text


def test_a_skipped_question_says_so() -> None:
    question = build(made.weak()).questions[1]
    assert (question.state, question.state_text) == ("skipped", "You skipped this question.")


def test_a_pitfall_is_told_as_a_fault() -> None:
    pitfall = replace(bank.AUTOGRAD.points[4], id="fault", worth=-1)
    question = replace(bank.AUTOGRAD, points=(*bank.AUTOGRAD.points, pitfall))
    session = made.one_answer("text")
    base = session.results[0].scores
    for verdict, outcome, earned in (
        (Verdict.MET, "fault", "−1 point"),
        (Verdict.NOT_MET, "avoided", "no deduction"),
        (Verdict.UNGRADED, "ungraded", "1 point not counted"),
    ):
        reason = UngradedReason.UNCERTAIN if verdict is Verdict.UNGRADED else None
        score = PointScore("fault", verdict, "", LOCAL, reason=reason)
        point = build(made.result_of(session, 0, question=question, scores=(*base, score))).questions[0].points[5]
        assert (point.outcome, point.earned) == (outcome, earned)


def test_help_halves_what_a_point_earns_and_is_said() -> None:
    point = build(made.mixed()).questions[0].points[3]
    assert (point.earned, point.credit) == ("0.75 of 1 point", 0.75)
    assert "since it came only after help" in render_html(build(made.mixed()))


def test_a_point_without_a_verdict_is_not_graded() -> None:
    report = build(made.result_of(made.one_answer("text"), 0, scores=()))
    assert {point.reason for point in report.questions[0].points} == {"not_judged"}


def test_judges_are_counted_over_the_report() -> None:
    judges = build(made.mixed()).judges
    assert [(judge.judge, judge.model, judge.version, judge.points) for judge in judges] == [
        ("local", "all-MiniLM-L6-v2", "rules 3", 14),
        ("run", "", "", 5),
    ]


def test_a_later_grading_stands_beside_the_first_and_changes_nothing_of_it() -> None:
    report, first = build(made.regraded()), build(made.weak())
    assert replace(report, regrades=()) == first
    (again,) = report.regrades
    assert again.text.startswith("15 % overall, where the interview gave 0 %. 3 verdicts differ.")
    assert [(row.before, row.after) for row in again.questions[0].differences] == [
        ("Missed", "Credited"),
        ("Missed", "–"),
        ("–", "Missed"),
    ]


def test_a_passage_stands_with_the_thing_to_study_that_it_is_about() -> None:
    study = build(made.mixed()).study
    assert [len(item.passages) for item in study] == [1, 0, 0]
    assert study[0].passages[0].title == "How autograd works > Where gradients land"
    assert "<code>.grad</code>" in render_html(build(made.mixed())).partition("study-h")[2].partition("</details>")[0]


def test_a_level_has_bounds_and_is_told_only_where_enough_was_asked() -> None:
    session = made.mixed()
    levels = (*session.levels, TopicLevel("layers", 1, Ability(1.0, 0.9)))
    topics = {topic.topic: topic for topic in build(replace(session, levels=levels)).topics}
    level = topics["autograd"].level
    assert level is not None
    assert (level.low_percent, level.percent, level.high_percent) == (48, 67, 81)
    assert "expect about 67 % of the points (four times in five between 48 and 81 %)" in topics["autograd"].level_text
    assert (topics["layers"].level, topics["layers"].level_text) == (None, "")


def test_the_trend_ends_with_this_interview_and_needs_an_earlier_one() -> None:
    report = build(made.mixed())
    assert [item.percent for item in report.trend] == [41, 56, 60]
    assert '<svg class="trend"' in render_html(report)
    assert build(replace(made.mixed(), earlier=())).trend == ()
    assert build(replace(made.unjudged(), earlier=made.mixed().earlier)).trend == ()


def test_both_verdicts_of_a_dispute_are_told() -> None:
    (dispute,) = build(made.mixed()).disputes
    assert (dispute.question, dispute.point, dispute.first, dispute.second) == (4, 4, "Missed", "Missed")
    assert dispute.text.startswith(
        "Your reason: “I know it, I was just not asked.”. First verdict: Missed. Second look"
    )
    running = replace(made.mixed(), plan=Plan(mode=Mode.EXAM), ended_at=None, phase=Phase.ANSWERING)
    assert build(running).disputes == ()


def test_the_rubric_that_a_question_was_judged_by_is_named() -> None:
    session = made.one_answer("text")
    scores = tuple(replace(item, judged_by=replace(LOCAL, rubric="0a1b2c3d4e5f")) for item in session.results[0].scores)
    report = build(made.result_of(session, 0, scores=scores))
    assert report.questions[0].rubric == "0a1b2c3d4e5f"
    assert "Rubric 0a1b2c3d4e5f" in render_html(report)


def test_turns_of_another_question_stay_there() -> None:
    def said(question: QuestionReport) -> str:
        return "".join(segment.text for turn in question.turns for segment in turn.segments)

    report = build(made.mixed())
    assert "retain_graph" in said(report.questions[0])
    assert "retain_graph" not in said(report.questions[1])


def test_many_misheard_words_take_no_time() -> None:
    text = "ab " * 16_000
    heard = tuple((at, at + 2) for at in range(0, len(text), 3))
    (question,) = build(made.one_answer(text, heard=heard)).questions
    assert sum(segment.misheard for segment in question.turns[0].segments) == len(heard)


def test_an_empty_session_is_a_report_too() -> None:
    report = build(Session(made.SECRET, 0, 0.0))
    assert (report.state, report.questions, report.seconds) == ("unfinished", (), None)


def test_times_that_no_calendar_holds_are_left_out() -> None:
    assert build(replace(made.strong(), created_at=1e300)).started_at == ""


def test_a_result_without_turns_or_scores_is_shown() -> None:
    session = replace(made.empty(), results=(QuestionResult(bank.SWISH, closed_at=1.0),), plan=Plan(mode=Mode.EXAM))
    question = build(session).questions[0]
    assert (question.state, question.turns, question.submissions) == ("left", (), ())


def test_unknown_judges_and_runs_without_a_turn_are_shown_as_they_are() -> None:
    session = made.one_answer("text")
    judge = replace(LOCAL, judge="panel")
    scores = (replace(missed("recorded"), judged_by=judge), ungraded("freed", UngradedReason.NOT_ASKED))
    session = made.result_of(session, 0, scores=scores, runs=(run(9, RunStatus.CRASHED),))
    question = build(session).questions[0]
    assert question.points[0].judge is not None
    assert question.points[0].judge.name == "panel"
    assert "not asked" in question.points[3].reason_text
    assert (question.submissions[0].turn, question.submissions[0].code) == (0, "")
