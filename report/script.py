"""A small notation for writing sessions by hand: what was asked, said, run and found, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from domain import (
    Answer,
    Case,
    CaseReference,
    Dispute,
    Evidence,
    JudgedBy,
    Phase,
    Plan,
    PointScore,
    Question,
    QuestionResult,
    Quote,
    RubricPoint,
    RunReport,
    RunStatus,
    Score,
    Session,
    Speaker,
    TopicScore,
    Turn,
    TurnKind,
    UngradedReason,
    Verdict,
)

ScoreOne = Callable[[Sequence[RubricPoint], Sequence[PointScore]], Score]
Combine = Callable[[Sequence[Score]], Score]

START = 1_796_115_600.0
"""1 December 2026, 09:00 UTC."""

LOCAL = JudgedBy("local", "all-MiniLM-L6-v2", "rules 3")


@dataclass
class Script:
    """Writes a session turn by turn. `score` and `combine` are the rubric's arithmetic."""

    score: ScoreOne
    combine: Combine
    id: str
    at: float = START
    turns: list[Turn] = field(default_factory=list)
    results: list[QuestionResult] = field(default_factory=list)

    def ask(self, question: Question, why: str = "") -> None:
        """Open a question."""
        self.results.append(QuestionResult(question, why, asked_at=self.at))
        self._turn(Speaker.INTERVIEWER, TurnKind.QUESTION, question.ask)

    def say(self, text: str, seconds: float = 60.0, answer: Answer | None = None) -> Turn:
        """The candidate answers, after so many seconds."""
        self.at += seconds
        return self._turn(Speaker.CANDIDATE, TurnKind.ANSWER, text, answer or Answer(text))

    def put(self, kind: TurnKind, text: str) -> None:
        """The interviewer says something: a follow-up, a hint, a reply."""
        self.at += 2
        self._turn(Speaker.INTERVIEWER, kind, text)
        if kind is TurnKind.FOLLOW_UP:
            self._change(follow_ups=(*self.results[-1].follow_ups, text))
        if kind is TurnKind.HINT:
            self._change(hints=self.results[-1].hints + 1)

    def request(self, text: str) -> None:
        """The candidate asks for something."""
        self.at += 15
        self._turn(Speaker.CANDIDATE, TurnKind.REQUEST, text, Answer(text))

    def submit(self, code: str, run: RunReport, seconds: float = 120.0) -> None:
        """The candidate submits code, and it runs."""
        self.at += seconds
        self._turn(Speaker.CANDIDATE, TurnKind.ANSWER, f"```python\n{code}\n```", Answer("", code), run.id)
        self._turn(Speaker.INTERVIEWER, TurnKind.RESULT, "The result is in.", run_id=run.id)
        self._change(runs=(*self.results[-1].runs, run))

    def close(self, scores: Sequence[PointScore], skipped: bool = False) -> None:
        """The question ends with these verdicts."""
        self.at += 1
        total = self.score(self.results[-1].question.points, scores)
        self._change(closed_at=self.at, scores=tuple(scores), score=total, skipped=skipped)

    def dispute(self, point_id: str, why: str, second: PointScore) -> None:
        """The candidate disputes a verdict on the last question, and it is looked at again."""
        self._change(disputes=(*self.results[-1].disputes, Dispute(point_id, self.at, why, second)))

    def session(self, plan: Plan, ended: bool = True, **more: tuple[object, ...]) -> Session:
        """The session as it stands. `more` are further fields of it, such as `notices` and `environment`."""
        scored = [(result.question.topic, result.score) for result in self.results if result.score]
        topics = dict.fromkeys(topic for topic, _ in scored)
        by_topic = {topic: [score for own, score in scored if own == topic] for topic in topics}
        session = Session(
            id=self.id,
            seed=7,
            created_at=START - 40,
            plan=plan,
            phase=Phase.ENDED if ended else Phase.ANSWERING,
            turns=tuple(self.turns),
            results=tuple(self.results),
            overall=self.combine([score for _, score in scored]) if scored else None,
            topics=tuple(TopicScore(topic, len(own), self.combine(own)) for topic, own in by_topic.items()),
            ended_at=self.at if ended else None,
        )
        return replace(session, **more)  # type: ignore[arg-type]

    def _turn(
        self, speaker: Speaker, kind: TurnKind, text: str, answer: Answer | None = None, run_id: str = ""
    ) -> Turn:
        question_id = self.results[-1].question.id if self.results else ""
        turn = Turn(len(self.turns), speaker, kind, text, self.at, question_id, answer, run_id)
        self.turns.append(turn)
        return turn

    def _change(self, **changes: object) -> None:
        self.results[-1] = replace(self.results[-1], **changes)  # type: ignore[arg-type]


def quote(turn: Turn, words: str) -> Quote:
    """Where the words stand in the turn. Raises ValueError when they do not."""
    start = turn.text.index(words)
    return Quote(turn.id, start, start + len(words))


def met(point_id: str, why: str, *evidence: Evidence, credit: float = 1.0, by: JudgedBy = LOCAL) -> PointScore:
    """The point was made."""
    return PointScore(point_id, Verdict.MET, why, by, evidence, 0.87, credit=credit)


def missed(point_id: str, why: str = "Nothing in the answer says this.", *evidence: Evidence) -> PointScore:
    """The point was not made."""
    return PointScore(point_id, Verdict.NOT_MET, why, LOCAL, evidence, 0.9)


def wrong(point_id: str, why: str, correction: str, *evidence: Evidence) -> PointScore:
    """The answer states the opposite."""
    return PointScore(point_id, Verdict.CONTRADICTED, why, LOCAL, evidence, 0.8, correction=correction)


def ungraded(point_id: str, reason: UngradedReason, why: str = "") -> PointScore:
    """There is no verdict."""
    return PointScore(point_id, Verdict.UNGRADED, why, LOCAL, (), 0.3, reason)


def run(number: int, status: RunStatus, cases: Sequence[Case] = (), **more: object) -> RunReport:
    """A run on the CPU at level L2."""
    report = RunReport(
        id=f"run-{number}",
        status=status,
        cases=tuple(cases),
        seconds=0.0113,
        peak_memory=44 << 20,
        isolation="L2",
        seed=1234 + number,
        check_hash="5b1f" * 16,
        versions=(("torch", "2.13.0"), ("python", "3.11")),
    )
    return replace(report, **more)  # type: ignore[arg-type]


def by_cases(point_id: str, report: RunReport, *names: str) -> PointScore:
    """The verdict of the named cases."""
    found = [case for case in report.cases if case.name in names]
    bad = [case for case in found if not case.passed]
    verdict = Verdict.NOT_MET if bad else Verdict.MET
    why = f"Failed: {bad[0].aspect}: {bad[0].why}" if bad else f"Passed: {', '.join(case.aspect for case in found)}."
    evidence = tuple(CaseReference(report.id, case.name) for case in bad or found)
    return PointScore(point_id, verdict, why, JudgedBy("run", version=report.check_hash[:12]), evidence)
