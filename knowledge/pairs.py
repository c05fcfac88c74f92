"""Finds the questions and answers in the text of a document, in spite of how pages get mangled when copied.

Known shapes: `Q1: …` / `Answer: …`; a level glued to a kind ("HardSystem Design") above a question and `Sample Answer`;
headings, bold lines and numbered lines that ask; `<details><summary>`; a table with a question and an answer column;
and, where nothing else is found, lines that ask and stand alone. What belongs to no question is left over as `rest`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from domain import Kind, Level
from knowledge.prose import Parser, split, unglued, untagged
from knowledge.words import sentences, words

_LEVEL = re.compile(r"^(easy|medium|hard)\s*[-–:]?\s*(technical|system design|coding|behaviou?ral|conceptual)?$", re.I)
_POPULARITY = re.compile(r"^(\d{1,5}) practi[cs]ed$", re.I)
_SAMPLE = re.compile(r"^(?:#{1,6}\s*)?\**(?:sample|model|example|suggested)?\s*answer\**\s*:?\**$", re.I)
_NUMBERED = re.compile(r"^(?:(#{1,6})\s*)?\**(?:Q|Question)\s*\d*\s*[:.)]\**\s*(.+?)\**$", re.I)
_NUMBER_ALONE = re.compile(r"^(?:#{1,6}\s*)?\**(?:Q|Question)\s*\d+\s*[:.)]?\**$", re.I)
_ANSWER = re.compile(r"^\**(?:A|Ans|Answer|Solution)\s*\d*\s*[:.)]\**\s*(.*)$", re.I)
_ASKS = (
    r"(?:explain|describe|compare|discuss|implement|(?:write|design|define|outline) (?:an?|the)|how|why|what|when)\b.+"
)
_HEADING = re.compile(rf"^(#{{1,6}})\s+\**(?:\d+[.)]\s*)?(.+\?|{_ASKS})\**\s*#*$", re.I)
_BOLD = re.compile(rf"^(?:\d+[.)]\s*)?(?:\*\*|__)(?:\d+[.)]\s*)?(.+\?|{_ASKS})(?:\*\*|__)$", re.I)
_LISTED = re.compile(r"^\d+[.)]\s+\**(.+\?)\**$")
_SUMMARY = re.compile(r"<summary>\s*(.+?)\s*</summary>", re.I)
_ALONE = re.compile(r"^[A-Z][^.!?]{9,250}\?$")
_TITLE = re.compile(r"^[A-Z][\w’'/-]*(?: (?:[A-Z][\w’'/-]*|and|of|the|to|for|&)){0,5}$")
_SECTION = re.compile(r"^(#{1,6})\s+\S")
_END = re.compile(r"</details>", re.I)
_KINDS = {"system design": Kind.DESIGN, "coding": Kind.CODE}
_QUESTION_HEADS = {"question", "questions", "q", "prompt", "ask"}
_ANSWER_HEADS = {"answer", "answers", "a", "response", "reply", "sample answer", "model answer"}
_LEVEL_HEADS = {"level", "difficulty"}
PROMOTION_UP_TO = 160  # characters; a longer line says something besides
_PROMOTION = re.compile(
    r"\b(?:unlock (?:the |all |your )?(?:full|premium|more|access)|join (?:thousands|millions|our|over \d)|sign up|"
    r"log ?in to|subscribe|newsletter|free trial|(?:get|gain) (?:full |unlimited |instant )?access to|follow us|"
    r"share this|enrol+ (?:now|today|in our)|buy now|limited[- ]time|click here|accept (?:all )?cookies|dream job)\b",
    re.I,
)
# Copied pages lose the underscores of Python's special methods. These words are nothing else; in a sentence that has
# one of them, or speaks of methods, so are the others.
_DUNDER = re.compile(r"(?<![\w.`(])(getitem|setitem|delitem|getstate|setstate)(?![\w`])")
_DUNDER_TOO = re.compile(r"(?<![\w.`(])(len|init|iter|next|call|contains|enter|exit|repr)(?![\w`(])")


@dataclass
class Pair:
    """A question found in a document, and what it says about it. `line` is where it begins, 1-based. `points` are the
    answer's sentences."""

    question: str
    line: int
    level: Level | None = None
    kind: Kind = Kind.EXPLAIN
    popularity: int = 0
    answer: str = ""
    code: str = ""
    points: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Found:
    """The pairs of a document in order, and the text that belongs to none of them."""

    pairs: list[Pair]
    rest: str


