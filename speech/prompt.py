"""What a recogniser is told before it listens: the words of the field that this question is likely to bring.

Whisper continues a text. A sentence that uses the terms makes them likely without forcing them, and what was said last
keeps sentences that were cut in two whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from domain import Proof, Question

_LONGEST_TERMS = 420  # characters: about 110 of the 223 tokens that Whisper takes as a prompt
_LONGEST_BEFORE = 160
_MOST_TERMS = 60
# Names that a rubric or starter code mentions: torch.no_grad, requires_grad, GradientTape, FP16.
_NAME = re.compile(
    r"\b(?:[A-Za-z]\w*(?:\.[A-Za-z]\w*)+|[A-Za-z]+(?:_[A-Za-z0-9]+)+|[A-Z][a-z]+[A-Z]\w+|[A-Z]{2,}\d*)\b"
)
_NO_TERMS = {"e.g", "i.e", "README"}


def question_terms(question: Question) -> tuple[str, ...]:
    """The words of the field that an answer to a question is likely to bring, the likeliest first: its own list, names
    in what its points say, and then its framework and those of the starter code."""
    found = dict.fromkeys(question.terms)
    for text in _texts(question):
        found.update(dict.fromkeys(name for name in _NAME.findall(text) if name not in _NO_TERMS))
    return tuple(found)[:_MOST_TERMS]


def _texts(question: Question) -> Iterator[str]:
    for point in question.points:
        if point.proof is Proof.SAID:
            yield point.says
            yield from point.accepts
    yield question.ask
    yield question.starter


def prompt(terms: Sequence[str], before: str = "") -> str:
    """The prompt for one stretch of an answer: `terms`, most likely first, and the end of what was said `before`."""
    chosen: list[str] = []
    room = _LONGEST_TERMS
    for term in dict.fromkeys(" ".join(term.split()) for term in terms):
        if term and len(term) + 2 <= room:
            chosen.append(term)
            room -= len(term) + 2
    opening = f"An interview on PyTorch and TensorFlow: {', '.join(chosen)}." if chosen else "An interview."
    if len(before) > _LONGEST_BEFORE:
        before = before[-_LONGEST_BEFORE:].partition(" ")[2]
    return f"{opening} {before}".strip()
