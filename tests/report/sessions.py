"""Sessions written by hand, one of each kind that a candidate may end up with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from domain import (
    Answer,
    Case,
    GradedAgain,
    Invitation,
    Mode,
    Override,
    Phase,
    Plan,
    PointReference,
    PointScore,
    Question,
    QuestionResult,
    Regrade,
    RunReport,
    RunStatus,
    Session,
    TurnKind,
    UngradedReason,
    Verdict,
)
from grader.rubric import combine, score
from report import sample_bank as bank
from report.sample import example
from report.script import Script, by_cases, met, missed, quote, run, ungraded, wrong
from report.text import map_strings

SECRET = "0123456789abcdef0123456789abcdef"
GOOD = [
    Case("documented-example", "the value at known points", True, "", True, (("input", "1.0"), ("got", "0.7311"))),
    Case("random-values", "values on hidden inputs", True),
    Case("float64", "the data type of the result", True),
    Case("gradient", "the first derivative on hidden inputs", True),
    Case("double-backward", "the second derivative", True),
]


def script() -> Script:
    return Script(score, combine, SECRET)


def strong() -> Session:
    """Three questions on one topic, everything said and everything passed."""
    text = script()
    text.ask(bank.AUTOGRAD)
    said = text.say(
        "Operations are recorded as they run. backward applies the chain rule from the loss on. It adds to .grad. "
        "The graph is freed afterwards. no_grad switches the recording off."
    )
    words = ["recorded as they run", "applies the chain rule", "adds to .grad", "graph is freed", "no_grad switches"]
    names = [point.id for point in bank.AUTOGRAD.points]
    text.close([met(name, "Said.", quote(said, part)) for name, part in zip(names, words, strict=True)])
    text.ask(bank.SWISH)
    passed = run(1, RunStatus.OK, GOOD)
    text.submit(bank.SWISH.model_code, passed)
    text.put(TurnKind.REPLY, "Thank you.")
    text.close(_swish_scores(passed))
    text.ask(replace(bank.AUTOGRAD, id="sample_autograd_again", points=bank.AUTOGRAD.points[:2]))
    again = text.say("They are recorded; then comes the chain rule.")
    text.close([met("recorded", "", quote(again, "recorded")), met("chain_rule", "", quote(again, "the chain rule"))])
    return text.session(Plan(questions=3))


def weak() -> Session:
    """Two questions: one said wrongly throughout, one skipped."""
    text = script()
    text.ask(bank.AUTOGRAD)
    said = text.say("It builds the graph before running. Calling backward replaces .grad each time.")
    text.close(
        [
            wrong(
                "recorded",
                "The order is reversed.",
                "The graph is recorded while operations run.",
                quote(said, "builds the graph before running"),
            ),
            missed("chain_rule"),
            wrong(
                "accumulates",
                "Stated the other way round.",
                "backward() adds to .grad.",
                quote(said, "replaces .grad each time"),
            ),
            missed("freed"),
            missed("no_grad"),
        ]
    )
    text.ask(bank.PIPELINE)
    text.request("skip")
    text.close([missed(point.id, "The question was skipped.") for point in bank.PIPELINE.points], skipped=True)
    return text.session(Plan(questions=2))


def mixed() -> Session:
    """The example of the documentation."""
    return replace(example(score, combine), id=SECRET)


def interrupted() -> Session:
    """The second of three questions is open, with an answer in."""
    text = script()
    text.ask(bank.AUTOGRAD)
    said = text.say("Everything is recorded while it runs.")
    rest = [missed(point.id) for point in bank.AUTOGRAD.points[1:]]
    text.close([met("recorded", "Said.", quote(said, "recorded while it runs")), *rest])
    text.ask(bank.SWISH)
    text.say("I would start with the forward pass.")
    return text.session(Plan(questions=3), ended=False)


def stopped() -> Session:
    """Ended by the candidate while a question was open: it was closed and does not count."""
    session = replace(interrupted(), phase=Phase.ENDED, ended_at=interrupted().created_at + 600)
    left = replace(session.results[-1], closed_at=session.ended_at)
    return replace(session, results=(session.results[0], left))


def all_code() -> Session:
    """Two code questions: one passed at the second try, one timed out."""
    text = script()
    text.ask(bank.SWISH)
    failed = [*GOOD[:-1], replace(GOOD[-1], passed=False, why="It is off by 0.21.")]
    text.submit(bank.SWISH_CODE, run(1, RunStatus.WRONG, failed))
    second = run(2, RunStatus.OK, GOOD)
    text.submit(bank.SWISH.model_code, second)
    text.close(_swish_scores(second))
    text.ask(bank.GD_STEP)
    text.submit("while True:\n    pass\n", run(3, RunStatus.TIMED_OUT, seconds=10.0))
    text.close([missed(point.id, "Not shown: the time ran out.") for point in bank.GD_STEP.points])
    return text.session(Plan(questions=2))


def unjudged() -> Session:
    """The judge failed and the sandbox broke: nearly nothing was graded."""
    text = script()
    text.ask(bank.AUTOGRAD)
    said = text.say("Everything is recorded while it runs.")
    failed = [ungraded(point.id, UngradedReason.GRADER_FAILED, "HTTP 500.") for point in bank.AUTOGRAD.points[2:]]
    unsure = ungraded("chain_rule", UngradedReason.UNCERTAIN)
    text.close([met("recorded", "Said.", quote(said, "recorded while it runs")), unsure, *failed])
    text.ask(bank.SWISH)
    text.submit(bank.SWISH_CODE, run(1, RunStatus.BOX_BROKEN))
    text.close([ungraded(point.id, UngradedReason.GRADER_FAILED) for point in bank.SWISH.points])
    return text.session(Plan(questions=2), notices=("The chat model did not answer.",))


def regraded() -> Session:
    """The weak interview, graded again by another judge with a rubric that lost a point and gained one."""
    session = weak()
    first = session.results[0]
    new = replace(bank.AUTOGRAD.points[4], id="new", says="Inference mode is stricter than no_grad.")
    question = replace(bank.AUTOGRAD, points=(*bank.AUTOGRAD.points[:4], new))
    scores = (*first.scores[:1], met("chain_rule", "Meant by “calling backward”."), *first.scores[2:4], missed("new"))
    questions = (
        GradedAgain(question, scores, "The question or its rubric changed since.", score(question.points, scores)),
        GradedAgain(session.results[1].question, session.results[1].scores, "", session.results[1].score),
    )
    overall = combine([item.score for item in questions if item.score])
    regrade = Regrade(session.created_at + 86_400, "judge | of *another* kind", "51aa02c7", questions, True, overall)
    return replace(session, regrades=(regrade,))


def invited() -> Session:
    """The weak interview, asked for by somebody who changed a verdict."""
    session = weak()
    about = PointReference(bank.AUTOGRAD.id, "chain_rule")
    why = "“calling backward” | means <it> here, *I* think."
    override = Override(about, Verdict.MET, "=Ada & co", why, session.created_at + 90_000)
    invitation = Invitation(
        "Ada Example", "spring", "=HYPERLINK(1)", session.plan, (bank.AUTOGRAD.id, bank.PIPELINE.id)
    )
    assert session.overall is not None
    revised = replace(session.overall, earned=2.0, low=2.0, high=2.0, value=2 / session.overall.worth)
    return replace(session, invitation=invitation, overrides=(override,), revised=revised)


def exam_running() -> Session:
    """An exam after its first of two questions."""
    return replace(interrupted(), plan=Plan(questions=2, mode=Mode.EXAM))


def empty() -> Session:
    """Stopped before the first question."""
    return script().session(Plan())


def tried() -> Session:
    """Code in an answer, run though the question has no check."""
    text = script()
    text.ask(bank.AUTOGRAD)
    words = "Like this:\n```python\nprint(6 * 7)\n```\nIt is recorded."
    said = text.say(words)
    text.turns[-1] = replace(said, run_id="run-1")
    text.results[-1] = replace(text.results[-1], runs=(run(1, RunStatus.OK, stdout_tail="42\n", check_hash=""),))
    text.close([met("recorded", "", quote(said, "It is recorded")), *(missed(p.id) for p in bank.AUTOGRAD.points[1:])])
    return text.session(Plan(questions=1))


def with_strings(session: Session, change: Callable[[str], str]) -> Session:
    """The session with every string of a stranger changed, ids included (alike, so that they still match). Its own id
    and the topics stay."""
    changed = map_strings(session, change)
    return replace(changed, id=session.id)


def one_answer(text: str, code: str = "", heard: tuple[tuple[int, int], ...] = ()) -> Session:
    """One question with this answer to it, nothing credited."""
    own = script()
    own.ask(bank.AUTOGRAD)
    own.say(text, answer=Answer(text, code, heard))
    own.close([missed(point.id) for point in bank.AUTOGRAD.points])
    return own.session(Plan(questions=1))


def result_of(session: Session, at: int, **changes: object) -> Session:
    """The session with one of its results changed."""
    results: list[QuestionResult] = list(session.results)
    results[at] = replace(results[at], **changes)  # type: ignore[arg-type]
    return replace(session, results=tuple(results))


KINDS: dict[str, Callable[[], Session]] = {
    "strong": strong,
    "weak": weak,
    "mixed": mixed,
    "interrupted": interrupted,
    "stopped": stopped,
    "all_code": all_code,
    "unjudged": unjudged,
    "regraded": regraded,
    "invited": invited,
    "exam_running": exam_running,
    "empty": empty,
    "tried": tried,
}


def with_model_answer(question: Question, text: str) -> Question:
    """The question with this Markdown as ask and model answer."""
    return replace(question, ask=text, model_answer=text)


def _swish_scores(report: RunReport) -> list[PointScore]:
    return [by_cases(point.id, report, *point.cases) for point in bank.SWISH.points]
