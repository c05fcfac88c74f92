"""What the session machine wants done. Actions are asked for, never done, by the machine; the service does them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from domain import Framework, Plan, PointReference, Turn


@dataclass(frozen=True)
class Say:
    """The interviewer said this; it is in the session already. A voice may read it out."""

    turn: Turn


@dataclass(frozen=True)
class Choose:
    """Choose the next question. Answered by Chosen or NoneLeft."""

    plan: Plan


@dataclass(frozen=True)
class Run:
    """Run the code of a turn, against the question's check or as it is. Answered by Ran."""

    question_id: str
    turn_id: int
    code: str
    checked: bool
    framework: Framework


@dataclass(frozen=True)
class Judge:
    """Judge the answers in words on these points. Answered by Judged."""

    question_id: str
    points: tuple[str, ...]


@dataclass(frozen=True)
class FollowUp:
    """Put the follow-up on this point, phrased or as authored. Answered by FollowedUp."""

    question_id: str
    point_id: str


@dataclass(frozen=True)
class JudgeAgain:
    """Look again at a disputed verdict, knowing nothing of the first one. Answered by JudgedAgain."""

    about: PointReference


Action: TypeAlias = Say | Choose | Run | Judge | FollowUp | JudgeAgain
