"""Cuts an answer, typed or spoken, into the statements it makes, and says how each is meant.

A statement is a clause, a sentence, or two neighbouring clauses: evidence rarely needs more, and a quote may not have
more than forty words. Each knows whether it is asserted at all (questions and "I don't know" are not), denied as a
whole ("I don't think that ...", "... is a myth") or taken back by what follows ("no wait, ...").
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain import Turn
from grader.quotes import MOST_WORDS
from grader.text import FILLERS, plain

LONG_CLAUSE = 24
_LEAST = 4
_WRAPPED = 130  # characters; longer lines were not wrapped by an editor

_SENTENCE_END = re.compile(
    r"(?m)(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!^\d)(?<!^\s\d)[.!?]+(?=[\s\"')\]]|$)|;|:(?=\s)|\n\s*\n|\n(?=\s*(?:[-*•\d(]|[A-Z]))"
)
_CLAUSE_START = re.compile(
    r",\s+(?=\w)|\s+[-–—]+\s+|\s+(?=(?:but|because|whereas|while|however|although|though|so that|which means|"
    r"and then|and so|meaning|instead|no wait|wait no|actually no|scratch that|or rather|sorry)\b)",
    re.IGNORECASE,
)
_CONTRAST = re.compile(r"\W*(?:but|whereas|instead|however|while)\b", re.IGNORECASE)
_DENIAL_END = re.compile(r"\b(?:but|because|since|instead|whereas|actually|in fact|really)\b", re.IGNORECASE)
# Blanked before cutting, for their commas are none of the sentence's.
_FILLER = re.compile(r",\s*(?:um+|uh+|er+m?|you know|like|i mean|so|basically)\s*,|\b(?:um+|uh+)\b,?", re.IGNORECASE)
_LIST_MARK = re.compile(r"(?:\d{1,2}[.)]|[-*•])\s+")
_LOOSE_START = re.compile(r"\s+(?=(?:and|so|then|when|if|since|where|which|or|also)\b)", re.IGNORECASE)

_RETRACTS = re.compile(
    r"^\W*(?:(?:oh|um+|uh+|hmm|well|and|but|or)\W+)*(?:no\W+wait|wait\W+no\b|wait\b|no\W+(?:sorry|actually|that)|"
    r"no,|actually\W+no|sorry\b|scratch that|strike that|correction\b|i misspoke|let me rephrase|let me correct|"
    r"i take that back|i mean(?:t)? to say|that'?s wrong|that is wrong|that'?s not right|or rather|my mistake|"
    r"i was wrong|not that)",
    re.IGNORECASE,
)
_DENIES_REST = re.compile(
    r"\b(?:i (?:do not|don't|dont|wouldn't|would not) (?:think|believe|say|agree)|i doubt|i disagree|"
    r"it(?:'s| is) (?:not|n't) (?:true|the case|correct|right)|it isn't (?:true|the case|correct)|"
    r"it(?:'s| is) (?:false|wrong|incorrect|untrue|a myth|a misconception)(?: to (?:say|think|believe))?|"
    r"(?:people|some|many|one|you|beginners|they) (?:often |may |might |could |would |sometimes |usually |wrongly )*"
    r"(?:think|say|believe|assume|claim)|contrary to|by no means|far from|under no circumstances)\b",
    re.IGNORECASE,
)
_DENIES_BEFORE = re.compile(
    r"\b(?:(?:is|are|would be|that's|which is)\W+(?:\w+\W+)?(?:wrong|false|incorrect|untrue|a myth|a misconception|"
    r"nonsense)|(?:is|are)(?: not|n't) (?:true|correct|right|the case)|not really|does not happen|never happens)\W*$",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\b(?:i (?:do not|don't|dont) (?:know|remember|recall|understand)|no idea|not (?:quite |really |so )?sure|"
    r"i (?:have )?forgot(?:ten)?|i can't (?:say|remember|explain)|i wonder|i(?: have|'ve)? never (?:heard|understood)|"
    r"(?:no|not a) clue|couldn't tell you|can you tell me|do you mean)\b",
    re.IGNORECASE,
)
# What is not known goes on to here ("I don't know what X does, but ...").
_UNKNOWN_END = re.compile(r"[,;]|\b(?:but|however|though|although|except|only that)\b", re.IGNORECASE)
_QUESTION_START = re.compile(
    r"^\W*(?:(?:so|and|but|or|um|uh|well)\W+)*(?:is|are|does|do|did|was|were|would|should|could|can|will|has|have)\s+"
    r"(?:it|they|that|this|the|there|we|you|i|not|a|an)\b",
    re.IGNORECASE,
)
# A clause that only sets the scene; alone it states nothing.
_PREMISE = re.compile(
    r"^\W*(?:(?:so|and|but|um+|uh+|well|then)\W+)*(?:when(?:ever)?|if|once|unless|as soon as|every time|each time|"
    r"until|although|though|even if|in case)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|i guess|probably|might|not (?:quite |really )?sure|possibly)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Statement:
    """A piece of an answer: the characters [start, end) of a turn's text, and how it is meant.

    `clauses` are the numbers of the clauses it covers, in the order of the whole answer. `text` is as written;
    `spoken` is the same without fillers, for embedding.
    """

    turn_id: int
    start: int
    end: int
    text: str
    clauses: tuple[int, ...]
    asserted: bool = True
    denied: bool = False
    hedged: bool = False

    @property
    def core(self) -> str:
        """The text without the words that deny it as a whole ("I don't think that")."""
        return _DENIES_REST.sub(" ", self.text) if self.denied else self.text

    @property
    def spoken(self) -> str:
        """The text without fillers, in one line."""
        return " ".join(FILLERS.sub(" ", self.text).split()) or " ".join(self.text.split())


@dataclass(frozen=True)
class _Clause:
    start: int
    end: int
    sentence: int
    asserted: bool
    denied: bool
    hedged: bool
    retracts: bool
    premise: bool


def statements(turns: Sequence[Turn]) -> list[Statement]:
    """All statements of the turns, clauses first within each place, oldest turn first."""
    found: list[Statement] = []
    number = 0
    for turn in turns:
        text = _FILLER.sub(lambda match: " " * len(match.group()), plain(turn.text))
        clauses = _clauses(text)
        found.extend(_combine(turn, text, clauses, number))
        number += len(clauses)
    return found


def is_denial(text: str) -> bool:
    """Whether a text denies what it goes on to say ("people believe that ...")."""
    return _DENIES_REST.search(text) is not None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not (text[start].isalnum() or text[start] in "$<([_"):
        start += 1
    if mark := _LIST_MARK.match(text, start, end):
        start = mark.end()
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    ends = {match.end() for match in _SENTENCE_END.finditer(text)} | _line_ends(text)
    yield from itertools.pairwise([0, *sorted(ends - {0, len(text)}), len(text)])


def _line_ends(text: str) -> set[int]:
    """Where a line ends that no editor wrapped, for it or the next one is longer than editors wrap."""
    lines = [match.span() for match in re.finditer(r"[^\n]+", text)]
    return {
        end
        for (start, end), (after, stop) in itertools.pairwise(lines)
        if max(end - start, stop - after) > _WRAPPED or text[end - 1] in "}>"
    }


def _unknown(sentence: str) -> tuple[int, int]:
    """The part of a sentence that is said not to be known; empty when there is none."""
    match = _UNKNOWN.search(sentence)
    if match is None:
        return len(sentence), len(sentence)
    end = _UNKNOWN_END.search(sentence, match.end())
    return match.start(), end.start() if end else len(sentence)


def _split(text: str, start: int, end: int, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Cut where the pattern matches and both sides keep at least four words (a retraction may be shorter)."""
    pieces, left = [], start
    for match in pattern.finditer(text, start, end):
        before, after = text[left : match.start()], text[match.end() : end]
        retracts = _RETRACTS.match(after) is not None and bool(before.split())
        contrast = _CONTRAST.match(after) is not None
        if retracts or (len(before.split()) >= _LEAST and len(after.split()) >= (2 if contrast else _LEAST)):
            pieces.append((left, match.start()))
            left = match.end()
    return [*pieces, (left, end)]


