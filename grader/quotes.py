"""Quotes: the words that a credited point stands on, and the check that they stand in the answer.

A quote holds when it is an exact part of the stored text of one turn, has at most `MOST_WORDS` words and is not mostly
the question's own words. Code checks this for every judge; a verdict of MET without such a quote does not stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from domain import Quote, Turn
from grader.text import SHORT_ASK, content_stems, words

MOST_WORDS = 40
MOST_BORROWED = 0.6
_EDGE = " \t\r\n\"'“”‘’…*`"


def borrowed(text: str, ask: str) -> float:
    """The share of a text that the question brought in, in [0, 1]; 1 for a text without content words.

    Of a short question every word counts as its own. A long one has nearly all words of its subject, so there only
    runs of three words and more, in the same order, count as taken from it.
    """
    own = content_stems(text)
    if not own:
        return 1.0
    asked = content_stems(ask)
    if len(asked) <= SHORT_ASK:
        return len(own & asked) / len(own)
    row, runs = [word.stem for word in words(text)], _runs(ask)
    taken = {
        place + step for place in range(len(row) - 2) if tuple(row[place : place + 3]) in runs for step in range(3)
    }
    return len(taken) / len(row)


@lru_cache(maxsize=256)
def _runs(ask: str) -> frozenset[tuple[str, ...]]:
    row = [word.stem for word in words(ask)]
    return frozenset(tuple(row[place : place + 3]) for place in range(len(row) - 2))


def fault(quote: Quote, turns: Sequence[Turn], ask: str) -> str:
    """Why a quote does not hold, or "" when it does."""
    turn = next((item for item in turns if item.id == quote.turn_id), None)
    if turn is None or not 0 <= quote.start < quote.end <= len(turn.text):
        return "the quote is outside the answer"
    text = turn.text[quote.start : quote.end]
    if not text.strip():
        return "the quote is empty"
    if len(text.split()) > MOST_WORDS:
        return f"the quote has more than {MOST_WORDS} words"
    if borrowed(text, ask) > MOST_BORROWED:
        return "the quote is mostly the question's own words"
    return ""


def locate(text: str, turns: Sequence[Turn]) -> Quote | None:
    """Where a quoted text stands, the latest turn first, or None. White space may differ and quotation marks around
    it are dropped; every other character must be the candidate's own."""
    pieces = text.strip(_EDGE).split()
    if not pieces:
        return None
    pattern = re.compile(r"\s+".join(re.escape(piece) for piece in pieces))
    for turn in reversed(turns):
        if match := pattern.search(turn.text):
            return Quote(turn.id, match.start(), match.end())
    return None


def text_of(quote: Quote, turns: Sequence[Turn]) -> str:
    """The quoted characters. Raises KeyError when no turn has that id."""
    for turn in turns:
        if turn.id == quote.turn_id:
            return turn.text[quote.start : quote.end]
    raise KeyError(quote.turn_id)
