# ruff: noqa: E501 (a tool is described by the first paragraph of its docstring, which clients show on one line)
"""An interview from a program: eight named endpoints, for gradio_client and as MCP tools.

Each takes the session's token and what the candidate does, and answers with where the interview stands. None takes a
verdict, a score or a history, and none tells anything of an open question beyond what the candidate was told.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from domain import Answer, Framework, Level, Mode, Phase, Plan, Score, Session, Speaker, UserError
from interview.session import library_open, submissions_left
from interview.timing import deadline
from ui.parts import Interviews, Parts
from ui.render import view

log = logging.getLogger("viva")
NAMES = ("start", "state", "answer", "submit_code", "hint", "skip", "stop", "report")
FORMATS = ("md", "html", "json")
_TOKEN = re.compile(r"[0-9a-f]{32}")
_FAULT = (
    "Something went wrong on our side. What you sent is stored; ask for the state to see where the interview stands."
)


def told(session: Session) -> dict[str, Any]:
    """Where the interview stands, as plain values: only what the candidate was told, and what the page shows as well."""
    current = session.current
    question = None
    if current is not None and session.phase is not Phase.ENDED:
        asked = current.question
        question = {
            "number": len(session.results),
            "of": session.plan.questions,
            "title": asked.title,
            "topic": asked.topic,
            "framework": asked.framework.value,
            "level": asked.level.value,
            "kind": asked.kind.value,
            "ask": asked.ask,
            "starter": asked.starter,
            "submissions_left": submissions_left(session),
        }
    return {
        "session": session.id,
        "phase": session.phase.value,
        "mode": session.plan.mode.value,
        "turns": [
            {"who": turn.speaker.value, "kind": turn.kind.value, "text": turn.text, "at": turn.at}
            for turn in session.turns
        ],
        "said": session.turns[-1].text if session.turns and session.turns[-1].speaker is Speaker.INTERVIEWER else "",
        "question": question,
        "deadline": deadline(session),
        "may": sorted(view(session).actions),
        "library_open": library_open(session),
        "notices": list(session.notices),
        "score": _score(session.overall) if session.phase is Phase.ENDED else None,
    }


def _score(score: Score | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {"earned": score.earned, "worth": score.worth, "low": score.low, "high": score.high, "share": score.value}


class Endpoints:
    """The functions behind the endpoints. Their docstrings are what a client reads."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def start(
        self,
        framework: str = "both",
        level: str = "any",
        topics: list[str] | None = None,
        questions: int = 3,
        mode: str = "practice",
        words: str = "",
        minutes_per_question: float = -1.0,
        consent: bool = False,
    ) -> dict[str, Any]:
        """Begin a mock interview on PyTorch and TensorFlow and get its first question, and the session's token: keep it secret, whoever has it holds the interview.

        Args:
            framework: "pytorch", "tensorflow" or "both".
            level: "easy", "medium", "hard" or "any".
            topics: names of topics; none means all.
            questions: how many, from 1 to 10.
            mode: "practice" (feedback after each question, hints) or "exam" (timed, one submission, feedback at the end).
            words: instead of all the above, the wishes in plain words, such as "2 hard questions on autograd".
            minutes_per_question: time limit; 0 for none, -1 for the mode's own.
            consent: whether the answers may go to the language model of this server, if it has one.
        """
        plan = Plan(
            framework=_one_of(Framework, framework, "framework"),
            level=None if level == "any" else _one_of(Level, level, "level"),
            topics=tuple(str(topic) for topic in topics or ())[:50],
            questions=int(questions),
            mode=_one_of(Mode, mode, "mode"),
            seconds_per_question=None if minutes_per_question < 0 else minutes_per_question * 60,
        )

        def run(service: Interviews) -> Iterator[Session]:
            session_id = service.create(planned=not words.strip()).id
            if self._parts.facts().provider:
                service.consent(session_id, bool(consent))
            return service.say(session_id, Answer(words)) if words.strip() else service.begin(session_id, plan)

        return self._do(run)

    def state(self, session: str) -> dict[str, Any]:
        """Where an interview stands: what was said, the open question, what may be done now, and until when.

        Args:
            session: the token that `start` gave.
        """
        return self._do(lambda service: service.resume(_token(session)))

    def answer(self, session: str, text: str) -> dict[str, Any]:
        """Answer the open question in words, or say anything else to the interviewer: ask for a clarification, a repetition, a pause.

        Args:
            session: the token that `start` gave.
            text: what the candidate says, at most 20,000 characters.
        """
        return self._do(lambda service: service.say(_token(session), Answer(text)))

    def submit_code(self, session: str, code: str) -> dict[str, Any]:
        """Submit Python code on the open question; it is run in a sandbox against hidden inputs.

        Args:
            session: the token that `start` gave.
            code: the whole submission.
        """
        return self._do(lambda service: service.submit(_token(session), code))

    def hint(self, session: str) -> dict[str, Any]:
        """Ask for a hint on the open question (not in an exam). What comes after a hint on it earns less.

        Args:
            session: the token that `start` gave.
        """
        return self._do(lambda service: service.hint(_token(session)))

    def skip(self, session: str) -> dict[str, Any]:
        """Leave the open question, or its follow-up, and go on to the next.

        Args:
            session: the token that `start` gave.
        """
        return self._do(lambda service: service.skip(_token(session)))

    def stop(self, session: str) -> dict[str, Any]:
        """End the interview.

        Args:
            session: the token that `start` gave.
        """
        return self._do(lambda service: service.stop(_token(session)))

    def report(self, session: str, format: str = "md") -> str:
        """The report of an interview that has ended: every point with its verdict and evidence.

        Args:
            session: the token that `start` gave.
            format: "md", "html" or "json".
        """
        with _explained():
            if format not in FORMATS:
                raise UserError(f"A report comes as {', '.join(FORMATS)}, and not as {format[:20]!r}.")
            found = self._parts.service().session(_token(session))
            if found.phase is not Phase.ENDED:
                raise UserError("The report is ready when the interview has ended: finish it, or stop it.")
            return self._parts.reports[format](found).content.decode()

    def _do(self, steps: Callable[[Interviews], Iterator[Session]]) -> dict[str, Any]:
        with _explained():
            service = self._parts.service()
            session_id = list(steps(service))[-1].id
            list(service.expire(session_id))
            return told(service.session(session_id))


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Turns what is fit to show into what a client gets to read, and everything else into one sentence and a log."""
    try:
        yield
    except UserError as error:
        raise gr.Error(str(error), print_exception=False) from None
    except gr.Error:
        raise
    except Exception:
        log.exception("an endpoint failed")
        raise gr.Error(_FAULT, print_exception=False) from None


def _token(session: str) -> str:
    if not _TOKEN.fullmatch(session):
        raise UserError("There is no interview under this token: it was deleted, or the token is not complete.")
    return session


def _one_of(kind: Any, value: str, name: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        offered = ", ".join(item.value for item in kind)
        raise gr.Error(f"{name} must be one of {offered}, and is {value[:30]!r}.", print_exception=False) from None


def register(parts: Parts) -> None:
    """Add the endpoints to the Blocks that are being built."""
    endpoints = Endpoints(parts)
    for name in NAMES:
        gr.api(getattr(endpoints, name), api_name=name)
