"""Thirty people at once: how long a turn in words takes.

`python scripts/bench_people.py [--people 30] [--turns 4] [--think 10] [--json]` holds that many interviews at the same
time with the packaged bank and the local judge. Everybody thinks for a random while (`--think` seconds on average) and
then says a labelled answer; measured is the time from sending it until the interviewer replied: storing, reading the
intent, judging, and storing again. It also looks whether anybody's words stand in somebody else's interview.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from domain import Answer, Phase, Plan, Question, QuestionResult  # noqa: E402


class Shuffled:
    """Chooses questions in words, another order for everybody."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = questions

    def choose(self, plan: Plan, asked: Sequence[QuestionResult], draw: float) -> tuple[Question, str] | None:  # noqa: ARG002
        """One that was not asked."""
        done = {result.question.id for result in asked}
        left = [question for question in self._questions if question.id not in done]
        return (left[int(draw * len(left))], "it is drawn") if left else None


def main() -> int:
    """Measure and print; 1 where interviews were mixed up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=30)
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--think", type=float, default=10.0, help="seconds, on average")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    from embed import SentenceEmbedder
    from grader.local import LocalJudge
    from interview.intents import IntentReader, known_texts
    from interview.service import InterviewService
    from interview.store import SQLiteStore
    from knowledge.questions import load_bank
    from sandbox.backend import Sandbox

    bank, embedder, sandbox = load_bank(), SentenceEmbedder(), Sandbox(spares=0)
    questions = [item for item in bank.questions.values() if not item.check and bank.answers(item.id)]
    intents, judge = IntentReader(embedder), LocalJudge(embedder)
    for question in questions:  # what every server has met after a while
        embedder.encode(list(known_texts(question)))
    took: list[float] = []
    mixed: list[str] = []
    guard = threading.Lock()
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteStore(Path(folder) / "people.sqlite3")
        held = InterviewService(
            store=store,
            chooser=Shuffled(questions),
            judge=judge,
            sandbox=sandbox,
            check_path=bank.check_path,
            topics=dict.fromkeys(bank.topics, ()),
            intents=intents,
        )

        def person(number: int) -> None:
            draw = random.Random(number)  # noqa: S311
            pause = threading.Event()
            session = list(held.begin(held.create(planned=True).id, Plan(questions=10)))[-1]
            said: list[str] = []
            while len(said) < options.turns and session.phase is Phase.ANSWERING and session.current is not None:
                pause.wait(draw.uniform(0, 2 * options.think))
                answers = bank.answers(session.current.question.id)
                said.append(f"{draw.choice(answers).text} Number {number}.")
                began = time.monotonic()
                session = list(held.say(session.id, Answer(said[-1])))[-1]
                with guard:
                    took.append(time.monotonic() - began)
            theirs = [turn.text for turn in held.session(session.id).turns if turn.answer is not None]
            if theirs != said:
                mixed.append(session.id)

        threads = [threading.Thread(target=person, args=(number,)) for number in range(options.people)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        store.close()
    sandbox.close()
    took.sort()
    found = {
        "people": options.people,
        "turns": len(took),
        "median, s": round(took[len(took) // 2], 3),
        "p95, s": round(took[min(len(took) - 1, int(0.95 * len(took)))], 3),
        "longest, s": round(took[-1], 3),
        "mixed": len(mixed),
    }
    print(json.dumps(found) if options.json else "  ".join(f"{name} {value}" for name, value in found.items()))
    return 1 if mixed else 0


if __name__ == "__main__":
    sys.exit(main())
