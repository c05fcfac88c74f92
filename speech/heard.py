"""Whether the field's terms can be understood as the voice says them: each is spoken and recognised back.

A term counts as understood when the recogniser writes it, or one of its listed spellings, into its place in a carrier
sentence. The recogniser is told a handful of terms of the table, the one in question among them, as it is told the
terms of a question. The control puts another term in the same place: nothing may be understood as what was not said.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from domain import Recogniser, UserError, Voice
from speech.pronounce import Term, terms

CARRIER = "The question is about {}, and you may take your time."
_TOLD = 8  # terms that the recogniser is told


@dataclass(frozen=True)
class Understood:
    """One term, what was written down of the sentence that held it, whether it was understood, and whether it was
    "understood" in a sentence that held another term (`control`), which must not be."""

    term: str
    text: str
    understood: bool
    control: bool


def understood(term: Term, text: str) -> bool:
    """Whether the text holds the term in one of its spellings."""
    squeezed = _squeezed(text)
    return any(f" {spelling} " in f" {squeezed} " for spelling in map(_squeezed, term.heard) if spelling)


def _squeezed(text: str) -> str:
    """Letters and digits in words: case, punctuation and the gaps of spelled-out letters do not count."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])[_.](?=[a-z])", " ", text.lower()))
    joined: list[str] = []
    run = False
    for word in words:
        single = len(word) == 1 and word != "a"
        if joined and single and run:
            joined[-1] += word
        else:
            joined.append(word)
        run = single
    return " ".join(joined)


def check(
    voice: Voice, recogniser: Recogniser, chosen: Sequence[str] = (), *, control: bool = True
) -> Iterator[Understood]:
    """Every term of the table (or only the `chosen`), spoken and recognised back. Raises UserError for a term that
    the table does not hold."""
    if unknown := [name for name in chosen if name not in terms()]:
        raise UserError(f"The pronunciation table does not hold {', '.join(unknown)}.")
    table = [terms()[name] for name in chosen] if chosen else list(terms().values())
    every = list(terms().values())
    for term in table:
        start = every.index(term)
        told = [every[(start + step * 7) % len(every)].written for step in range(_TOLD)]
        text = _recognised(voice, recogniser, term, told)
        wrong = False
        if control:
            others = (every[(start + step) % len(every)] for step in range(11, 11 + len(every)))
            other = next(other for other in others if not _alike(other, term))
            wrong = understood(term, _recognised(voice, recogniser, other, told))
        yield Understood(term.written, text, understood(term, text), wrong)


def _alike(one: Term, other: Term) -> bool:
    return any(spelling in other.heard for spelling in one.heard) or one.spoken[:2].lower() == other.spoken[:2].lower()


def _recognised(voice: Voice, recogniser: Recogniser, term: Term, told: Sequence[str]) -> str:
    sounds = list(voice.say(CARRIER.format(f"`{term.written}`" if term.written.isidentifier() else term.written)))
    with tempfile.TemporaryDirectory(prefix="viva-speech-") as folder:
        texts = []
        for number, sound in enumerate(sounds):
            path = Path(folder) / f"{number}.wav"
            path.write_bytes(sound)
            texts.append(list(recogniser.transcribe(path, told))[-1].text)
    return " ".join(texts)
