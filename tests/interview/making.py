"""Questions, judges and boxes made for tests of the conversation, where the real ones would blur what is tested.

The judge here goes by plain words: a point is MET where its id stands in an answer, CONTRADICTED at "not ID", UNCERTAIN
at "ID?". So a test writes exactly the verdict it wants, in the candidate's words, and quotes stand in them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from domain import (
    Case,
    Clarification,
    Framework,
    JudgedBy,
    Kind,
    Level,
    Misconception,
    Plan,
    PointScore,
    Proof,
    Question,
    QuestionResult,
    Quote,
    RubricPoint,
    RunReport,
    RunStatus,
    SandboxStatus,
    Session,
    Submission,
    Turn,
    UngradedReason,
    Verdict,
)
from interview.service import InterviewService
from interview.store import SQLiteStore

BY = JudgedBy("words", version="1")


def point(name: str, worth: float, proof: Proof = Proof.SAID, cases: tuple[str, ...] = ()) -> RubricPoint:
    """A point whose id is the word that earns it."""
    return RubricPoint(
        id=name,
        says=f"The {name} is named.",
        worth=worth,
        proof=proof,
        accepts=(f"the {name}", f"a {name}", f"some {name}"),
        misconceptions=(Misconception((f"no {name}",), f"There is a {name}."),),
        follow_up=f"What else is there, worth {worth:g}?",
        hints=(f"weak hint worth {worth:g}", f"strong hint worth {worth:g}"),
        why=f"Without it {name} fails.",
        cases=cases,
    )


def explain(name: str = "tides", topic: str = "sea", points: Sequence[RubricPoint] | None = None) -> Question:
    """A question to answer in words, worth 6 with a pitfall."""
    given = points or (point("moon", 3), point("sun", 2), point("wind", 1), point("myth", -1))
    return Question(
        id=name,
        title=f"On {name}",
        topic=topic,
        framework=Framework.PYTORCH,
        level=Level.EASY,
        kind=Kind.EXPLAIN,
        ask=f"What do you know of {name}?",
        points=tuple(given),
        model_answer="The whole answer.",
        clarifications=(Clarification(("Do you mean the sea?", "Which sea do you mean?"), "Any sea will do."),),
    )


def code(name: str = "doubling", topic: str = "numbers") -> Question:
    """A question to answer in code and words: 4 points by the check, 3 by words."""
    return Question(
        id=name,
        title=f"On {name}",
        topic=topic,
        framework=Framework.PYTORCH,
        level=Level.MEDIUM,
        kind=Kind.CODE,
        ask=f"Write `twice(x)` for {name}.",
        points=(
            point("value", 3, Proof.CHECK, ("small", "large")),
            point("kind", 1, Proof.CHECK, ("kind",)),
            point("carry", 2),
            point("shift", 1),
        ),
        model_answer="Add it to itself.",
        model_code="def twice(x):\n    return x + x\n",
        starter="def twice(x):\n    ...\n",
        check=f"{topic}/{name}/check.py",
    )


def met(name: str, turn: Turn, start: int, length: int) -> PointScore:
    """MET, quoting the words."""
    return PointScore(name, Verdict.MET, "said", BY, (Quote(turn.id, start, start + length),))


class WordJudge:
    """Judges by words, as the module says. `calls` counts; `before` runs at each call, to break or delay it."""

    name = "local judge (words)"

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.calls: list[tuple[str, tuple[str, ...]]] = []
        self._before = before

    def judge(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        """Verdicts from the words."""
        self.calls.append((question.id, tuple(item.id for item in points)))
        self._before()
        return [self._one(item.id, answers) for item in points]

    def _one(self, name: str, answers: Sequence[Turn]) -> PointScore:
        for turn in reversed(answers):
            text = turn.text.lower()
            if (start := text.find(f"not {name}")) >= 0:
                quote = (Quote(turn.id, start, start + len(name) + 4),)
                return PointScore(name, Verdict.CONTRADICTED, "denied", BY, quote, correction=f"There is a {name}.")
            if f"{name}?" in text:
                return PointScore(name, Verdict.UNGRADED, "unclear", BY, reason=UngradedReason.UNCERTAIN)
            if (start := text.find(name)) >= 0:
                return met(name, turn, start, len(name))
        return PointScore(name, Verdict.NOT_MET, "not said", BY)


class WordBox:
    """A sandbox that does not run: "return x + x" passes, "broken box" is our fault, anything else fails one case.

    For tests of the conversation only; whole interviews in test_whole.py use the real sandbox.
    """

    def __init__(self) -> None:
        self.runs: list[Submission] = []

    def run(self, submission: Submission) -> RunReport:
        """A report by the words in the code."""
        self.runs.append(submission)
        name = secrets.token_hex(8)
        if "broken box" in submission.code:
            return RunReport(name, RunStatus.BOX_BROKEN, isolation="L2")
        if submission.check is None:
            return RunReport(name, RunStatus.OK, stdout_tail="hello\n", isolation="L2", seconds=0.01)
        right = "x + x" in submission.code
        small, large = Case("small", "small numbers", True), Case("large", "large numbers", right)
        cases = (small, large, Case("kind", "kind", right))
        status = RunStatus.OK if right else RunStatus.WRONG
        return RunReport(name, status, cases, isolation="L2", check_hash="ab" * 32, seconds=0.01)

    def status(self) -> SandboxStatus:
        """A level with something missing."""
        return SandboxStatus("L2", ("seccomp",), ("cgroup",), "Code runs without a cgroup.")

    def prepare(self, framework: Framework) -> None:
        """Nothing to warm up."""

    def close(self) -> None:
        """Nothing to close."""


class InOrder:
    """Chooses the given questions in order."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = list(questions)

    def choose(self, plan: Plan, asked: Sequence[QuestionResult], draw: float) -> tuple[Question, str] | None:
        """The next one not asked."""
        done = {result.question.id for result in asked}
        left = [question for question in self._questions if question.id not in done]
        return (left[0], "it is next") if left else None


class Ticking:
    """A clock that goes on by a second at each look."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def service(
    path: Path, questions: Sequence[Question] | None = None, *, patience: float = 30.0, **changes: object
) -> InterviewService:
    """A service over a real store in a file, with the parts of this module."""
    parts: dict[str, object] = {
        "store": SQLiteStore(path),
        "chooser": InOrder(questions if questions is not None else (explain(), code())),
        "judge": WordJudge(),
        "sandbox": WordBox(),
        "check_path": lambda question_id: Path(f"{question_id}/check.py"),
        "topics": {"sea": ("high water",), "numbers": ("two times",)},
        "clock": Ticking(),
        "draw": lambda: 0.25,
        "patience": patience,
    }
    return InterviewService(**{**parts, **changes})  # type: ignore[arg-type]


def last(steps: Iterator[Session]) -> Session:
    """The session after all steps."""
    session = None
    for session in steps:  # noqa: B007
        pass
    assert session is not None
    return session


def shorter(question: Question, **changes: object) -> Question:
    """The question with changes."""
    return replace(question, **changes)  # type: ignore[arg-type]
