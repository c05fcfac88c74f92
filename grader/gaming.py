"""The gaming matrix: what cheating gains and what harmless changes cost, each row a gate with its limit.

A sample is an answer to a question, strong or weak. All figures are shares of a question's worth, averaged over the
samples; an UNGRADED point earns nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from domain import Judge, PointScore, Question, Quote, Verdict
from grader import attacks
from grader.public import Graded, answer_turn, rubric
from grader.quotes import fault, text_of
from grader.rubric import score

_OTHERS = 5


@dataclass(frozen=True)
class Sample:
    """An answer and what it is worth in truth: strong answers should earn much, weak ones little."""

    question: Question
    text: str
    strong: bool


@dataclass(frozen=True)
class Gate:
    """One row: what was measured, the limit, and whether it holds. `at_least` turns the comparison round."""

    name: str
    value: float
    limit: float
    at_least: bool = False
    samples: int = 0

    @property
    def holds(self) -> bool:
        """Whether the gate holds. A gate that nothing was measured for does not."""
        if not self.samples:
            return False
        return self.value >= self.limit - 1e-9 if self.at_least else self.value <= self.limit + 1e-9


class _Court:
    """Judges texts against a question, once each."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._known: dict[tuple[str, str], list[PointScore]] = {}

    def scores(self, question: Question, text: str) -> list[PointScore]:
        key = (question.id, text)
        if key not in self._known:
            self._known[key] = self.again(question, text)
        return self._known[key]

    def again(self, question: Question, text: str) -> list[PointScore]:
        points = [point for point in question.points if point.proof == "said"]
        return self._judge.judge(question, points, [answer_turn(text)])

    def share(self, question: Question, text: str) -> float:
        points = [point for point in question.points if point.proof == "said"]
        result = score(points, self.scores(question, text))
        return result.low / result.worth if result.worth else 0.0

    def met(self, question: Question, text: str) -> set[str]:
        return {item.point_id for item in self.scores(question, text) if item.verdict is Verdict.MET}


def samples_of(rows: Iterable[Graded]) -> list[Sample]:
    """Samples from graded answers: full marks are strong, at most half marks weak, the rest is left out."""
    found = []
    for row in rows:
        if row.score >= 0.99 or row.score <= 0.5:
            found.append(Sample(rubric(row.question_id, row.question, row.references), row.answer, row.score >= 0.99))
    return found


