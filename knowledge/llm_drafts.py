"""Draft rubrics written by a language model, from a document whose owner agreed to have its text sent there.

The model proposes and code disposes: a point counts only where its passage stands in the answer that it was given, word
for word; text that speaks to a grader is left out; lengths and counts are limited. Questions that end up without a
point get their rubric from the answer's sentences instead, and where the model fails, all of them do; a notice says so.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from domain import Misconception, Question, RubricPoint, UserError
from knowledge import drafts

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

log = logging.getLogger("viva.knowledge")
PROMPT = Path(__file__).with_name("prompts") / "draft_rubric.txt"
AT_ONCE = 12_000  # characters of questions and answers in one request
MOST_REQUESTS = 6  # for one document; questions beyond get their rubric from sentences
_FENCE = re.compile(r"<(?=\s*/?\s*document\b)", re.I)


class WrongBelief(BaseModel):
    """A misconception and its correction."""

    says: str
    correction: str


class PointDraft(BaseModel):
    """One proposed point."""

    passage: str
    says: str
    accepts: list[str] = Field(default_factory=list)
    misconceptions: list[WrongBelief] = Field(default_factory=list)
    follow_up: str = ""


class QuestionDraft(BaseModel):
    """The proposed points of the question with that number."""

    number: int
    points: list[PointDraft]


class Reply(BaseModel):
    """Rubrics for the questions of a request."""

    questions: list[QuestionDraft]


def rewrite(model: BaseChatModel, questions: Sequence[Question]) -> tuple[list[Question], list[str]]:
    """The drafts with rubrics by the model where it gave usable ones, and notices."""
    batches = _batches(questions)
    proposed: dict[int, list[PointDraft]] = {}
    trouble = ""
    for batch in batches[:MOST_REQUESTS]:
        try:
            reply = _ask(model, questions, batch)
        except UserError as error:
            trouble = str(error)
            continue
        except Exception as error:  # noqa: BLE001 - each provider raises types of its own; no score depends on it
            log.warning("The chat model could not draft a rubric: %s: %s", type(error).__name__, error)
            trouble = f"The language model failed ({type(error).__name__})."
            break
        proposed |= {item.number: item.points for item in reply.questions if item.number - 1 in batch}
    written = [_with_points(item, proposed.get(number, [])) for number, item in enumerate(questions, start=1)]
    own = sum(new is old for new, old in zip(written, questions, strict=True))
    if own:
        which = "of all questions" if own == len(questions) else f"of {own} of {len(questions)} questions"
        trouble = f"{trouble} The rubric {which} was made from the answer's sentences instead.".strip()
    return written, [trouble] if trouble else []


def _batches(questions: Sequence[Question]) -> list[range]:
    """Ranges of questions that fit one request."""
    batches: list[range] = []
    start = size = 0
    for number, item in enumerate(questions):
        length = len(item.ask) + len(item.model_answer)
        if number > start and size + length > AT_ONCE:
            batches.append(range(start, number))
            start, size = number, 0
        size += length
    return [*batches, range(start, len(questions))] if questions else []


def _ask(model: BaseChatModel, questions: Sequence[Question], batch: range) -> Reply:
    from langchain_core.messages import HumanMessage, SystemMessage

    from llm import structured

    blocks = [f"Question {at + 1}: {questions[at].ask}\nAnswer: {questions[at].model_answer}" for at in batch]
    text = _FENCE.sub("‹", "\n\n".join(blocks))
    system = PROMPT.read_text(encoding="utf-8")
    return structured(model, Reply, [SystemMessage(system), HumanMessage(f"<document>\n{text}\n</document>")])


def _with_points(question: Question, proposed: Sequence[PointDraft]) -> Question:
    """The question with the proposed points that stand up to checks; the question itself where none does."""
    points: list[RubricPoint] = []
    for item in proposed:
        passage = _standing(item.passage, question.model_answer)
        says = _line(item.says)
        if not passage or not says or len(points) == drafts.MOST_POINTS:
            continue
        accepts = [text for text in map(_line, item.accepts[:5]) if text]
        point = drafts.point(len(points) + 1, says, passage, question.ask, accepts)
        wrong = tuple(
            Misconception((text,), correction)
            for belief in item.misconceptions[:2]
            if (text := _line(belief.says)) and (correction := _line(belief.correction))
        )
        follow_up = _line(item.follow_up) or point.follow_up
        points.append(
            replace(point, misconceptions=wrong, follow_up=follow_up, why=f"Your document says: “{passage}”.")
        )
    return replace(question, points=tuple(points)) if points else question


def _standing(passage: str, answer: str) -> str:
    """The passage as it stands in the answer, white space and case aside; "" where it does not."""
    pieces = passage.split()
    if len(pieces) < 3 or len(passage) > 2 * drafts.LONGEST_POINT:
        return ""
    found = re.search(r"\s+".join(map(re.escape, pieces)), answer, re.I)
    return " ".join(found[0].split()) if found else ""


def _line(text: str) -> str:
    """A line of the model's, cleaned; "" where it is empty, too long, or speaks to a grader."""
    line = drafts.plain(" ".join(text.split()))
    return "" if len(line) > drafts.LONGEST_POINT or drafts.is_addressed(line) else line
