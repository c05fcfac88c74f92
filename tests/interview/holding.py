"""Holds a scripted interview with the real judge, sandbox and bank, in a process that may be killed at any event.

    python -m tests.interview.holding STORE SESSION KILL_AFTER

goes on with the session where it stands (`resume` first) and kills itself, as kill -9 does, right after the event of
that number was stored; -1 never. What the candidate does next follows from how many turns they have had so far.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from domain import Answer, Embedder, Phase, Question, Session, Speaker, StoredEvent
from embed import SentenceEmbedder
from grader.local import LocalJudge
from interview.intents import IntentReader
from interview.service import InterviewService
from interview.store import SQLiteStore
from knowledge.questions import Bank, load_bank
from sandbox.backend import Sandbox
from tests.interview.making import InOrder, last

Move = Callable[[InterviewService, str], Iterator[Session]]


class DeadlyStore(SQLiteStore):
    """Kills its process right after the event of a number was stored, before anything is done about it."""

    def __init__(self, path: Path, kill_after: int) -> None:
        super().__init__(path)
        self._kill_after = kill_after

    def append(self, session_id: str, event: StoredEvent) -> None:
        """Append, then perhaps die."""
        super().append(session_id, event)
        if event.number == self._kill_after:
            os.kill(os.getpid(), signal.SIGKILL)


def real_service(
    store: SQLiteStore, bank: Bank, embedder: Embedder, sandbox: Sandbox, questions: Sequence[Question]
) -> InterviewService:
    """The service over real parts; only the order of the questions is given."""
    return InterviewService(
        store=store,
        chooser=InOrder(questions),
        judge=LocalJudge(embedder),
        sandbox=sandbox,
        check_path=bank.check_path,
        topics=dict.fromkeys(bank.topics, ()),
        intents=IntentReader(embedder),
    )


def strong(bank: Bank, question_id: str, number: int = 0) -> str:
    """A strong labelled answer."""
    return [item.text for item in bank.answers(question_id) if item.kind == "strong"][number]


def right(bank: Bank, question_id: str) -> str:
    """A right submission."""
    return bank.submissions(question_id, "right")[0].read_text()


def wrong(bank: Bank, question_id: str, name: str) -> str:
    """A wrong submission, by its file's name."""
    return next(path for path in bank.submissions(question_id, "wrong") if path.stem == name).read_text()


def moves(bank: Bank) -> list[Move]:
    """What the candidate does, turn by turn."""
    answer = strong(bank, "grad_at")
    return [
        lambda held, at: held.say(at, Answer("2 questions please, as practice")),
        lambda held, at: held.submit(at, wrong(bank, "grad_at", "documented_answer")),
        lambda held, at: held.submit(at, right(bank, "grad_at")),
        lambda held, at: held.say(at, Answer(answer)),
        lambda held, at: held.say(at, Answer("I have nothing to add to that, it is all I know.")),
        lambda held, at: held.say(at, Answer("skip")),
    ]


def hold(held: InterviewService, session_id: str, script: Sequence[Move]) -> Session:
    """Go on with the interview to its end."""
    session = last(held.resume(session_id))
    while session.phase is not Phase.ENDED:
        had = sum(turn.speaker is Speaker.CANDIDATE for turn in session.turns)
        session = last(script[had](held, session_id))
    return session


def main(path: str, session_id: str, kill_after: str) -> None:
    """Hold the interview."""
    bank = load_bank(only=("grad_at", "low_latency_inference"))
    sandbox = Sandbox(spares=1)
    questions = [bank.questions["grad_at"], bank.questions["low_latency_inference"]]
    try:
        store = DeadlyStore(Path(path), int(kill_after))
        hold(real_service(store, bank, SentenceEmbedder(), sandbox, questions), session_id, moves(bank))
    finally:
        sandbox.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
