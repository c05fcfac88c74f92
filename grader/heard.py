"""What was misheard is held against nobody: verdicts that hang on words of low recognition confidence.

A judge reads the text of a spoken answer as if it had been typed. Afterwards each verdict that counts against the
candidate is looked at again here, whoever the judge was:

1. A point found missing is UNGRADED (UNINTELLIGIBLE) where a sentence with doubtful words comes near one of its
   phrasings and the doubtful words sound like those that are missing, or are so many that they may have been them.
2. A contradiction, and a pitfall that was committed, is UNGRADED where every word that shows it lies in a quote with
   doubtful words: "does" for "doesn't" is all it takes.

What was credited stays credited. A point that was asked about again is excused only for words that came since.
Pure text arithmetic: nothing is recognised or judged anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from domain import PointScore, Proof, Question, Quote, RubricPoint, Turn, UngradedReason, Verdict
from grader.clauses import statements
from grader.text import content_stems, stem, total_weight, words

WHY = "This hangs on words that were not heard clearly, so it was not judged."
ALIKE = 0.6  # how alike two words must sound, of 1
_SURELY = 0.8  # how alike each missing word must sound where nothing else of the phrasing was said
_NEAR = 0.25  # share of a phrasing's telling words that are said clearly near the doubtful ones
_COVERED = 0.6  # share that would be there if the doubtful words were the missing ones
_LONG_RUN = 3  # doubtful words in a row that may have been anything
_SOUNDS = (("ph", "f"), ("tch", "k"), ("ch", "k"), ("ck", "k"), ("sh", "s"), ("th", "t"), ("qu", "k"), ("x", "ks"))
_SAME = str.maketrans({"c": "k", "q": "k", "g": "k", "z": "s", "v": "f", "b": "p", "d": "t", "w": "f"})


@dataclass(frozen=True)
class _Doubt:
    """A statement with doubtful words: the stems heard clearly in it, the doubtful content words, and how many
    doubtful words of any kind stand in a row."""

    clear: frozenset[str]
    doubtful: tuple[str, ...]
    run: int


def excused(
    question: Question, scores: Sequence[PointScore], answers: Sequence[Turn], since: Mapping[str, int] | None = None
) -> list[PointScore]:
    """The scores, in order, with those UNGRADED that hang on doubtful words of the answers (`Answer.heard`).

    `since` gives, for points that were asked about again, the id of the turn that asked.
    """
    if not any(turn.answer and turn.answer.heard for turn in answers):
        return list(scores)
    result = []
    for item in scores:
        point = question.point(item.point_id)
        counted = [turn for turn in answers if turn.id > (since or {}).get(point.id, -1)]
        if point.proof is Proof.SAID and _hangs(item, point, counted):
            item = replace(
                item,
                verdict=Verdict.UNGRADED,
                reason=UngradedReason.UNINTELLIGIBLE,
                why=WHY,
                evidence=(),
                correction="",
            )
        result.append(item)
    return result


def _hangs(item: PointScore, point: RubricPoint, answers: Sequence[Turn]) -> bool:
    against = Verdict.CONTRADICTED if point.worth > 0 else Verdict.MET
    if item.verdict is against:
        quotes = [evidence for evidence in item.evidence if isinstance(evidence, Quote)]
        return bool(quotes) and all(_doubted(quote, answers) for quote in quotes)
    if item.verdict is Verdict.NOT_MET and point.worth > 0:
        phrasings = (point.says, *point.accepts)
        return any(_may_say(doubt, phrase) for turn in answers for doubt in _doubts(turn) for phrase in phrasings)
    return False


def _doubted(quote: Quote, answers: Sequence[Turn]) -> bool:
    turn = next((turn for turn in answers if turn.id == quote.turn_id), None)
    spans = turn.answer.heard if turn and turn.answer else ()
    return any(start < quote.end and quote.start < end for start, end in spans)


def _doubts(turn: Turn) -> list[_Doubt]:
    """The statements of a turn that have doubtful words."""
    spans = turn.answer.heard if turn.answer else ()
    found = []
    for statement in statements([turn]) if spans else ():
        clear: set[str] = set()
        doubtful: list[str] = []
        run = longest = 0
        for word in words(statement.text):
            start, end = statement.start + word.start, statement.start + word.end
            if any(low < end and start < high for low, high in spans):
                run += 1
                if word.content:
                    doubtful.append(turn.text[start:end])
                longest = max(longest, run)
            else:
                run = 0
                if word.content:
                    clear.add(word.stem)
        if longest:
            found.append(_Doubt(frozenset(clear), tuple(doubtful), longest))
    return found


def _may_say(doubt: _Doubt, phrase: str) -> bool:
    """Whether the sentence would say the phrasing, had its doubtful words been the right ones."""
    wanted = content_stems(phrase)
    total = total_weight(wanted)
    shared = total_weight(wanted & doubt.clear)
    missing = wanted - doubt.clear
    sounds = {word: max((alike(said, word) for said in doubt.doubtful), default=0.0) for word in missing}
    if not missing or (shared < _NEAR * total and min(sounds.values()) < _SURELY):
        return False
    possible = {word for word in missing if sounds[word] >= ALIKE}
    if doubt.run >= _LONG_RUN:
        rest = sorted(missing - possible, key=lambda word: -total_weight([word]))
        possible |= set(rest[: doubt.run])
    return bool(possible) and shared + total_weight(possible) >= _COVERED * total


def alike(said: str, word_stem: str) -> float:
    """How alike a doubtful word and the stem of another sound, in [0, 1]."""
    return SequenceMatcher(None, _sound(stem(said)), _sound(word_stem), autojunk=False).ratio()


def _sound(word: str) -> str:
    """A word as it roughly sounds: vowels are one, and consonants that are easily taken for each other are one."""
    word = word.lower()
    for written, sound in _SOUNDS:
        word = word.replace(written, sound)
    word = re.sub(r"[aeiouy]+", "a", word).translate(_SAME)
    return re.sub(r"(.)\1+", r"\1", word)
