"""An ended interview graded again, by today's judge and bank. What was found at its time stays beside it.

The conversation is taken as it was held: after each stored answer the judge is asked about the points that it has not
found made yet, as it was in the interview. Nobody is asked anything new, so a point that today's rubric has and the
interview's had not may go unmentioned for no fault of the candidate's; the difference says that the rubric changed.
Code keeps the findings of its stored runs, or is run again from the stored seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from domain import GradedAgain as Again
from domain import (
    Judge,
    Mode,
    Phase,
    PointScore,
    Question,
    QuestionResult,
    Regrade,
    RubricPoint,
    RunReport,
    RunStatus,
    SandboxBackend,
    Session,
    Submission,
    Turn,
    UngradedReason,
    UserError,
)
from grader.cases import confront, score_cases
from grader.rubric import combine, rubric_hash, score
from interview import judging, marking
from interview.blocks import framework_of
from interview.events import Regraded
from interview.steps import require

_NOT_ENDED = "Only an interview that has ended can be graded again."
_MOST = 20
_UNSAID = "Nothing that was said was about this."
_UNCHECKED = "The stored run did not look at this; only running the code again can tell."


class Regrader:
    """Grades again with this judge and bank. `question_of` gives a question of the bank by its id, `check_path` its
    check; with a `sandbox` the code that counts is run again."""

    def __init__(
        self,
        judge: Judge,
        question_of: Callable[[str], Question | None],
        bank: str,
        check_path: Callable[[str], Path | None],
        sandbox: SandboxBackend | None = None,
    ) -> None:
        self._judge = judge
        self._question_of = question_of
        self._bank = bank
        self._check_path = check_path
        self._sandbox = sandbox

    def regrade(self, session: Session, at: float) -> Regraded:
        """The event that holds the new verdicts. Raises UserError where the session has not ended."""
        require(session.phase is Phase.ENDED, _NOT_ENDED)
        questions = tuple(self._question(session, result) for result in session.results)
        return Regraded(at, self._judge.name, self._bank, questions, ran=self._sandbox is not None)

    def _question(self, session: Session, result: QuestionResult) -> Again:
        question, note = self._today(session, result)
        if result.score is None:
            return Again(question, note="It did not count, and still does not.")
        runs, told = self._runs(session, result, question)
        blank = replace(result, question=question, scores=())
        scores: tuple[PointScore, ...] = ()
        for turn in marking.spoken(session, question.id):
            then = replace(session, turns=tuple(item for item in session.turns if item.id <= turn.id))
            points = marking.to_judge(replace(blank, scores=scores))
            found = judging.verdicts(question, points, then, self._asking(question, points))
            scores = marking.merged(then, replace(blank, scores=scores), found)
        known = [*scores, *_by_code(question, runs, rerun=self._sandbox is not None)]
        scores = marking.merged(session, blank, confront(question, known, runs))
        whole = marking.closed(replace(blank, scores=scores), result.closed_at or 0.0, counts=True, why=_UNSAID)
        return Again(question, whole.scores, " ".join(part for part in (note, told) if part))

    def _asking(
        self, question: Question, points: Sequence[RubricPoint]
    ) -> Callable[[Sequence[Turn]], list[PointScore]]:
        return lambda answers: self._judge.judge(question, points, answers) if points else []

    def _today(self, session: Session, result: QuestionResult) -> tuple[Question, str]:
        """The question as the bank has it, and what to tell of it."""
        asked = result.question
        now = None if asked.draft else self._question_of(asked.id)
        if now is None:
            kept = "It is a draft of a document" if asked.draft else "It is not in the bank any more"
            return asked, f"{kept}, so the rubric is the interview's."
        if session.plan.mode is Mode.DRILL:
            own = {point.id for point in asked.points}
            now = replace(now, points=tuple(point for point in now.points if point.id in own))
            if not now.points:
                return asked, "Its rubric was rewritten since, so the rubric is the interview's."
        return now, "" if rubric_hash(now) == rubric_hash(asked) else "The question or its rubric changed since."

    def _runs(self, session: Session, result: QuestionResult, question: Question) -> tuple[Sequence[RunReport], str]:
        """The runs that count: the stored ones, or the last of them made again from its seed."""
        stored = marking.submissions(session, result)
        if not stored:
            return stored, ""
        if self._sandbox is None:
            return stored, "Its code was not run again."
        code = next(turn.answer.code for turn in session.turns if turn.run_id == stored[-1].id and turn.answer)
        check = self._check_path(question.id) if question.check else None
        if check is None:
            return stored, "There is no check to run its code by any more."
        run = self._sandbox.run(Submission(code, framework_of(code, question), check, stored[-1].seed))
        told = "Its code was run again, from the same seed."
        if run.status is RunStatus.BOX_BROKEN:
            return stored, "Its code could not be run again, since the sandbox failed; the stored run counts."
        return [*stored, replace(run, id=stored[-1].id)], told


def _by_code(question: Question, runs: Sequence[RunReport], rerun: bool) -> list[PointScore]:
    """What runs show. A case of today's check that a stored run never had tells nothing about the candidate."""
    found = score_cases(question, runs)
    if rerun or not runs or runs[-1].status not in (RunStatus.OK, RunStatus.WRONG):
        return found
    failed = UngradedReason.GRADER_FAILED
    return [replace(item, why=_UNCHECKED) if item.reason is failed else item for item in found]


def regraded(session: Session, event: Regraded) -> Session:
    """The session with the new verdicts beside its own. Raises UserError where they do not fit its questions."""
    require(session.phase is Phase.ENDED, _NOT_ENDED)
    require(len(session.regrades) < _MOST, f"An interview is graded again at most {_MOST} times.")
    ids = [result.question.id for result in session.results]
    require([item.question.id for item in event.questions] == ids, "These verdicts are not on this interview.")
    questions = tuple(_scored(result, item) for result, item in zip(session.results, event.questions, strict=True))
    scores = [item.score for item in questions if item.score is not None]
    overall = combine(scores) if scores else None
    new = Regrade(event.at, event.judge, event.bank, questions, event.ran, overall)
    return replace(session, regrades=(*session.regrades, new))


def _scored(result: QuestionResult, item: Again) -> Again:
    if result.score is None:
        return replace(item, scores=(), score=None)
    try:
        return replace(item, score=score(item.question.points, item.scores))
    except ValueError as error:
        raise UserError(f"These verdicts do not fit their rubric: {error}.") from None
