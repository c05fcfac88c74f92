"""An example interview, written by hand: for `docs/example-report.html`, and for `python -m report bench`.

Nobody gave these answers and no judge graded them; only the arithmetic is real.
"""

from __future__ import annotations

from dataclasses import replace

from domain import (
    Ability,
    Answer,
    Case,
    EarlierScore,
    Evidence,
    Plan,
    PointReference,
    QuestionResult,
    Quote,
    Reading,
    RunStatus,
    Session,
    TopicLevel,
    Turn,
    TurnKind,
    UngradedReason,
)
from report import sample_bank as bank
from report.script import START, Combine, ScoreOne, Script, by_cases, met, missed, quote, run, ungraded, wrong


def example(score: ScoreOne, combine: Combine) -> Session:
    """A mixed interview of five questions: explained well, coded with one fault, half known, skipped."""
    script = Script(score, combine, "example-session-of-the-documentation")
    _autograd(script)
    _swish(script)
    _step(script)
    _batch_norm(script)
    _pipeline(script)
    return script.session(
        Plan(focus="autograd, and how models are served", questions=5),
        notices=(
            "This is an example: the answers and the verdicts were written by hand. Only the arithmetic is real.",
            "No chat model is configured: the local judge graded the answers.",
        ),
        environment=(
            ("Viva", "0.1.0"),
            ("Question bank", "9c41d2e07b1a"),
            ("Judge", "local judge (all-MiniLM-L6-v2)"),
            ("Sandbox", "L2: user namespaces, Landlock, seccomp, resource limits; memory by watchdog"),
            ("Devices", "cpu"),
        ),
        readings=(
            Reading(
                PointReference(bank.AUTOGRAD.id, "accumulates"), "How autograd works > Where gradients land", _LAND
            ),
        ),
        earlier=(EarlierScore(START - 21 * 86_400, 0.41), EarlierScore(START - 9 * 86_400, 0.56)),
        levels=(TopicLevel("autograd", 3, Ability(0.7, 0.6)),),
    )


_LAND = """Leaves get their gradient in `.grad`; intermediate results keep none unless `retain_grad()` was called on
them. What arrives is added to what is already there. That lets several small batches act as a large one, and it is why
a training loop clears gradients before each backward pass."""


def _autograd(script: Script) -> None:
    script.ask(bank.AUTOGRAD, "You named autograd, and this is where interviews usually begin.")
    first = script.say(
        "So when you do math on tensors that require grad, PyTorch records every operation as it runs and builds a "
        "graph of them on the fly. Then loss.backward() walks that graph backwards from the output and uses the chain "
        "rule to get the gradient of each leaf. The gradients land in .grad, and each backward call replaces what was "
        "in there before, so you can just keep going in the loop.",
        95,
        Answer("", heard=((23, 30),), edited=True, seconds=41),
    )
    script.put(TurnKind.FOLLOW_UP, "After the first backward pass, what makes a second one on the same result fail?")
    second = script.say("I think the graph is gone by then. It frees the saved stuff unless you pass retain_graph.", 40)
    script.close(
        [
            met(
                "recorded",
                "The answer says that operations are recorded while they run.",
                quote(first, "PyTorch records every operation as it runs"),
            ),
            met(
                "chain_rule",
                "Names the chain rule and the direction.",
                quote(first, "walks that graph backwards from the output and uses the chain rule"),
            ),
            wrong(
                "accumulates",
                "The answer says that a backward call replaces the stored gradient.",
                "backward() adds to .grad. Without zero_grad() a loop sums the gradients of every step so far.",
                quote(first, "each backward call replaces what was in there before"),
            ),
            met(
                "freed",
                "Said after a follow-up question.",
                quote(second, "It frees the saved stuff unless you pass retain_graph"),
                credit=0.75,
            ),
            missed("no_grad"),
        ]
    )


