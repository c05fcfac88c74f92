"""Whatever happens in whatever order: the invariants of a session, and replay at every prefix."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from domain import (
    Answer,
    Case,
    Intent,
    Mode,
    Phase,
    Plan,
    PointReference,
    RunReport,
    RunStatus,
    Session,
    StoredEvent,
    UngradedReason,
    UserError,
    Verdict,
)
from grader.cases import score_cases
from interview import actions
from interview.events import (
    Chosen,
    Created,
    Disputed,
    Event,
    Finished,
    FollowedUp,
    HintAsked,
    Imported,
    Judged,
    JudgedAgain,
    NoneLeft,
    Paused,
    Planned,
    Ran,
    Resumed,
    Said,
    Skipped,
    Stopped,
    Submitted,
    TimedOut,
    dump,
    load_all,
)
from interview.session import advance, blank, fold, pending, submissions_left
from tests.interview.making import WordJudge, code, explain

CODE = "def twice(x):\n    return x + x\n"
TEXTS = [
    "moon",
    "not moon, sun?",
    "wind and myth",
    "",
    f"carry\n```python\n{CODE}```",
    "```python\nprint(1)\n```",
    CODE,
]
draws = st.floats(0, 1, exclude_max=True)
words = st.builds(Answer, st.sampled_from(TEXTS))

free = st.one_of(
    st.builds(Created, st.just(1.0), st.integers(0, 9), draws),
    st.builds(
        Planned, st.just(2.0), st.builds(Plan, questions=st.integers(0, 3), mode=st.sampled_from(list(Mode))), draws
    ),
    st.builds(Said, st.just(3.0), words, st.sampled_from(list(Intent)), draws),
    st.builds(Submitted, st.just(4.0), st.sampled_from(["x", CODE]), draws),
    st.builds(HintAsked, st.just(5.0), draws),
    st.builds(Skipped, st.just(5.0), draws),
    st.builds(Finished, st.just(5.0), draws),
    st.builds(Stopped, st.just(5.0), draws),
    st.builds(Paused, st.just(5.0), draws),
    st.builds(Resumed, st.just(8.0), draws),
    st.builds(TimedOut, st.sampled_from([5.0, 500.0]), draws),
    st.builds(
        Disputed, st.just(6.0), st.builds(PointReference, st.just("tides"), st.sampled_from(["moon", "myth"])), draws
    ),
    st.builds(Imported, st.just(5.0), st.just("d")),
    st.builds(NoneLeft, st.just(6.0), draws),
    st.builds(FollowedUp, st.just(6.0), draws),
    st.builds(Ran, st.just(6.0), st.builds(RunReport, st.text(max_size=3), st.sampled_from(list(RunStatus))), draws),
    st.builds(Judged, st.just(6.0), st.just(()), draws),
    st.builds(Chosen, st.just(6.0), st.sampled_from([explain(), code()]), st.just("why"), draws, st.just(300.0)),
)
# Half of the steps do what is pending first, so that deep states are reached.
steps_taken = st.lists(st.tuples(st.booleans(), free), max_size=25)


def outcome(session: Session, number: int) -> Event | None:
    """What the service would answer to what is pending."""
    todo = pending(session)
    if not todo:
        return None
    result = session.results[-1] if session.results else None
    match todo[0]:
        case actions.Choose():
            left = [q for q in (explain(), code()) if q.id not in {item.question.id for item in session.results}]
            return Chosen(7.0, left[0], "why", 0.5) if left else NoneLeft(7.0, 0.5)
        case actions.Run(checked=checked):
            assert result is not None
            right = number % 3 != 0
            status = [RunStatus.OK if right else RunStatus.WRONG, RunStatus.BOX_BROKEN, RunStatus.TIMED_OUT][number % 3]
            cases = (Case("small", "a", True), Case("large", "b", right), Case("kind", "c", right)) if checked else ()
            run = RunReport(f"run{number}", status, cases)
            return Ran(7.0, run, 0.5, tuple(score_cases(result.question, [run])) if checked else ())
        case actions.Judge(points=points):
            assert result is not None
            answers = [turn for turn in session.turns if turn.kind == "answer"]
            asked = [result.question.point(name) for name in points]
            return Judged(7.0, tuple(WordJudge().judge(result.question, asked, answers)), 0.5)
        case actions.JudgeAgain(about=about):
            (score,) = WordJudge().judge(explain(), [explain().point(about.point_id)], [])
            return JudgedAgain(7.0, about, score, 0.5)
        case _:
            return FollowedUp(7.0, 0.5)


def check(session: Session) -> None:
    """What holds of every session."""
    assert [turn.id for turn in session.turns] == list(range(len(session.turns)))
    assert all(turn.text or turn.answer for turn in session.turns)
    assert len(pending(session)) <= 1
    assert (session.phase is Phase.ENDED) == (session.ended_at is not None)
    assert len({result.question.id for result in session.results}) == len(session.results)
    for number, result in enumerate(session.results):
        ids = [item.point_id for item in result.scores]
        assert len(set(ids)) == len(ids)
        for item in result.scores:
            assert (item.verdict is Verdict.UNGRADED) == (item.reason is not None)
            assert item.reason is not UngradedReason.NOT_ASKED or item.verdict is Verdict.UNGRADED
            assert item.credit in (1.0, 0.75, 0.5)
        assert len(result.follow_ups) == len(set(result.follow_ups)) <= 2
        assert len({item.point_id for item in result.disputes}) == len(result.disputes)
        assert len({run.id for run in result.runs}) == len(result.runs)
        assert result.closed_at is not None or number == len(session.results) - 1
        assert result.closed_at is None or not result.following_up
        if result.score is not None:
            assert result.closed_at is not None
            assert 0 <= result.score.low <= result.score.earned <= result.score.high <= result.score.worth
    if session.current is not None:
        assert session.phase in (Phase.ANSWERING, Phase.RUNNING, Phase.JUDGING, Phase.PAUSED)
        assert 0 <= submissions_left(session) <= 5
    closed = [result.score for result in session.results if result.score is not None]
    assert (session.overall is None) == (not closed)
    if session.overall is not None:
        assert session.overall.worth == sum(score.worth for score in closed)
        assert sum(topic.questions for topic in session.topics) == len(closed)


@settings(max_examples=300, deadline=None)
@given(steps_taken)
def test_any_sequence_of_events_keeps_the_invariants_and_replays(steps: list[tuple[bool, Event]]) -> None:
    session = blank("s")
    log: list[StoredEvent] = []
    live: list[Session] = []
    taken: list[Event | None] = [Created(1.0, 3, 0.5, most_follow_ups=2), Planned(2.0, Plan(questions=2), 0.5), None]
    for work, step in steps:
        taken += [None, step] if work else [step]
    for number, step_or_work in enumerate(taken):
        event = step_or_work or outcome(session, number)
        if event is None:
            continue
        try:
            session, done = advance(session, event)
        except UserError:
            continue
        assert [item for item in done if not isinstance(item, actions.Say)] == list(pending(session))
        check(session)
        log.append(StoredEvent(len(log), event.kind, dump(event), event.at))
        live.append(session)
    events = load_all(log)
    for length, expected in enumerate(live, start=1):
        if length % 5 == 0 or length == len(live):
            assert fold("s", events[:length]) == expected
