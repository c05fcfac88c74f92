"""What may be sent: refused input gets a sentence on what to do, and nothing of the interview changes."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from domain import Answer, Plan, UserError
from interview.session import MOST_QUESTIONS

MOST_CHARACTERS = 20_000
MOST_IMPORTED_BYTES = 5_000_000
_ALLOWED = {"\n", "\t", "\r"}


def checked_answer(answer: Answer) -> Answer:
    """The answer, with `heard` spans that lie outside the text dropped. Raises UserError when it cannot be taken."""
    if not _visible(answer.text) and not _visible(answer.code):
        raise UserError("There is nothing in your answer. Write or record something, or press Skip.")
    _check("Your answer", answer.text)
    _check("Your code", answer.code)
    heard = tuple((start, end) for start, end in answer.heard if 0 <= start < end <= len(answer.text))
    return replace(answer, text=answer.text if _visible(answer.text) else "", heard=heard)


def checked_code(code: str) -> str:
    """The code. Raises UserError when it cannot be taken."""
    if not _visible(code):
        raise UserError("There is no code to submit. Write it in the editor first.")
    _check("Your code", code)
    return code


def checked_plan(plan: Plan) -> Plan:
    """The plan. Raises UserError when it cannot be held."""
    if not 1 <= plan.questions <= MOST_QUESTIONS:
        raise UserError(f"An interview has from 1 to {MOST_QUESTIONS} questions; you asked for {plan.questions}.")
    _check("What you want to focus on", plan.focus)
    return plan


def _visible(text: str) -> bool:
    """Whether there is anything to see: not only white space and invisible characters."""
    return any(not character.isspace() and unicodedata.category(character) not in ("Cf", "Cc") for character in text)


def _check(what: str, text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise UserError(
            f"{what} has {len(text):,} characters, and at most {MOST_CHARACTERS:,} can be taken. "
            "Shorten it and send it again; nothing was lost."
        )
    for position, character in enumerate(text):
        if unicodedata.category(character) in ("Cc", "Cs") and character not in _ALLOWED:
            line = text.count("\n", 0, position) + 1
            raise UserError(
                f"{what} holds a character that is not text (U+{ord(character):04X} in line {line}), as binary data "
                "does. Remove it, or paste the text anew; nothing was lost."
            )
