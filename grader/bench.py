"""How long the local judge takes for a long answer, with the model loaded."""

from __future__ import annotations

import statistics
import time
from typing import Any

from domain import Embedder, Framework, Kind, Level, Misconception, Question, RubricPoint
from grader.local import LocalJudge
from grader.public import answer_turn

_SUBJECTS = ("gradient", "tensor", "optimizer", "layer", "dataset", "batch", "module", "graph")
_SAYINGS = (
    "the {} is kept in memory until the step is over",
    "every {} gets its own place in the buffer",
    "you update the {} only after the loss was computed",
    "a new {} is made for each call of the function",
    "so basically the {} remembers where it came from",
)
WORDS = 300


def _question() -> Question:
    points = tuple(
        RubricPoint(
            subject,
            f"The {subject} is kept until the step is over",
            1.0,
            accepts=tuple(saying.format(subject) for saying in _SAYINGS),
            misconceptions=(
                Misconception(
                    (f"the {subject} is thrown away at once", f"there is only one {subject} for the whole run"), "No."
                ),
            ),
        )
        for subject in _SUBJECTS
    )
    ask = "Tell me what happens in one training step."
    return Question("bench", "Bench", "bench", Framework.BOTH, Level.EASY, Kind.EXPLAIN, ask, points, "")


def _answer(number: int) -> str:
    """A new answer of 300 words each time, so that nothing was seen before."""
    sentences = []
    for place in range(WORDS // 12 + 1):
        subject = _SUBJECTS[(place + number) % len(_SUBJECTS)]
        verb = ("reads", "keeps", "moves", "checks", "copies")[place % 5]
        sentences.append(f"When we get to round {number * 30 + place} the {subject} {verb} what the other parts wrote.")
    return " ".join(" ".join(sentences).split()[:WORDS])


def measure(embedder: Embedder, rounds: int = 20) -> dict[str, Any]:
    """Milliseconds for one answer of 300 words against 8 points: the median and the 90th percentile of `rounds`, and
    the median of the processor's time, which other programs disturb less."""
    import torch

    judge, question = LocalJudge(embedder), _question()
    judge.judge(question, question.points, [answer_turn(_answer(-1))])
    times, work = [], []
    for number in range(rounds):
        start, before = time.perf_counter(), time.process_time()
        judge.judge(question, question.points, [answer_turn(_answer(number))])
        times.append(1000 * (time.perf_counter() - start))
        work.append(1000 * (time.process_time() - before))
    return {
        "words": WORDS,
        "points": len(question.points),
        "phrasings": sum(1 + len(point.accepts) + 2 for point in question.points),
        "threads": torch.get_num_threads(),
        "median_ms": round(statistics.median(times), 1),
        "cpu_ms": round(statistics.median(work), 1),
        "p90_ms": round(sorted(times)[int(0.9 * (rounds - 1))], 1),
    }
