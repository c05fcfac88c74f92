"""Small rubrics, turns and runs for the grader's tests."""

from __future__ import annotations

from domain import (
    Case,
    Framework,
    JudgedBy,
    Kind,
    Level,
    Misconception,
    PointScore,
    Proof,
    Question,
    RubricPoint,
    RunReport,
    RunStatus,
    Speaker,
    Turn,
    TurnKind,
    UngradedReason,
    Verdict,
)

BY = JudgedBy(judge="local")


def point(id_: str, worth: float = 1.0, **fields: object) -> RubricPoint:
    """A point that says its own id unless told otherwise."""
    return RubricPoint(**{"id": id_, "says": id_, "worth": worth, **fields})  # type: ignore[arg-type]


def check_point(id_: str, *cases: str, worth: float = 1.0) -> RubricPoint:
    """A point that cases prove."""
    return RubricPoint(id_, id_, worth, proof=Proof.CHECK, cases=cases)


def question(*points: RubricPoint, ask: str = "What happens to gradients?") -> Question:
    """A question with these points."""
    return Question("q", "Q", "t", Framework.PYTORCH, Level.EASY, Kind.EXPLAIN, ask, points, "model answer")


def found(id_: str, verdict: Verdict, credit: float = 1.0) -> PointScore:
    """A score as a judge would give it."""
    reason = UngradedReason.UNCERTAIN if verdict is Verdict.UNGRADED else None
    return PointScore(id_, verdict, "because", BY, credit=credit, reason=reason)


def turn(text: str, id_: int = 1) -> Turn:
    """A candidate's answer."""
    return Turn(id_, Speaker.CANDIDATE, TurnKind.ANSWER, text, at=0.0, question_id="q")


def run(status: RunStatus = RunStatus.OK, id_: str = "run-1", **cases: bool) -> RunReport:
    """A run with these cases; underscores in names become hyphens."""
    made = tuple(
        Case(name.replace("_", "-"), f"the {name}", passed, "" if passed else "it differs")
        for name, passed in cases.items()
    )
    return RunReport(id_, status, made, check_hash="0123456789abcdef")


def gradients_point() -> RubricPoint:
    """A point with everything that the judges use."""
    return RubricPoint(
        "accumulate",
        "Gradients accumulate into .grad over several backward calls",
        2.0,
        accepts=(
            "each call to backward adds to the existing gradient",
            "pytorch sums gradients into the grad attribute unless you zero them",
            "so like backward keeps adding up the grads until you clear them",
        ),
        misconceptions=(
            Misconception(
                (
                    "each backward call overwrites the old gradient",
                    "the gradient is replaced every time you call backward",
                ),
                "Gradients are added, not overwritten; call zero_grad between steps.",
            ),
        ),
        follow_up="What is in .grad after two backward calls?",
    )