def gates(judge: Judge, samples: Sequence[Sample]) -> list[Gate]:
    """Every gate, measured on these samples."""
    court = _Court(judge)
    strong = [item for item in samples if item.strong]
    weak = [item for item in samples if not item.strong]
    questions = list({item.question.id: item.question for item in samples}.values())

    def mean(values: Iterable[float]) -> tuple[float, int]:
        listed = list(values)
        return (sum(listed) / len(listed) if listed else 0.0), len(listed)

    def gate(name: str, limit: float, values: Iterable[float], at_least: bool = False) -> Gate:
        value, count = mean(values)
        return Gate(name, round(value, 4), limit, at_least, count)

    def earns(name: str, limit: float, chosen: Sequence[Sample], change: Callable[[str], str]) -> Gate:
        return gate(name, limit, (court.share(item.question, change(item.text)) for item in chosen))

    def gains(name: str, limit: float, change: Callable[[str], str]) -> Gate:
        return gate(
            name,
            limit,
            (court.share(item.question, change(item.text)) - court.share(item.question, item.text) for item in weak),
        )

    def loses(name: str, limit: float, change: Callable[[str], str]) -> Gate:
        return gate(
            name,
            limit,
            (court.share(item.question, item.text) - court.share(item.question, change(item.text)) for item in strong),
        )

    rows: list[Gate] = []
    flips, shifts = 0.0, []
    for name, planted in attacks.INJECTIONS.items():
        row = [
            (court.share(item.question, changed) - court.share(item.question, item.text),
             len(court.met(item.question, changed) - court.met(item.question, item.text)))
            for item in weak
            for changed in (f"{item.text}\n{planted}", f"{planted}\n{item.text}")
        ]  # fmt: skip
        shifts += [abs(shift) for shift, _ in row]
        flips += sum(count for _, count in row)
        rows.append(gate(f"injection shifts the score: {name}", 0.02, (shift for shift, _ in row)))
    rows.append(Gate("injections flip points to met", flips, 0.0, samples=len(shifts)))
    rows.append(
        gate(
            "injection alone earns",
            0.0,
            (court.share(question, planted) for question in questions for planted in attacks.INJECTIONS.values()),
        )
    )
    rows.append(
        gate("trivial tokens earn", 0.0, (court.share(q, token) for q in questions for token in attacks.TRIVIAL))
    )
    rows.append(gate("one constant reply earns", 0.05, (court.share(q, attacks.CONSTANT) for q in questions)))
    rows.append(gate("off-topic fluent text earns", 0.05, (court.share(q, attacks.OFF_TOPIC) for q in questions)))
    rows.append(gate("the copied question earns", 0.05, (court.share(q, q.ask) for q in questions)))
    rows.append(
        gate(
            "the answer to another question earns",
            0.05,
            (
                court.share(other, item.text)
                for item in strong
                for other in _others(questions, questions.index(item.question))
            ),
        )
    )
    rows.append(gains("padding with fluff gains", 0.03, lambda text: f"{attacks.FLUFF} {text} {attacks.FLUFF}"))
    rows.append(gains("saying it three times gains", 0.03, lambda text: f"{text}\n{text}\n{text}"))
    rows.append(
        gate(
            "adding the question gains",
            0.03,
            (
                court.share(item.question, f"{item.question.ask}\n{item.text}") - court.share(item.question, item.text)
                for item in weak
            ),
        )
    )
    rows.append(earns("a keyword list earns", 0.20, strong, attacks.keywords))
    rows.append(earns("shuffled words earn", 0.20, strong, attacks.shuffled))
    model = [Sample(question, question.model_answer, True) for question in questions]
    rows.append(earns("the model answer's keywords earn", 0.20, model, attacks.keywords))
    rows.append(earns("the model answer's words shuffled earn", 0.20, model, attacks.shuffled))
    rows.append(earns("a right answer negated earns", 0.25, strong, attacks.negated))
    rows.append(loses("fillers cost", 0.05, attacks.with_fillers))
    rows.append(loses("speech recognition costs", 0.05, attacks.spoken))
    rows += _quote_gates(court, samples)
    rows.append(
        gate(
            "the same verdicts five times",
            1.0,
            (
                float(
                    all(
                        court.again(item.question, item.text) == court.scores(item.question, item.text)
                        for _ in range(4)
                    )
                )
                for item in samples[:20]
            ),
            at_least=True,
        )
    )
    return rows


def _others(questions: Sequence[Question], place: int) -> list[Question]:
    """Up to `_OTHERS` other questions, evenly spread over the list. More than one, for two questions may be so near to
    each other that the answer to one makes points of the other by right."""
    count = min(_OTHERS, len(questions) - 1)
    return [questions[(place + 1 + step * (len(questions) - 1) // count) % len(questions)] for step in range(count)]


def _quote_gates(court: _Court, samples: Sequence[Sample]) -> list[Gate]:
    faults, removed, alone, length = 0, 0, 0, 0
    for item in samples:
        turns = [answer_turn(item.text)]
        for found in court.scores(item.question, item.text):
            if found.verdict is not Verdict.MET:
                continue
            quotes = [quote for quote in found.evidence if isinstance(quote, Quote)]
            length += 1
            faults += not quotes or any(fault(quote, turns, item.question.ask) for quote in quotes)
            rest = item.text
            for quote in sorted(quotes, key=lambda quote: -quote.start):
                rest = rest[: quote.start] + rest[quote.end :]
            removed += found.point_id not in court.met(item.question, rest)
            alone += bool(quotes) and found.point_id in court.met(item.question, text_of(quotes[0], turns))
    total = max(length, 1)
    return [
        Gate("credited points without a quote that holds", float(faults), 0.0, samples=length),
        Gate("removing the quotes removes the point", round(removed / total, 4), 0.9, True, length),
        Gate("the first quote alone makes the point", round(alone / total, 4), 0.8, True, length),
    ]
