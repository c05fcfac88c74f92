"""kill -9 at every step: nothing is lost or graded twice, and the interview ends as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from domain import Answer, Phase, Proof, RunStatus, Session, Verdict
from interview.events import load_all
from interview.service import InterviewService
from interview.session import fold
from interview.store import SQLiteStore
from tests.interview.holding import DeadlyStore, Move, hold
from tests.interview.making import service

ROOT = Path(__file__).parents[2]
RIGHT = "def twice(x):\n    return x + x\n"
SCRIPT: Sequence[Move] = [
    lambda held, at: held.say(at, Answer("two questions")),
    lambda held, at: held.say(at, Answer("what do you mean by tides?")),
    lambda held, at: held.say(at, Answer("I need a break")),
    lambda held, at: held.say(at, Answer("only the sun")),
    lambda held, at: held.say(at, Answer("the moon and the wind")),
    lambda held, at: held.submit(at, "def twice(x):\n    return x\n"),
    lambda held, at: held.say(at, Answer(f"with a carry\n```python\n{RIGHT}```")),
    lambda held, at: held.say(at, Answer("shift")),
]


def held_over(path: Path, kill_after: int = -1) -> InterviewService:
    """A service over a store that kills its process after an event of that number."""
    return service(path, store=DeadlyStore(path, kill_after))


def essence(session: Session) -> tuple[object, ...]:
    """What must not depend on interruptions: all but times and the names of runs."""
    said = [(turn.kind, turn.text, turn.point_id) for turn in session.turns]
    scores = [(item.point_id, item.verdict, item.credit) for result in session.results for item in result.scores]
    runs = [(run.status, run.cases) for result in session.results for run in result.runs]
    return said, scores, runs, session.overall, session.phase


def test_killed_after_any_event_it_ends_the_same(tmp_path: Path) -> None:
    calm = service(tmp_path / "calm.db")
    expected = hold(calm, calm.create().id, SCRIPT)
    kinds = [event.kind for event in SQLiteStore(tmp_path / "calm.db").events(expected.id)]
    assert {"planned", "chosen", "said", "resumed", "submitted", "ran", "judged", "followed_up"} <= set(kinds)
    for number in range(1, len(kinds)):
        path = tmp_path / f"{number}.db"
        session_id = service(path).create().id
        child = os.fork()
        if not child:  # a process of its own, killed by its store
            try:
                hold(held_over(path, number), session_id, SCRIPT)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
        assert os.WTERMSIG(status) == signal.SIGKILL
        assert len(SQLiteStore(path).events(session_id)) == number + 1
        again = held_over(path)
        assert essence(hold(again, session_id, SCRIPT)) == essence(expected)
        stored = SQLiteStore(path).events(session_id)
        assert [event.kind for event in stored] == kinds
        assert fold(session_id, load_all(stored)) == again.session(session_id)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store with a whole interview by real parts in it, which was killed while a run, and while a judgement, was
    pending."""
    path = tmp_path_factory.mktemp("killed") / "a.db"
    session_id = service(path).create().id
    submitted, said = 3, 7
    for kill_after in (submitted, said, -1):
        done = subprocess.run(
            [sys.executable, "-m", "tests.interview.holding", str(path), session_id, str(kill_after)],
            cwd=ROOT,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        expected = 0 if kill_after < 0 else -signal.SIGKILL
        assert done.returncode == expected, done.stderr[-2000:]
        if kill_after >= 0:
            stored = SQLiteStore(path).events(session_id)
            assert stored[-1].kind == ("submitted" if kill_after == submitted else "said")
    return path, session_id


def test_killed_with_real_parts_the_interview_goes_on(killed: tuple[Path, str]) -> None:
    path, session_id = killed
    stored = SQLiteStore(path).events(session_id)
    session = fold(session_id, load_all(stored))
    assert session.phase is Phase.ENDED
    first, second = session.results
    assert [run.status for run in first.runs] == [RunStatus.WRONG, RunStatus.OK]
    assert first.score is not None
    met = {item.point_id for item in first.scores if item.verdict is Verdict.MET}
    assert {point.id for point in first.question.points if point.proof is Proof.CHECK and point.worth > 0} <= met
    assert {point.id for point in first.question.points if point.proof is Proof.SAID} & met
    assert all(item.reason != "grader_failed" for item in first.scores), first.scores
    assert second.score is not None
    assert second.score.earned == 0
    asked = [event.kind for event in stored]
    assert asked.count("ran") == 2
    assert asked.count("judged") <= asked.count("said")