def _swish(script: Script) -> None:
    script.ask(bank.SWISH, "It follows from autograd and asks for code.")
    script.request("May I call torch.sigmoid inside backward?")
    script.put(TurnKind.REPLY, "Yes, any torch function may be used.")
    script.submit(
        bank.SWISH_TYPO,
        run(1, RunStatus.CRASHED, error="SyntaxError: expected ':'", error_line=5, seconds=0.0034),
        240,
    )
    passed = [
        Case(
            "documented-example",
            "the value at known points",
            True,
            "",
            True,
            (("input", "[0.0, 1.0]"), ("expected", "[0.0, 0.7311]"), ("got", "[0.0, 0.7311]")),
        ),
        Case("random-values", "values on hidden inputs", True),
        Case("gradient", "the first derivative on hidden inputs", True),
        Case("float64", "the data type of the result", True),
    ]
    second = Case(
        "double-backward",
        "the second derivative",
        False,
        "The gradient of the gradient is off by up to 0.21: a tensor saved for backward does not lead to the input.",
    )
    script.put(
        TurnKind.HINT,
        "Compare what you hand to save_for_backward with what backward needs when it is itself differentiated.",
    )
    report = run(2, RunStatus.WRONG, [*passed, second], stdout_tail="shape: torch.Size([4])\n")
    script.submit(bank.SWISH_CODE, report, 310)
    script.close(
        [
            by_cases("value", report, "documented-example", "random-values", "float64"),
            by_cases("gradient", report, "gradient"),
            by_cases("second", report, "double-backward"),
        ]
    )


def _step(script: Script) -> None:
    script.ask(bank.GD_STEP, "You asked for both frameworks, and this is the TensorFlow side of the same idea.")
    report = replace(
        run(
            3,
            RunStatus.OK,
            [
                Case(
                    "documented-example",
                    "one step on a known loss",
                    True,
                    "",
                    True,
                    (("start", "4.0"), ("expected", "1.4"), ("got", "1.4")),
                ),
                Case("hidden-loss", "steps on hidden losses and rates", True),
                Case("in-place", "the variable itself is updated", True),
            ],
        ),
        seconds=0.0291,
        versions=(("tensorflow", "2.21.0"), ("python", "3.11")),
    )
    script.submit(bank.GD_CODE, report, 200)
    said = script.say(
        "A tf.Variable keeps its value between steps and can be assigned to, a constant is just "
        "fixed. Also the tape watches variables by itself.",
        45,
    )
    script.close(
        [
            by_cases("step", report, "documented-example", "hidden-loss"),
            by_cases("assign", report, "in-place"),
            met(
                "variable",
                "Says what a variable can do and a constant cannot.",
                quote(said, "keeps its value between steps and can be assigned to"),
            ),
            met("watch", "Says that the tape watches variables.", quote(said, "the tape watches variables by itself")),
        ]
    )


def _batch_norm(script: Script) -> None:
    script.ask(bank.BATCH_NORM)
    said = script.say(
        "It normalises each batch with its mean and variance, then there is a scale and a shift that you learn. "
        "In eval, umm, you have to be careful with small batches I guess, the "
        "statistics are kind of different there.",
        70,
    )
    script.close(
        [
            met(
                "batch_statistics",
                "Says what is normalised by what.",
                quote(said, "normalises each batch with its mean and variance"),
            ),
            met("scale_shift", "Names both learned parameters.", quote(said, "a scale and a shift that you learn")),
            ungraded(
                "running",
                UngradedReason.UNCERTAIN,
                "“The statistics are kind of different there” may or may not mean running averages.",
            ),
            missed("momentum", "The answer does not mention the momentum of either framework."),
        ]
    )
    script.dispute(
        "momentum",
        "I know it, I was just not asked.",
        missed("momentum", "Neither 0.1 nor 0.99 nor the word stands in the answer."),
    )


def _pipeline(script: Script) -> None:
    script.ask(bank.PIPELINE, "You wanted to hear about serving.")
    script.request("Skip this one please.")
    script.close([missed(point.id, "The question was skipped.") for point in bank.PIPELINE.points], skipped=True)


def long(session: Session, questions: int) -> Session:
    """The same interview over and over until it has so many questions, each with turns of its own."""
    turns: list[Turn] = []
    results: list[QuestionResult] = []
    step = len(session.turns)
    for at in range(questions):
        source = session.results[at % len(session.results)]
        shift = at * step
        question = replace(source.question, id=f"{source.question.id}_{at}")
        own = [turn for turn in session.turns if turn.question_id == source.question.id]
        turns += [replace(turn, id=turn.id + shift, question_id=question.id) for turn in own]
        scores = tuple(
            replace(score, evidence=tuple(_shift(item, shift) for item in score.evidence)) for score in source.scores
        )
        results.append(replace(source, question=question, scores=scores))
    return replace(session, turns=tuple(turns), results=tuple(results), plan=replace(session.plan, questions=questions))


def _shift(evidence: Evidence, by: int) -> Evidence:
    return replace(evidence, turn_id=evidence.turn_id + by) if isinstance(evidence, Quote) else evidence
