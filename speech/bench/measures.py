"""How well a transcript says what was said: word error rate, and the field's terms.

Both sides are brought to the same spelling first: case, punctuation and hyphens do not count, an identifier is the
words it is read out as (`torch.no_grad` is "torch no grad"), and numbers are words. The error rate then compares word
by word, so "auto grad" for "autograd" is two errors. A term counts as recognised in any spacing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
)
_TENS = {30: "thirty", 32: "thirty two", 50: "fifty", 64: "sixty four", 99: "ninety nine"}
_SAME = {"quantization": "quantisation", "normalization": "normalisation", "initialization": "initialisation"}


def _number(found: re.Match[str]) -> str:
    number = int(found.group())
    return f" {_ONES[number] if number < len(_ONES) else _TENS.get(number, found.group())} "


def spelled(text: str) -> list[str]:
    """The words of a text in the one spelling that is compared."""
    text = text.lower().replace("'", "").replace("’", "")
    text = re.sub(r"\bdot\b", " ", re.sub(r"[^a-z0-9]+", " ", text))
    text = re.sub(r"\d{1,4}", _number, text)
    # Letters said one by one are the word that they abbreviate: "t f" is "tf".
    text = re.sub(r"\b([a-z])((?: [a-z]\b)+)", lambda m: m.group().replace(" ", ""), " ".join(text.split()))
    return [_SAME.get(word, word) for word in text.split()]


def errors(said: Sequence[str], heard: Sequence[str]) -> int:
    """Words substituted, left out or added: the edit distance of two lists of words."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


def occurrences(term: str, words: Sequence[str]) -> int:
    """How often a term stands in a list of words, in any spacing, also in the plural."""
    wanted = "".join(spelled(term))
    found = 0
    for start in range(len(words)):
        joined = ""
        for word in words[start:]:
            joined += word
            if joined in (wanted, wanted + "s") or (joined + "s" == wanted):
                found += 1
                break
            if len(joined) > len(wanted):
                break
    return found


def recalled(terms: Sequence[str], heard: Sequence[str]) -> dict[str, tuple[int, int]]:
    """(recognised, said) for each term of a text; no more are counted as recognised than were said."""
    return {term: (min(said, occurrences(term, heard)), said) for term, said in Counter(terms).items()}


def doubt(said: Sequence[str], text: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int, int, int]:
    """How well doubt is placed: (wrong words that are doubtful, wrong words, right words that are doubtful, right
    words) of a transcript with these doubtful spans. A word is right where it is aligned with what was said.
    """
    heard = [
        (word, any(start < token.end() and token.start() < end for start, end in spans))
        for token in re.finditer(r"\S+", text)
        for word in spelled(token.group())
    ]
    blocks = SequenceMatcher(None, said, [word for word, _ in heard], autojunk=False).get_matching_blocks()
    right = {place for block in blocks for place in range(block.b, block.b + block.size)}
    doubtful = [flag for _, flag in heard]
    return (
        sum(flag for place, flag in enumerate(doubtful) if place not in right),
        len(heard) - len(right),
        sum(doubtful[place] for place in right),
        len(right),
    )
