"""What somebody wants to be asked, from their own words: "3 hard pytorch questions about autograd, exam please"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain import Framework, Level, Mode, Plan

MOST_QUESTIONS = 10
_NUMBERS = {
    "a single": 1,
    "one": 1,
    "a couple of": 2,
    "two": 2,
    "a few": 3,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "a dozen": 12,
    "twelve": 12,
    "twenty": 20,
}
_COUNTED = r"(?:questions?|problems?|tasks?|exercises?|items?|qs?\b)"
# Between a number and "questions" there may be a few words: "3 hard PyTorch questions".
_COUNT = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})[ -]+(?:[\w./+-]+[ ,]+){{0,6}}?{_COUNTED}", re.I
)
_BARE_COUNT = re.compile(rf"^\s*(?:just |only |give me |ask me )?(\d{{1,2}}|{'|'.join(_NUMBERS)})\b(?!\.\d)", re.I)
_PYTORCH = re.compile(r"\b(?:py ?torch|torch(?:\.\w+)*|torchvision|lightning)\b", re.I)
_TENSORFLOW = re.compile(r"\b(?:tensor ?flow|tf(?:\.\w+|2)?|keras)\b", re.I)
_NOT = r"\b(?:no|not|nothing|never|without|except|rather than|instead of)\s+(?:(?:any|in|an?|too|that|so|very)\s+)*"
_LEVELS = (
    (Level.HARD, r"hard(?:er|est)?|difficult|tough|advanced|expert|senior|staff|principal|challenging|tricky"),
    (Level.MEDIUM, r"medium|mid(?:dle)?(?:[- ]level)?|intermediate|moderate"),
    (
        Level.EASY,
        r"easy|easier|easiest|simple|basics?|beginner'?s?|junior|entry[- ]level|intro(?:ductory)?|newbie|fundamentals?",
    ),
)
_EXAM = re.compile(
    r"\b(?:exam(?:ination)?|test me|real interview|no (?:feedback|hints?)|feedback at the end|exam[- ]mode)\b", re.I
)
_PRACTICE = re.compile(r"\b(?:practi[cs]e|practi[cs]ing|training|feedback (?:as|after|along)|learn(?:ing)?)\b", re.I)
_SPARE = frozenset(("and", "or", "of", "in", "on", "the", "a", "an", "to", "for", "with"))
# Words of asking, which say nothing of the subject and would only blur a search for it.
_ASKING = re.compile(
    r"\b(?:please|pls|thanks?|thank you|hello|hi|hey|give|ask|test|quiz|interview|me|i|we|let'?s|want|would|like"
    r"|need|love|some|any|anything|everything|whatever|questions?|ones?|mode|style|level|start|begin|go|do|have|about|on"
    r"|in|with|of|for|as|an?|the|to|and|or|just|only|my|mock|d|m|from|both|frameworks?|ok|okay|sure|yes|no|not|nothing|too|very|focus|around)\b",
    re.I,
)


@dataclass(frozen=True)
class Understood:
    """The plan, and a sentence on what was understood differently from what was written ("" mostly). `unclear` says
    why it is better to ask again than to begin with this plan."""

    plan: Plan
    note: str = ""
    unclear: str = ""


def understand(text: str, topics: Mapping[str, Sequence[str]]) -> Understood:
    """The plan in somebody's words. `topics` maps each topic on offer to its keywords.

    What is not said stays at the plan's defaults. The words go into `focus`, which retrieval reads, so that what no
    rule understands ("my gradients explode") still decides what is asked; `focus` is "" where only such things were
    said as the other fields hold.
    """
    said = " ".join(text.split())
    wanted = _count(said)
    questions = Plan().questions if wanted is None else min(max(wanted, 1), MOST_QUESTIONS)
    note = ""
    if wanted is not None and wanted != questions:
        note = f"I ask from 1 to {MOST_QUESTIONS} questions, so it will be {questions}."
    exam = _EXAM.search(said) and not re.search(f"{_NOT}exam", said, re.I)
    practice = _PRACTICE.search(said) and not re.search(f"{_NOT}practi", said, re.I)
    plan = Plan(
        framework=_framework(said),
        level=_level(said),
        topics=_topics(said, topics),
        focus=_subject(said),
        questions=questions,
        mode=Mode.EXAM if exam and not practice else Mode.PRACTICE,
    )
    return Understood(plan, note)


def _subject(text: str) -> str:
    """The text, or "" where nothing in it names a subject: only number, level, framework, mode and words of asking."""
    left = _COUNT.sub(" ", text)
    left = _BARE_COUNT.sub(" ", left)
    for pattern in (_EXAM, _PRACTICE, _PYTORCH, _TENSORFLOW, *(re.compile(rf"\b(?:{w})\b", re.I) for _, w in _LEVELS)):
        left = pattern.sub(" ", left)
    return text if re.search(r"[^\W\d]{2,}", _ASKING.sub(" ", left)) else ""


def _count(text: str) -> int | None:
    match = _COUNT.search(text) or _BARE_COUNT.search(text)
    if match is None:
        return None
    word = match[1].lower()
    return int(word) if word.isdigit() else _NUMBERS[word]


def _framework(text: str) -> Framework:
    torch = _PYTORCH.search(text) and not re.search(_NOT + _PYTORCH.pattern, text, re.I)
    tensorflow = _TENSORFLOW.search(text) and not re.search(_NOT + _TENSORFLOW.pattern, text, re.I)
    if bool(torch) == bool(tensorflow):
        return Framework.BOTH
    return Framework.PYTORCH if torch else Framework.TENSORFLOW


def _level(text: str) -> Level | None:
    found = {
        level
        for level, words in _LEVELS
        if re.search(rf"\b(?:{words})\b", text, re.I) and not re.search(rf"{_NOT}(?:{words})\b", text, re.I)
    }
    return found.pop() if len(found) == 1 else None  # "easy to hard" names no level


def _topics(text: str, topics: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The topics named outright, or else those of a keyword of several words that belongs to one topic only.

    A single word ("gradient") decides nothing: it says in passing what retrieval weighs better.
    """
    words = _plain(text)
    named = [topic for topic in topics if _has(words, topic)]
    if named:
        return tuple(named)
    owners: dict[str, set[str]] = {}
    for topic, keywords in topics.items():
        for keyword in keywords:
            owners.setdefault(_plain(keyword), set()).add(topic)
    found = {
        next(iter(owner))
        for keyword, owner in owners.items()
        if len(owner) == 1 and " " in keyword and _has(words, keyword)
    }
    return tuple(topic for topic in topics if topic in found)


def _plain(text: str) -> str:
    """Lower-case words with a space between, singular and plural alike, small words left out."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return " ".join(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words if word not in _SPARE)


def _has(words: str, name: str) -> bool:
    wanted = _plain(name)
    return len(wanted) > 2 and f" {wanted} " in f" {words} "
