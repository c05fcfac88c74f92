"""What the LLM judge is told: prompts from versioned files, and the candidate's words fenced as data.

The answer is defused before it is fenced. Tags that could close or open a fence, and the control tokens of common chat
templates, lose their first character to a look-alike; characters that a person cannot see become blanks. Every change
is one character for one, so that a quote found in the defused text has the same place in the stored text.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Template

from domain import Question, RubricPoint, Turn

FOLDER = Path(__file__).with_name("prompts")
REVISION = "judge-1"
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:answer|rubric|point|question|system|assistant|user|instructions?|grader|verdict)\b|\|)|"
    r"\[(?=\s*/?\s*(?:inst|system|sys)\b)",
    re.IGNORECASE,
)
_HIDDEN = {"Cf", "Co", "Cn", "Cs", "Cc"}
_LOOK_ALIKE = {"<": "‹", "[": "⟦"}


@cache
def _file(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def text(name: str, **values: str) -> str:
    """The prompt of that name with its $placeholders filled in. Values are never read as templates."""
    return Template(_file(name)).substitute(values)


@cache
def version() -> str:
    """The prompts' revision and the first digits of their SHA-256, which change with every character of them."""
    digest = hashlib.sha256()
    for path in sorted(FOLDER.glob("*.txt")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{REVISION}+{digest.hexdigest()[:8]}"


def defuse(answer: str) -> str:
    """The answer with planted delimiters and hidden characters made harmless; of equal length."""
    seen = "".join(
        character if character in "\n\t" or unicodedata.category(character) not in _HIDDEN else " "
        for character in answer
    )
    return _TAG.sub(lambda match: _LOOK_ALIKE[match.group()], seen)


def defused(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with their texts defused."""
    return [replace(turn, text=defuse(turn.text)) for turn in turns]


def request(question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> str:
    """The user message. `answers` must be defused."""
    return text(
        "judge_user",
        ask=question.ask.strip(),
        points="\n".join(_point(point) for point in points),
        answers="\n".join(f'<answer turn="{turn.id}">\n{turn.text}\n</answer>' for turn in answers),
        ids=", ".join(point.id for point in points),
    )


def _point(point: RubricPoint) -> str:
    lines = [f'<point id="{point.id}"{" kind=fault" if point.worth < 0 else ""}>', point.says]
    if point.accepts:
        lines += ["Accepted phrasings, among others:", *(f"- {accepted}" for accepted in point.accepts)]
    if point.misconceptions:
        lines.append("Misconceptions that contradict it:")
        lines += [f"- {said}" for wrong in point.misconceptions for said in wrong.says]
    return "\n".join([*lines, "</point>"])
