"""The field's words, put right where a recogniser wrote something that sounds the same.

Two kinds of correction, and no other: wordings listed in corrections.yaml, where the words around them or the
question's own terms support it; and the question's identifiers, which nobody speaks with their underscores ("save for
backward" is `save_for_backward` where the question is about it). What was changed is told (`Correction`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from domain import Correction

TABLE = Path(__file__).with_name("corrections.yaml")
_CLOSE = 90  # characters on each side in which a word of the field supports a correction
_JOIN = r"[\s.\-]?"
_IDENTIFIER = re.compile(r"[A-Za-z]\w*(?:[._]\w+)+_?")
# Identifiers that begin like ordinary English are left as they were said: "comes from NumPy" is no from_numpy.
_ROOTS = {"torch", "tf", "nn", "np", "keras", "ctx"}
_ORDINARY = {"as", "from", "to", "in", "is", "with", "for"}


@dataclass(frozen=True)
class Rule:
    """One term and what is heard for it."""

    term: str
    pattern: re.Pattern[str]
    near: re.Pattern[str] | None = None


@dataclass(frozen=True)
class _Change:
    start: int
    end: int
    term: str


def corrected(
    text: str, doubtful: Sequence[tuple[int, int]], terms: Sequence[str]
) -> tuple[str, tuple[tuple[int, int], ...], tuple[Correction, ...]]:
    """The text with the field's words put right, its doubtful spans moved along, and what was corrected.

    `terms` are the question's own. A span that a correction covers is not doubtful any more.
    """
    changes: list[_Change] = []
    for rule in (*_rules(), *_identifiers(tuple(terms))):
        for match in rule.pattern.finditer(text):
            change = _Change(match.start(), match.end(), rule.term)
            free = all(change.end <= other.start or other.end <= change.start for other in changes)
            if free and _differs(match.group(), rule.term) and _supported(rule, text, match, terms):
                changes.append(change)
    return _applied(text, doubtful, sorted(changes, key=lambda change: change.start))


def _supported(rule: Rule, text: str, match: re.Match[str], terms: Sequence[str]) -> bool:
    if rule.near is None:
        return True
    around = text[max(0, match.start() - _CLOSE) : match.start()] + " ~ " + text[match.end() : match.end() + _CLOSE]
    return any(rule.term.casefold() in term.casefold() for term in terms) or bool(
        rule.near.search(around) or any(rule.near.search(term) for term in terms)
    )


def _applied(
    text: str, doubtful: Sequence[tuple[int, int]], changes: Sequence[_Change]
) -> tuple[str, tuple[tuple[int, int], ...], tuple[Correction, ...]]:
    parts: list[str] = []
    told: list[Correction] = []
    moved: list[tuple[int, int, int]] = []  # (start, end) in the old text, and how far what follows has moved
    length = at = 0
    for change in changes:
        heard, term = text[change.start : change.end], change.term
        before = text[at : change.start]
        if term.startswith(".") and before.endswith(" "):
            before = before[:-1]  # "loss dot backward" is loss.backward
        elif heard[0].isupper() and term[0].islower() and term.isalpha():
            term = term[0].upper() + term[1:]  # the beginning of a sentence stays one
        parts += [before, term]
        length += len(before)
        if _letters(heard) != _letters(term) or " " in heard:
            told.append(Correction(heard, length, length + len(term)))
        length += len(term)
        at = change.end
        moved.append((change.start, change.end, length - at))
    parts.append(text[at:])
    return "".join(parts), _moved(doubtful, moved), tuple(told)


def _moved(doubtful: Sequence[tuple[int, int]], moved: Sequence[tuple[int, int, int]]) -> tuple[tuple[int, int], ...]:
    """The doubtful spans in the corrected text, without what was corrected."""
    found: list[tuple[int, int]] = []
    for start, end in doubtful:
        left, shift = start, 0
        for old_start, old_end, after in moved:
            if old_end <= left:
                shift = after
            elif old_start < end:
                if old_start - left > 1:
                    found.append((left + shift, old_start - 1 + shift))
                left, shift = max(left, old_end), after
        if left < end:
            found.append((left + shift, end + shift))
    return tuple(found)


def _differs(heard: str, term: str) -> bool:
    """Whether more than capitals would change in a plain word: those are no mistake of hearing."""
    return heard != term and (heard.casefold() != term.casefold() or not term.isalpha() or term.isupper())


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())


@cache
def _rules() -> tuple[Rule, ...]:
    """The rules of the table, the longest wordings first."""
    import yaml

    rows: list[dict[str, Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    rules = [
        (str(heard), Rule(row["term"], _wording(str(heard), row), _beginnings(row["near"]) if "near" in row else None))
        for row in rows
        for heard in row["heard"]
    ]
    return tuple(rule for _, rule in sorted(rules, key=lambda item: -len(item[0])))


def _wording(heard: str, row: dict[str, Any]) -> re.Pattern[str]:
    words = _JOIN.join(map(re.escape, heard.split()))
    behind = "|".join(rf"(?<=\b{word}\s)" for word in row.get("before", ())) or r"(?<![\w.])"
    after = rf"(?!\W+(?:{'|'.join(row['unless'])}))" if "unless" in row else ""
    return re.compile(rf"(?:{behind}){words}(?!\w){after}", re.IGNORECASE)


def _beginnings(words: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})", re.IGNORECASE)


@lru_cache(maxsize=64)
def _identifiers(terms: tuple[str, ...]) -> tuple[Rule, ...]:
    """Rules for the question's identifiers as they are spoken, the longest first."""
    found = []
    for term in terms:
        if not _IDENTIFIER.fullmatch(term):
            continue
        parts = [part for part in re.split(r"[._]+", term) if part]
        if len(parts) < 2 or parts[0].casefold() in _ORDINARY:
            continue
        # "The tape watches nothing" is no tape.watch: between ordinary words the dot has to be said.
        said = "" if parts[0].casefold() in _ROOTS or "_" in term else r"(?=\W+dot\W|\.)"
        words = re.escape(parts[0]) + said + "".join(r"(?:\s+dot\s+|[\s._\-]*)" + re.escape(part) for part in parts[1:])
        found.append(Rule(term, re.compile(rf"(?<![\w.]){words}(?!\w)", re.IGNORECASE)))
    return tuple(sorted(found, key=lambda rule: -len(rule.term)))
