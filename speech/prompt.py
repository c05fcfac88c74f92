"""What a recogniser is told before it listens: the words of the field that this question is likely to bring.

Whisper continues a text. A sentence that uses the terms makes them likely without forcing them, and what was said last
keeps sentences that were cut in two whole.
"""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST_TERMS = 420  # characters: about 110 of the 223 tokens that Whisper takes as a prompt
_LONGEST_BEFORE = 160


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
