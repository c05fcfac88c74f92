"""The service: what is stored before what is done, interruptions, two tabs, two people, and faults of its parts."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NoReturn

import pytest

from domain import (
    Answer,
    Mode,
    Phase,
    Plan,
    Session,
    StoredEvent,
    Submission,
    TurnKind,
    UngradedReason,
    UserError,
    Verdict,
)
from interview.events import load_all
from interview.service import InterviewService
from interview.session import fold, pending
from interview.store import SQLiteStore
from tests.interview.making import WordBox, WordJudge, code, explain, last, service

RIGHT = "def twice(x):\n    return x + x\n"


def started(held: InterviewService, plan: Plan | None = None) -> Session:
    """A session with its first question asked."""
    return last(held.begin(held.create().id, plan or Plan(questions=2)))


def test_a_whole_interview_yields_a_snapshot_after_each_stored_event(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    held, store = service(path), SQLiteStore(path)
    session = held.create()
    steps = [
        held.begin(session.id, Plan(questions=2)),
        held.say(session.id, Answer("sun")),
        held.say(session.id, Answer("the moon and the wind")),
        held.submit(session.id, "def twice(x):\n    return x\n"),
        held.submit(session.id, RIGHT),
        held.say(session.id, Answer("carry and shift")),
    ]
    for step in steps:
        for snapshot in step:
            session = snapshot
            stored = store.events(session.id)
            assert fold(session.id, load_all(stored)) == snapshot
    assert session.phase is Phase.ENDED
    assert session.overall is not None
    assert session.overall.earned == pytest.approx(2 + 0.75 * 4 + 7)
    assert [run.passed for run in session.results[1].runs] == [False, True]
    assert held.session(session.id) == session
    for length in range(1, len(stored) + 1):
        fold(session.id, load_all(stored[:length]))


def test_degradation_is_told_at_the_start_and_when_it_happens(tmp_path: Path) -> None:
    session = service(tmp_path / "a.db", notices=("The disk forgets.",)).create()
    text = " ".join(session.notices)
    assert "local judge" in text
    assert "without a cgroup" in text
    assert "The disk forgets." in text
    assert dict(session.environment)["sandbox"] == "L2"


def test_free_words_make_the_plan(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = held.create()
    session = last(held.say(session.id, Answer("hello")))
    assert session.phase is Phase.SETUP
    session = last(held.say(session.id, Answer("15 hard questions on the sea, as an exam please")))
    assert session.plan.questions == 10
    assert session.plan.topics == ("sea",)
    assert session.plan.mode is Mode.EXAM
    assert session.phase is Phase.ANSWERING
    assert any("1 to 10" in turn.text for turn in session.turns)


@pytest.mark.parametrize("text", ["hi there", "what can you ask me?", "come again?", "thanks"])
def test_talk_before_the_first_question_starts_nothing(tmp_path: Path, text: str) -> None:
    held = service(tmp_path / "a.db")
    session = last(held.say(held.create().id, Answer(text)))
    assert session.phase is Phase.SETUP
    assert session.turns[-1].kind is TurnKind.REPLY


def test_a_plan_may_be_put_as_a_question(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = last(held.say(held.create().id, Answer("Can we do 2 easy questions on the sea?")))
    assert session.phase is Phase.ANSWERING
    assert session.plan.questions == 2


def test_unknown_sessions_are_told(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    for call in (lambda: held.session("nobody"), lambda: last(held.skip("nobody")), lambda: held.export("nobody")):
        with pytest.raises(UserError, match="no interview under this link"):
            call()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "nothing in your answer"),
        (" \n\t", "nothing in your answer"),
        ("\u200b\u2060", "nothing in your answer"),
        ("x" * 20_001, "20,001 characters"),
        ("moon\0", r"U\+0000 in line 1"),
        ("a\nb\x1b[31m", r"U\+001B in line 2"),
        ("\ud800", r"U\+D800"),
    ],
)
def test_what_cannot_be_taken_changes_nothing(tmp_path: Path, text: str, message: str) -> None:
    held = service(tmp_path / "a.db")
    session = started(held)
    with pytest.raises(UserError, match=message):
        last(held.say(session.id, Answer(text)))
    with pytest.raises(UserError):
        last(held.submit(session.id, text))
    assert held.session(session.id) == session
    assert last(held.say(session.id, Answer("moon, sun, wind"))).results[0].score is not None


def test_an_interruption_after_any_event_is_taken_up_and_nothing_is_graded_twice(tmp_path: Path) -> None:
    """The generator is dropped after each of its snapshots in turn, as a closed tab does."""
    for stop_after in range(1, 5):
        judge, box = WordJudge(), WordBox()
        held = service(tmp_path / f"{stop_after}.db", [code(), explain()], judge=judge, sandbox=box)
        session = started(held)
        step = held.say(session.id, Answer(f"carry\n```python\n{RIGHT}```"))
        for _ in range(stop_after):
            session = next(step)
        step.close()  # type: ignore[attr-defined]
        session = last(held.resume(session.id))
        assert pending(session) == ()
        assert len(box.runs) == 1
        assert len(judge.calls) == 1
        assert session.turns[-1].kind is TurnKind.FOLLOW_UP


def test_resuming_with_nothing_to_do_shows_the_session(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = started(held)
    assert list(held.resume(session.id)) == [session]


def test_a_step_after_an_interruption_first_finishes_it_and_asks_to_look_again(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = started(held)
    next(held.say(session.id, Answer("sun"))).phase  # noqa: B018 - dropped at once
    with pytest.raises(UserError, match="went on meanwhile"):
        last(held.say(session.id, Answer("moon, meant for what I saw")))
    after = held.session(session.id)
    assert after.turns[-1].kind is TurnKind.FOLLOW_UP
    assert not any("meant for" in turn.text for turn in after.turns)


def test_stopping_works_while_something_is_pending(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = started(held)
    next(held.say(session.id, Answer("sun")))
    session = last(held.stop(session.id))
    assert session.phase is Phase.ENDED
    assert session.overall is not None
    assert session.overall.earned == 2
    assert list(held.stop(session.id)) == []


def test_a_stale_page_is_refused(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = started(held)
    last(held.hint(session.id))
    with pytest.raises(UserError, match="went on meanwhile"):
        last(held.say(session.id, Answer("moon"), seen=len(session.turns)))
    last(held.say(session.id, Answer("moon"), seen=len(held.session(session.id).turns)))


def test_a_second_tab_waits_and_is_told(tmp_path: Path) -> None:
    judging, go = threading.Event(), threading.Event()

    def wait() -> None:
        judging.set()
        assert go.wait(30)

    held = service(tmp_path / "a.db", judge=WordJudge(wait))
    session = started(held)
    first = threading.Thread(target=lambda: last(held.say(session.id, Answer("moon, sun, wind"))))
    first.start()
    assert judging.wait(30)
    problems: list[str] = []

    def second_tab() -> None:
        try:
            last(held.say(session.id, Answer("from the other tab"), seen=len(session.turns)))
        except UserError as error:
            problems.append(str(error))

    second = threading.Thread(target=second_tab)
    second.start()
    go.set()
    first.join(30)
    second.join(30)
    assert len(problems) == 1
    assert "meanwhile" in problems[0]
    after = held.session(session.id)
    assert sum(turn.kind is TurnKind.ANSWER for turn in after.turns) == 1


def test_a_second_tab_does_not_wait_for_ever(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db", patience=0.05)
    session = started(held)
    step = held.say(session.id, Answer("moon"))
    next(step)
    with pytest.raises(UserError, match="busy in another tab"):
        last(held.hint(session.id))
    last(step)


def test_two_processes_cannot_fork_a_history(tmp_path: Path) -> None:
    """Two services over one file, as two processes are: only the first event under a number is taken in."""
    one, two = service(tmp_path / "a.db"), service(tmp_path / "a.db")
    session = started(one)

    class Late(SQLiteStore):
        """Lets the other process write between reading and writing."""

        done = False

        def append(self, session_id: str, event: StoredEvent) -> None:
            """Append, after the other did."""
            if not self.done:
                self.done = True
                last(two.hint(session.id))
            super().append(session_id, event)

    late = service(tmp_path / "a.db", store=Late(tmp_path / "a.db"))
    with pytest.raises(UserError, match="another tab"):
        last(late.say(session.id, Answer("moon")))
    after = one.session(session.id)
    assert after.turns[-1].kind is TurnKind.HINT
    assert not any(turn.kind is TurnKind.ANSWER for turn in after.turns)


def test_people_at_once_do_not_wait_for_each_other_and_are_never_mixed(tmp_path: Path) -> None:
    people = 8
    together = threading.Barrier(people)  # breaks unless all are being judged at the same time

    def wait() -> None:
        together.wait(30)

    held = service(tmp_path / "a.db", [explain()], judge=WordJudge(wait))
    sessions = [started(held, Plan(questions=1)) for _ in range(people)]
    assert len({session.id for session in sessions}) == people
    threads = [
        threading.Thread(target=lambda number=number, session=session: last(held.say(session.id, _own(number))))
        for number, session in enumerate(sessions)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for number, session in enumerate(sessions):
        after = held.session(session.id)
        assert after.phase is Phase.ENDED
        spoken = [turn.text for turn in after.turns if turn.speaker == "candidate"]
        assert spoken == [_own(number).text]


def _own(number: int) -> Answer:
    return Answer(f"moon, sun, wind by person {number}")


def test_session_ids_are_secrets_of_128_bits(tmp_path: Path) -> None:
    ids = {service(tmp_path / "a.db").create().id for _ in range(20)}
    assert len(ids) == 20
    assert all(len(session_id) == 32 and int(session_id, 16) >= 0 for session_id in ids)


def test_a_judge_that_raises_makes_points_ungraded_and_the_interview_goes_on(tmp_path: Path) -> None:
    def broken() -> NoReturn:
        raise RuntimeError("secret detail")

    held = service(tmp_path / "a.db", judge=WordJudge(broken))
    session = last(held.say(started(held).id, Answer("moon")))
    scores = session.results[0].scores
    assert {item.verdict for item in scores} == {Verdict.UNGRADED}
    assert not any("secret detail" in item.why for item in scores)
    assert session.results[0].score is not None
    assert session.results[0].score.value is None
    assert len(session.results) == 2


def test_a_sandbox_that_raises_costs_nothing(tmp_path: Path) -> None:
    class Broken(WordBox):
        """Raises."""

        def run(self, submission: Submission) -> NoReturn:
            """Raise."""
            raise RuntimeError("secret detail")

    held = service(tmp_path / "a.db", [code()], sandbox=Broken())
    session = last(held.submit(started(held).id, RIGHT))
    assert {item.verdict for item in session.results[0].scores} == {Verdict.UNGRADED}
    assert not any("secret detail" in turn.text for turn in session.turns)
    assert session.phase is Phase.ANSWERING


def test_a_broken_run_leaves_the_run_before_it_counting(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db", [code()])
    session = last(held.submit(started(held).id, RIGHT))
    session = last(held.submit(session.id, "broken box"))
    assert {item.verdict for item in session.results[0].scores} == {Verdict.MET}


def test_a_choice_that_fails_can_be_tried_again(tmp_path: Path) -> None:
    class Failing:
        """Fails once."""

        failed = False

        def choose(self, *_: object) -> object:
            """Fail, then find nothing."""
            if not self.failed:
                self.failed = True
                raise UserError("The index cannot be read.")
            return explain(), "now"

    held = service(tmp_path / "a.db", chooser=Failing())
    session = held.create()
    with pytest.raises(UserError, match="index"):
        last(held.begin(session.id, Plan()))
    assert last(held.resume(session.id)).phase is Phase.ANSWERING


def test_nothing_to_ask_ends_with_what_to_do(tmp_path: Path) -> None:
    session = started(service(tmp_path / "a.db", []))
    assert session.phase is Phase.ENDED
    assert "Start a new interview" in session.turns[-1].text


def test_a_point_that_hangs_on_a_misheard_word_is_asked_again_and_not_missed(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    session = started(held)
    text = "There is the sun and the moan."  # "moon" was said, and would have earned 3 points
    heard = ((text.index("moan"), text.index("moan") + 4),)
    session = last(held.say(session.id, Answer(text, heard=heard, seconds=4.0)))
    result = session.results[0]
    found = {score.point_id: score for score in result.scores}
    assert found["sun"].verdict is Verdict.MET
    assert (found["moon"].verdict, found["moon"].reason) == (Verdict.UNGRADED, UngradedReason.UNINTELLIGIBLE)
    asked = session.turns[-1]
    assert (asked.kind, asked.point_id) == (TurnKind.FOLLOW_UP, "moon")
    assert any(words in asked.text for words in ("could not hear", "did not reach me"))
    again = last(held.say(session.id, Answer("Nothing else comes to mind.")))
    assert {score.point_id: score.verdict for score in again.results[0].scores}["moon"] is Verdict.NOT_MET


def test_thirty_people_at_once_are_not_mixed_up(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db")
    ids = [started(held).id for _ in range(30)]
    failed: list[BaseException] = []

    def answer(number: int) -> None:
        try:
            last(held.say(ids[number], Answer(f"the moon, says number {number}.")))
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=answer, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    for number, session_id in enumerate(ids):
        said = [turn.text for turn in held.session(session_id).turns if turn.answer is not None]
        assert said == [f"the moon, says number {number}."]


def test_when_it_is_full_that_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    held = service(tmp_path / "a.db", most_at_once=1)
    one, other = started(held), started(held)
    steps = held.say(one.id, Answer("the moon"))
    next(steps)
    with pytest.raises(UserError, match="full at this moment: 1 answers"):
        last(held.say(other.id, Answer("the sun")))
    assert held.session(other.id) == other
    list(steps)
    assert last(held.say(other.id, Answer("the sun"))).turns[-1] != other.turns[-1]
