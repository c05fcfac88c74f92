"""How well a statement of an answer says what a phrasing says: nearness, coverage, and whether it says the opposite.

Nearness is the cosine of sentence embeddings. It tells the topic and not the truth: an answer that states the opposite
is as near as one that is right. Coverage is the share of the phrasing's telling words that the statement has, words of
the question left out. Opposition compares, word by word, what both deny, and the order around words like "before".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from grader.text import SHORT_ASK, Word, content_stems, opposites, stem, total_weight, weight, words

# Words around which the sides may not be swapped; the second of a pair is the same relation seen from the other side.
_FORWARD = """
before from than over depends requires needs causes contains inherits because precedes leads
produces not instead rather unlike replaces while whereas
"""
_BACKWARD = "after to into follows"
_RELATIONS = {stem(word): 0 for word in _FORWARD.split()} | {stem(word): 1 for word in _BACKWARD.split()}
_TIME = {stem("before"), stem("after")}
_NEIGHBOURS = 3


@dataclass(frozen=True)
class Comparison:
    """What word by word comparison shows, all in [0, 1] and by weight: `coverage`, the phrasing's telling words that
    the statement says in the same sense; `overlap`, those it says in any sense; `opposed`, the share of the shared
    words that one side denies and the other asserts, or that stand the other way round."""

    coverage: float
    overlap: float
    opposed: float


@lru_cache(maxsize=8192)
def _telling(phrase: str, ask: str, rivals: frozenset[str]) -> frozenset[str]:
    """The phrasing's content words less the question's and less those that rival phrasings share; where nothing
    remains, less the question's alone, or else all."""
    own = content_stems(phrase)
    asked = content_stems(ask)
    rest = own - asked if len(asked) <= SHORT_ASK else own
    return rest - rivals or rest or own


def compare(
    statement: str, phrase: str, ask: str = "", denied: bool = False, rivals: frozenset[str] = frozenset()
) -> Comparison:
    """Compare a statement with a phrasing. `denied` says that the statement is denied as a whole; `rivals` are the
    content words of what the phrasing must be told apart from, which therefore tell nothing."""
    ours, theirs = _by_stem(statement), _by_stem(phrase)
    wanted = _telling(phrase, ask, rivals)
    total = total_weight(wanted)
    covered = shared = flipped = met = 0.0
    for item, their in theirs.items():
        if rivals and item not in wanted:
            continue
        heavy = weight(item)
        flips: list[bool] = []
        if item in ours:
            flips = [word.negated != their[0].negated for word in ours[item]]
        else:
            for other in opposites(item) & ours.keys():
                if other not in theirs:
                    flips += [word.negated == their[0].negated for word in ours[other]]
        if not flips:
            continue
        # A word said both ways ("not X but X") or under a condition settles nothing.
        settled = len(set(flips)) == 1 and not their[0].open and not any(word.open for word in ours.get(item, ()))
        flip = all(flips) != denied if settled else False
        shared += heavy
        flipped += heavy * flip
        covered += heavy * (item in wanted and not flip)
        met += heavy * (item in wanted)
    opposed = flipped / shared if shared else 0.0
    if _swapped(words(statement), words(phrase)):
        opposed = max(opposed, 0.5)
    return Comparison(covered / total if total else 0.0, met / total if total else 0.0, opposed)


@lru_cache(maxsize=16384)
def _by_stem(text: str) -> dict[str, list[Word]]:
    found: dict[str, list[Word]] = {}
    for word in words(text):
        if word.content:
            found.setdefault(word.stem, []).append(word)
    return found


def _sides(row: tuple[Word, ...]) -> list[tuple[str, int, frozenset[str], frozenset[str]]]:
    """(relation, direction, content stems just before, content stems just after) for each relation word."""
    found = []
    for index, word in enumerate(row):
        if word.stem in _RELATIONS:
            left = [item.stem for item in row[:index] if item.content and item.stem not in _RELATIONS][-_NEIGHBOURS:]
            right = [item.stem for item in row[index + 1 :] if item.content and item.stem not in _RELATIONS]
            found.append((word.stem, _RELATIONS[word.stem], frozenset(left), frozenset(right[:_NEIGHBOURS])))
    return found


def _swapped(ours: tuple[Word, ...], theirs: tuple[Word, ...]) -> bool:
    """Whether the same relation word joins the same things the other way round, and nowhere the same way."""
    swapped = False
    for name, direction, left, right in _sides(theirs):
        for other, other_direction, other_left, other_right in _sides(ours):
            related = name == other or {name, other} == _TIME
            if not related:
                continue
            if direction != other_direction:
                other_left, other_right = other_right, other_left
            if left & other_left - right and right & other_right - left:
                return False
            swapped |= bool((left & other_right) - right and (right & other_left) - left)
    return swapped
