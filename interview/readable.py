# ruff: noqa: E501 (lists of words)
"""Whether an answer is one that could be judged: not the question sent back, and in a language that the judge reads."""

from __future__ import annotations

import re
import unicodedata

from interview.blocks import parts

ECHOED = 0.9  # share of the answer's words that stand in the question in the same order, from which it is the question
_ECHO_WORDS = 6
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# The commonest words of other languages in Latin script, none of which is a word of English or of the field.
_FOREIGN = frozenset(
    re.findall(
        r"\w+",
        "el los las una uno unos del que por para como pero porque cuando esta este esto muy más también según entonces"
        " les une dans avec est sont qui pas cette ces mais donc alors parce chaque très être der das und ist nicht mit"
        " von zu ein eine einen einer wird werden auf für sich aber weil wenn dass durch oder il lo gli della delle"
        " dello nel nella sono perché quando anche questo questa più viene ogni essere uma não com mais você seu sua então"
        " isso são pelo pela cada het een niet voor zijn wordt worden maar omdat ook deze dit naar jest nie się oraz przez"
        " który która jak tylko żeby dla och att som är inte för på ett av bir bu için çok değil olarak",
    )
)
_ENGLISH = frozenset(
    re.findall(
        r"[\w']+",
        "the a an of to in is are was it its that this these those and or not with for on at by as be if when then so"
        " you because i we they your my from into which what how why where there can will would should does do has have had"
        " but no only each every all any more than also just after before over out up don't doesn't isn't it's that's",
    )
)


def english(text: str) -> bool:
    """Whether the words of an answer are English, as far as that can be told; true of short or technical ones."""
    words = parts(text).words
    letters = [letter for letter in words if letter.isalpha()]
    if not letters:
        return True
    latin = sum("LATIN" in unicodedata.name(letter, "") or letter in "µσαβγδεθλπρφωΣΔ∂" for letter in letters)
    if latin < 0.6 * len(letters):
        return False
    said = [word.lower() for word in _WORD.findall(words)]
    foreign = sum(word in _FOREIGN for word in said)
    return foreign < 3 or foreign < 0.12 * len(said) or foreign <= sum(word in _ENGLISH for word in said)


def echoes(text: str, asked: str) -> bool:
    """Whether an answer is nothing but the question, sent back."""
    said, known = _WORD.findall(text.lower()), _WORD.findall(asked.lower())
    if len(said) < _ECHO_WORDS:
        return False
    places = f" {' '.join(known)} "
    runs = 0
    number = 0
    while number < len(said):
        length = 0
        while number + length < len(said) and f" {' '.join(said[number : number + length + 1])} " in places:
            length += 1
        runs += length if length >= 4 else 0
        number += max(length, 1)
    return runs >= ECHOED * len(said)
