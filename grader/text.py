"""Words, as the grader sees them: cleaning that keeps offsets, stems, weights and negation.

Everything here is deterministic and knows nothing of rubrics. `plain` maps character to character, so that a
position in the cleaned text is the same position in the stored text, which quotes point into.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from grader.lexicon import FUNCTION_WORDS, IRREGULAR, NEGATORS, OPPOSITES

FILLERS = re.compile(
    r"\b(?:um+|uh+|er+m?|hmm+|ah|you know|i mean|i guess|i think|i believe|i would say|sort of|kind of|basically|"
    r"well|okay|ok|yeah|right|so yeah|let me see|like|no wait|wait no|oh|actually no)\b,?",
    re.IGNORECASE,
)
# Distinct content words up to which a question is short. The words of a longer one are those of the whole subject, and
# that an answer shares them tells nothing.
SHORT_ASK = 25
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z]{2})")
_QUOTE_MARKS = {ord(mark): "'" for mark in "‘’ʼ`´"} | {ord(mark): '"' for mark in "“”„«»"}
_HIDDEN = {"Cf", "Co", "Cn", "Cc", "Cs"}
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)

_INSTEAD = re.compile(r"\b(?:instead of|rather than|as opposed to|unlike|other than)\b")
_SCOPE_END = re.compile(r"[,;:.!?()\n]|\b(?:but|because|since|so|which|while|whereas|unless|until|if|when|and then)\b")
_CONDITION = re.compile(r"\b(?:if|unless|without|whether|when|otherwise|in case|until)\b[^,;:.!?()\n]*")
_NOT_ONLY = re.compile(r"\b(?:not only|not just|no matter|not necessarily only)\b")


@dataclass(frozen=True)
class Word:
    """A word of a text: its stem, where it stands, and whether it is denied there.

    `open` words stand under a condition ("if you do not ...", "without ..."), where a denial does not deny.
    """

    stem: str
    start: int
    end: int
    negated: bool = False
    content: bool = True
    open: bool = False


def plain(text: str) -> str:
    """The text with hidden characters blanked, quotation marks made plain and fenced code blanked, of equal length."""
    text = _FENCE.sub(lambda block: " " * len(block.group()), text)
    return "".join(
        character if character in "\n\t" else " " if unicodedata.category(character) in _HIDDEN else character
        for character in text.translate(_QUOTE_MARKS)
    )


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light English stem: plural, -ing, -ed, -ion, -ly and final e go. Good for matching, not for reading."""
    word = word.lower().replace("'", "").replace("’", "")
    word = IRREGULAR.get(word, word)
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("sses", "ches", "shes", "xes")) else word[:-1]
    for ending, least in (("ization", 9), ("ation", 8), ("ion", 6), ("ing", 6), ("ed", 5), ("ly", 5)):
        if len(word) >= least and word.endswith(ending):
            word = word[: -len(ending)] + {"ization": "iz", "ation": "at"}.get(ending, "")
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    word = word[:-1] if len(word) > 3 and word.endswith("e") else word
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


@cache
def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for first, second in OPPOSITES:
        table.setdefault(stem(first), set()).add(stem(second))
        table.setdefault(stem(second), set()).add(stem(first))
    return {word: frozenset(others) for word, others in table.items()}


def opposites(word_stem: str) -> frozenset[str]:
    """Stems that mean the opposite of this one, from a small hand-made list."""
    return _opposites().get(word_stem, frozenset())


@cache
def _ranks() -> dict[str, int]:
    """Rank by frequency of common English words, from the vocabulary of bert-base-uncased (Apache-2.0), whose
    order falls with frequency. Stems take the rank of their commonest word."""
    ranks: dict[str, int] = {}
    words = (Path(__file__).with_name("common_words.txt")).read_text(encoding="utf-8").split()
    for rank, word in enumerate(words):
        ranks.setdefault(stem(word), rank)
    return ranks


@lru_cache(maxsize=65536)
def weight(word_stem: str) -> float:
    """How telling a word is, in [0.25, 1]: the logarithm of its frequency rank; 1 for words outside the common ones."""
    ranks = _ranks()
    rank = ranks.get(word_stem)
    return 1.0 if rank is None else 0.25 + 0.75 * math.log(rank + 2) / math.log(len(ranks) + 2)


def _denied_spans(lowered: str) -> list[tuple[int, int]]:
    """Spans in the scope of a negator: from it to the end of its clause, at most seven words on."""
    skip = [match.span() for match in _NOT_ONLY.finditer(lowered)]
    starts = [match.end() for match in _INSTEAD.finditer(lowered)]
    for match in _WORD.finditer(lowered):
        word = match.group().replace("'", "")
        if (word in NEGATORS or match.group().endswith("n't")) and not any(a <= match.start() < b for a, b in skip):
            starts.append(match.end())
    spans = []
    for start in starts:
        stop = _SCOPE_END.search(lowered, start)
        end = stop.start() if stop else len(lowered)
        within = list(_WORD.finditer(lowered, start, end))
        spans.append((start, within[6].end() if len(within) > 6 else end))
    return spans


@lru_cache(maxsize=16384)
def words(text: str) -> tuple[Word, ...]:
    """The words of a text in order. Identifiers come apart: `zero_grad` is two words, as it is when spoken."""
    lowered = text.lower() if len(text.lower()) == len(text) else text
    denied = _denied_spans(lowered)
    conditions = [match.span() for match in _CONDITION.finditer(lowered)]
    found = []
    for match in _WORD.finditer(text):
        position = match.start()
        for part in _CAMEL.split(match.group()):
            low = part.lower().replace("’", "'")
            bare = low.replace("'", "")
            content = bare not in FUNCTION_WORDS and bare not in NEGATORS and not low.endswith("n't")
            negated = sum(start <= position < end for start, end in denied) % 2 == 1
            under = any(start <= position < end for start, end in conditions)
            found.append(Word(stem(low), position, position + len(part), negated, content, under))
            position += len(part)
    return tuple(found)


def content_stems(text: str) -> frozenset[str]:
    """The distinct stems of a text's content words."""
    return frozenset(word.stem for word in words(text) if word.content)


def count_words(text: str) -> int:
    """How many words a text has, by white space, which is how the limit on quotes counts."""
    return len(text.split())


def total_weight(stems: Iterable[str]) -> float:
    """The summed weight of stems."""
    return sum(weight(item) for item in stems)
