"""Builds a report from a stored session, and from nothing else: no clock, no bank, no model.

The same session and the same `made_at` always give the same report. The session's id, which is the secret of its
link, is masked wherever it stands, and every other string is kept as it is: renderers escape.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from domain import Plan, Score, Session
from report.delivery import APART, deliveries
from report.disputes import dispute_reports
from report.levels import level_of, level_text, trend_of, trend_text
from report.model import (
    SCHEMA,
    CoverageReport,
    JudgeReport,
    NamedValue,
    PlanReport,
    QuestionReport,
    Report,
    ScoreReport,
    TopicReport,
    UngradedReport,
)
from report.overrides import override_reports
from report.question import cover, has_ended, is_exam_running, question_report, score_report
from report.regrades import regrade_reports
from report.study import study_first, study_text
from report.text import scrub
from report.words import (
    DISCLAIMER,
    FRAMEWORKS,
    HELD_EXAM,
    LEVELS,
    MODES,
    count,
    few_text,
    moment,
    plan_text,
    revised_text,
    topic_name,
)

ENOUGH_QUESTIONS = 3
"""Questions on a topic below which a share of points says too little about the topic."""


def public_id(session_id: str) -> str:
    """A name for a session that does not open it: the first 10 hex digits of the SHA-256 of its id."""
    return hashlib.sha256(session_id.encode("utf-8", "replace")).hexdigest()[:10]


def build(session: Session, made_at: float | None = None) -> Report:
    """The report of a session. `made_at` is in seconds since the epoch; None leaves the time of making out."""
    name = public_id(session.id)
    session = scrub(session, session.id)
    if is_exam_running(session):
        session = replace(session, overall=None, topics=())
    questions = tuple(question_report(result, at + 1, session) for at, result in enumerate(session.results))
    study = study_first(session.results, questions, session.readings)
    state, state_text = _state(session)
    trend = trend_of(session)
    spoken = deliveries(session.results, session)
    return Report(
        schema=SCHEMA,
        public_id=name,
        made_at=moment(made_at),
        started_at=moment(session.created_at),
        ended_at=moment(session.ended_at),
        seconds=None if session.ended_at is None else max(0.0, round(session.ended_at - session.created_at, 3)),
        state=state,
        state_text=state_text,
        plan=_plan(session.plan),
        overall=score_report(session.overall) if session.overall else None,
        overall_text=_overall_text(session, len(questions)),
        trend=trend,
        trend_text=trend_text(trend),
        topics=_topics(session, questions),
        study=study,
        study_text=HELD_EXAM if is_exam_running(session) else study_text(study, questions),
        questions=questions,
        delivery=spoken,
        delivery_text=APART if spoken else "",
        regrades=regrade_reports(session),
        judges=_judges(questions),
        ungraded=_ungraded(questions),
        ungraded_text=_ungraded_text(session, questions),
        disputes=dispute_reports(session, questions),
        reader=session.invitation.reader if session.invitation else "",
        candidate=session.invitation.candidate if session.invitation else "",
        overrides=override_reports(session, questions),
        revised=score_report(session.revised) if session.revised else None,
        revised_text=revised_text(score_report(session.revised)) if session.revised else "",
        notices=session.notices,
        environment=tuple(NamedValue(name, value) for name, value in session.environment),
        disclaimer=DISCLAIMER,
    )


def _state(session: Session) -> tuple[Literal["finished", "stopped", "unfinished"], str]:
    asked, planned = len(session.results), session.plan.questions
    of_plan = f"{asked} of {count(planned, 'planned question')}"
    if not has_ended(session):
        return "unfinished", f"This interview is not finished: {of_plan} asked so far."
    if asked < planned:
        return "stopped", f"The interview ended early, after {of_plan}. What was not asked does not count."
    return "finished", f"The interview was finished: {count(asked, 'question')} asked."


def _plan(plan: Plan) -> PlanReport:
    return PlanReport(
        framework=FRAMEWORKS[plan.framework],
        level=LEVELS[plan.level] if plan.level else "any level",
        topics=tuple(topic_name(topic) for topic in plan.topics),
        focus=plan.focus,
        questions=plan.questions,
        mode=MODES[plan.mode],
        text=plan_text(plan),
    )


def _overall_text(session: Session, asked: int) -> str:
    overall = session.overall
    if not asked:
        return "No question was asked, so there is nothing to score."
    if is_exam_running(session):
        return HELD_EXAM
    if overall is None and has_ended(session):
        return "No question was finished, so there is nothing to score."
    if overall is None:
        return "No overall score yet: it is given when a question has been finished."
    text = score_report(overall).text
    scored = sum(result.score is not None for result in session.results)
    if overall.value is None or scored >= 10:
        return text
    return f"{text} From {count(scored, 'question')}: a rough indication, since others would have given another score."


def _topics(session: Session, questions: Sequence[QuestionReport]) -> tuple[TopicReport, ...]:
    """Topics in the order in which they came up. Questions that do not count, or not yet, are left out."""
    scored = {item.topic: item for item in session.topics}
    counted = [question for question in questions if question.score is not None]
    found = []
    for topic in dict.fromkeys([*(question.topic for question in counted), *scored]):
        own = [question for question in counted if question.topic == topic]
        asked = scored[topic].questions if topic in scored else len(own)
        enough = asked >= ENOUGH_QUESTIONS
        found.append(
            TopicReport(
                topic=topic,
                name=topic_name(topic),
                questions=asked,
                enough=enough,
                score=_topic_score(scored[topic].score, enough) if topic in scored else None,
                coverage=_sum(question.coverage for question in own),
                level=level_of(session, topic, enough),
                level_text=level_text(session, topic, enough),
            )
        )
    return tuple(found)


def _topic_score(score: Score, enough: bool) -> ScoreReport:
    report = score_report(score)
    return report if enough else replace(report, percent=None, text=few_text(score))


def _sum(parts: Iterable[CoverageReport]) -> CoverageReport:
    items = list(parts)
    return cover(
        met=sum(item.met for item in items),
        missing=sum(item.missing for item in items),
        wrong=sum(item.wrong for item in items),
        ungraded=sum(item.ungraded for item in items),
        faults=sum(item.faults for item in items),
    )


def _judges(questions: Sequence[QuestionReport]) -> tuple[JudgeReport, ...]:
    """Every judge that gave a verdict, in the order of its first, with the number of points that it judged."""
    counts: dict[JudgeReport, int] = {}
    for question in questions:
        for point in question.points:
            if point.judge is not None:
                # A run's version is the hash of its own check: shown with the point, one line for all of them here.
                judge = replace(point.judge, version="") if point.judge.judge == "run" else point.judge
                counts[judge] = counts.get(judge, 0) + 1
    return tuple(replace(judge, points=amount) for judge, amount in counts.items())


def _ungraded(questions: Sequence[QuestionReport]) -> tuple[UngradedReport, ...]:
    return tuple(
        UngradedReport(question.number, point.number, point.says, point.reason_text, point.why)
        for question in questions
        for point in question.points
        if point.outcome == "ungraded"
    )


def _ungraded_text(session: Session, questions: Sequence[QuestionReport]) -> str:
    if not questions:
        return "No question was asked."
    if is_exam_running(session):
        return HELD_EXAM
    if any(question.state == "open" for question in questions):
        return "The open question is not graded yet."
    if any(point.outcome == "ungraded" for question in questions for point in question.points):
        return "None of this counts against you."
    return "Everything that was asked was graded."
