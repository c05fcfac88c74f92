"""Labelled answers to the bank's questions: what people answered, and the verdict that a person gave on each point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain import Judge, Question, UserError, Verdict
from grader import statistics
from grader.public import answer_turn

KINDS = ("strong", "middling", "wrong", "stuffed", "rambling", "off_topic")
LABELS = (Verdict.MET, Verdict.NOT_MET, Verdict.CONTRADICTED)


@dataclass(frozen=True)
class Labelled:
    """An answer, and (point id, verdict) for the points that were labelled. `kind` is one of `KINDS`."""

    question: Question
    id: str
    kind: str
    text: str
    verdicts: tuple[tuple[str, Verdict], ...]


def read(path: Path, question: Question) -> list[Labelled]:
    """The answers of an answers.yaml. Raises UserError naming file and answer when something is amiss."""
    import yaml

    try:
        rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"{path} cannot be read: {error}") from error
    if not isinstance(rows, list):
        raise UserError(f"{path} must hold a list of answers.")
    return [_labelled(path, question, number, row) for number, row in enumerate(rows, 1)]


def _labelled(path: Path, question: Question, number: int, row: Any) -> Labelled:
    where = f"{path}, answer {number}"
    if not isinstance(row, dict) or not {"id", "kind", "text", "verdicts"} <= row.keys():
        raise UserError(f"{where}: needs id, kind, text and verdicts.")
    if row["kind"] not in KINDS:
        raise UserError(f"{where}: kind must be one of {', '.join(KINDS)}, and is {row['kind']!r}.")
    known = {point.id for point in question.points}
    verdicts = []
    for point_id, verdict in (row["verdicts"] or {}).items():
        if point_id not in known or verdict not in {label.value for label in LABELS}:
            raise UserError(f"{where}: {point_id}: {verdict} is not a verdict on a point of {question.id}.")
        verdicts.append((str(point_id), Verdict(verdict)))
    return Labelled(question, str(row["id"]), row["kind"], str(row["text"]), tuple(verdicts))


def measure(judge: Judge, answers: Sequence[Labelled]) -> dict[str, Any]:
    """Agreement point by point: macro-F1 over the three verdicts (UNGRADED is always an error), and what is credited
    wrongly, as counts and shares."""
    truth: list[str] = []
    found: list[str] = []
    errors = []
    for item in answers:
        points = [item.question.point(point_id) for point_id, _ in item.verdicts]
        for (point_id, real), score in zip(
            item.verdicts, judge.judge(item.question, points, [answer_turn(item.text)]), strict=True
        ):
            truth.append(real.value)
            found.append(score.verdict.value)
            if score.verdict is not real:
                errors.append(f"{item.question.id}/{item.id}/{point_id}: {real.value}, judged {score.verdict.value}")
    pairs = list(zip(truth, found, strict=True))

    def share(real: Verdict, judged: Verdict) -> float:
        of = [b for a, b in pairs if a == real.value]
        return sum(b == judged.value for b in of) / len(of) if of else 0.0

    return {
        "judge": judge.name,
        "answers": len(answers),
        "points": len(pairs),
        "macro_f1": statistics.macro_f1(truth, found, [label.value for label in LABELS]) if pairs else 0.0,
        "accuracy": sum(a == b for a, b in pairs) / max(len(pairs), 1),
        "met_found": share(Verdict.MET, Verdict.MET),
        "not_met_credited": share(Verdict.NOT_MET, Verdict.MET),
        "contradicted_credited": share(Verdict.CONTRADICTED, Verdict.MET),
        "contradicted_found": share(Verdict.CONTRADICTED, Verdict.CONTRADICTED),
        "ungraded": sum(b == Verdict.UNGRADED.value for b in found) / max(len(found), 1),
        "errors": errors,
    }