def find_pairs(text: str) -> list[Pair]:
    """The questions of a document in order, each with its answer, code and rubric-point drafts."""
    return find(text).pairs


def find(text: str) -> Found:
    """The questions of a document, and the text that is left over."""
    lines = ["" if is_promotion(line) else line for line in unglued(text)]
    found = _Reader(_opening).read(lines)
    if not found.pairs and sum(map(_stands_alone, _with_neighbours(lines))) > 1:
        alone = {number for number, around in enumerate(_with_neighbours(lines), start=1) if _stands_alone(around)}
        found = _Reader(lambda line, number: (line, 0) if number in alone else None).read(lines)
    return found


def is_promotion(line: str) -> bool:
    """Whether a line advertises."""
    return len(line) <= PROMOTION_UP_TO and bool(_PROMOTION.search(line))


def _with_neighbours(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    stripped = ["", *(line.strip() for line in lines), ""]
    return zip(stripped, stripped[1:], stripped[2:], strict=False)


def _stands_alone(around: tuple[str, str, str]) -> bool:
    before, line, after = around
    return bool(_ALONE.match(line)) and not before.endswith("?") and (not before or bool(after))


def _opening(line: str, _number: int) -> tuple[str, int] | None:
    """The question and the depth of its heading (0 for none), where the line is a question by its form."""
    if found := _NUMBERED.match(line):
        return found[2], len(found[1] or "")
    if found := _SUMMARY.search(line):
        return found[1], 0
    if found := _HEADING.match(line):
        return found[2].rstrip("*"), len(found[1])
    found = _BOLD.match(line) or _LISTED.match(line)
    return (found[1], 0) if found else None


class _Reader:
    """Goes through a document line by line: in a question, in an answer, or in text that belongs to neither."""

    def __init__(self, opening: Callable[[str, int], tuple[str, int] | None]) -> None:
        self._opening = opening
        self._pairs: list[Pair] = []
        self._bodies: list[list[str]] = []
        self._rest: list[str] = []
        self._into: list[str] = self._rest
        self._asking = False
        self._depth = 0  # of the heading that asked

    def read(self, lines: list[str]) -> Found:
        """All pairs, and the rest."""
        tables = _tables(lines)
        in_table = {number for table in tables for number in table.lines}
        fenced = False
        for number, raw in enumerate(lines, start=1):
            line = raw.strip()
            fence = line.startswith(("```", "~~~"))
            fenced ^= fence
            if number in in_table:
                continue
            if fenced or fence:
                self._into.append(raw)
            else:
                self._line(raw, line, number)
        parser = Parser()
        for pair, body in zip(self._pairs, self._bodies, strict=True):
            pair.question = undundered(untagged(pair.question).strip())
            pair.answer, pair.code = split(body, parser)
            pair.answer = undundered(pair.answer)
        pairs = [*self._pairs, *(pair for table in tables for pair in table.pairs)]
        pairs = sorted(
            (pair for pair in pairs if pair.question and pair.answer + pair.code), key=lambda pair: pair.line
        )
        for pair in pairs:
            pair.points = [part for part in sentences(pair.answer) if len(words(part)) >= 3]
        return Found(pairs, "\n".join(self._rest).strip())

    def _line(self, raw: str, line: str, number: int) -> None:
        level, popularity, section = _LEVEL.match(line), _POPULARITY.match(line), _SECTION.match(line)
        opened = self._opening(line, number)
        answer = _ANSWER.match(line)
        if level:
            kind = _KINDS.get((level[2] or "").lower(), Kind.EXPLAIN)
            self._open(Pair("", number, Level(level[1].lower()), kind), 0, asking=True)
        elif _NUMBER_ALONE.match(line):
            self._open(Pair("", number), 0, asking=True)
        elif opened is not None:
            self._open(Pair(opened[0], number), opened[1], asking=False)
            after = line[line.lower().find("</summary>") + len("</summary>") :] if "</summary>" in line.lower() else ""
            if after.strip():
                self._line(after, after.strip(), number)
        elif not self._pairs:
            self._rest.append(raw)
        elif self._asking and popularity:
            self._pairs[-1].popularity = int(popularity[1])
        elif _SAMPLE.match(line) and self._into is not self._rest:
            self._asking = False
        elif self._asking and answer:
            self._asking = False
            self._into.append(answer[1])
        elif self._asking:
            self._pairs[-1].question = f"{self._pairs[-1].question}\n{line}".strip()
        elif self._ends(line, section):
            self._into = self._rest
            self._rest.append(raw)
        elif _END.search(line):
            self._into.append(_END.sub("", raw))
            self._into = self._rest
        else:
            into_answer = self._into is not self._rest
            self._into.append(answer[1] if answer and into_answer else raw)

    def _open(self, pair: Pair, depth: int, *, asking: bool) -> None:
        self._pairs.append(pair)
        self._bodies.append([])
        self._into, self._depth, self._asking = self._bodies[-1], depth, asking

    def _ends(self, line: str, section: re.Match[str] | None) -> bool:
        """Whether the line is a heading that belongs to no question. One below the question's own is in its answer."""
        if self._into is self._rest or not "".join(self._into).strip():
            return section is not None and self._into is self._rest
        if section is None:
            return bool(_TITLE.match(line))
        if self._depth:
            return len(section[1]) <= self._depth
        # A single # may as well begin a comment of code that lost its fence.
        return len(section[1]) > 1 or bool(_TITLE.match(line.lstrip("# ")))


def undundered(text: str) -> str:
    """The text with the underscores that special methods lost on the way put back: getitem is __getitem__."""
    if not _DUNDER.search(text):
        return text
    parts = re.split(r"(?<=[.!?])(\s+)", text)
    return "".join(
        _DUNDER_TOO.sub(r"__\1__", _DUNDER.sub(r"__\1__", part)) if _DUNDER.search(part) else part for part in parts
    )


@dataclass(frozen=True)
class _Table:
    pairs: list[Pair]
    lines: range


def _cells(line: str) -> list[str]:
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _tables(lines: list[str]) -> list[_Table]:
    """The Markdown tables whose head has a question and an answer column."""
    tables = []
    for at in range(len(lines) - 1):
        if "|" not in lines[at] or not re.fullmatch(r"[\s|:-]*-[\s|:-]*", lines[at + 1]):
            continue
        head = [cell.lower().strip("* ") for cell in _cells(lines[at])]
        asks = next((place for place, cell in enumerate(head) if cell in _QUESTION_HEADS), None)
        answers = next((place for place, cell in enumerate(head) if cell in _ANSWER_HEADS), None)
        if asks is None or answers is None:
            continue
        levels = next((place for place, cell in enumerate(head) if cell in _LEVEL_HEADS), None)
        pairs = []
        end = at + 2
        while end < len(lines) and "|" in lines[end]:
            cells = _cells(lines[end])
            if len(cells) == len(head):
                level = cells[levels].lower() if levels is not None else ""
                named = Level(level) if level in set(Level) else None
                pairs.append(Pair(undundered(cells[asks]), end + 1, named, answer=undundered(cells[answers])))
            end += 1
        tables.append(_Table(pairs, range(at + 1, end + 1)))
    return tables