def _windows(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut what no connective divides, at most `LONG_CLAUSE` words a piece."""
    spans = [match.span() for match in re.finditer(r"\S+", text[start:end])]
    return [
        (start + spans[first][0], start + spans[min(first + LONG_CLAUSE, len(spans)) - 1][1])
        for first in range(0, len(spans), LONG_CLAUSE)
    ]


def _clauses(text: str) -> list[_Clause]:
    found: list[_Clause] = []
    for number, (start, end) in enumerate(_sentences(text)):
        sentence = text[start:end]
        asked = sentence.rstrip().endswith("?") or _QUESTION_START.match(sentence) is not None
        denied_from = match.end() if (match := _DENIES_REST.search(sentence)) else len(sentence) + 1
        denial_end = ended.start() if (ended := _DENIAL_END.search(sentence, denied_from)) else len(sentence) + 1
        denied_before = _DENIES_BEFORE.search(sentence.rstrip(" .!\n")) is not None
        unknown = _unknown(sentence)
        pieces = _split(text, start, end, _CLAUSE_START)
        pieces = [
            part
            for left, right in pieces
            for part in (
                _split(text, left, right, _LOOSE_START)
                if len(text[left:right].split()) > LONG_CLAUSE // 2
                else [(left, right)]
            )
        ]
        pieces = [part for left, right in pieces for part in _windows(text, left, right)]
        for left, right in pieces:
            first, last = _trimmed(text, left, right)
            if first >= last:
                continue
            piece = text[first:last]
            found.append(
                _Clause(
                    first,
                    last,
                    number,
                    asserted=not asked
                    and _UNKNOWN.search(piece) is None
                    and not unknown[0] <= left - start < unknown[1],
                    denied=(right - start > denied_from and left - start < denial_end) != denied_before,
                    hedged=_HEDGED.search(piece) is not None,
                    retracts=_RETRACTS.match(piece) is not None,
                    premise=len(pieces) > 1 and _PREMISE.match(piece) is not None,
                )
            )
    return found


def _combine(turn: Turn, text: str, clauses: list[_Clause], number: int) -> Iterator[Statement]:
    def make(first: int, last: int) -> Statement:
        parts = clauses[first : last + 1]
        taken_back = any(later.retracts for later in clauses[first + 1 : last + 2])
        start, end = parts[0].start, parts[-1].end
        return Statement(
            turn.id,
            start,
            end,
            text[start:end],
            tuple(range(number + first, number + last + 1)),
            asserted=all(part.asserted for part in parts)
            and not taken_back
            and not all(part.premise for part in parts),
            denied=any(part.denied for part in parts),
            hedged=any(part.hedged for part in parts),
        )

    def joins(first: int, last: int) -> bool:
        """Neighbours join when they are meant alike and no line ends between their sentences."""
        parts = clauses[first : last + 1]
        alike = len({(part.denied, part.asserted) for part in parts}) == 1
        apart = any(
            one.sentence != other.sentence and "\n" in text[one.end : other.start]
            for one, other in itertools.pairwise(parts)
        )
        return alike and not apart and _fits(text, clauses[first].start, clauses[last].end)

    for index, clause in enumerate(clauses):
        yield make(index, index)
        if index + 1 < len(clauses) and joins(index, index + 1):
            yield make(index, index + 1)
        last = index
        while last + 1 < len(clauses) and clauses[last + 1].sentence == clause.sentence:
            last += 1
        begins = index == 0 or clauses[index - 1].sentence != clause.sentence
        if begins and last > index + 1 and joins(index, last):
            yield make(index, last)


def _fits(text: str, start: int, end: int) -> bool:
    return len(text[start:end].split()) <= MOST_WORDS
