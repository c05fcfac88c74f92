"""What the page needs from the composition root."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from domain import Answer, Plan, ReportFile, SandboxStatus, Session
from ui.loading import Loading


class Interviews(Protocol):
    """The interview service, as the page uses it. Each step yields the session after every stored event.

    `seen` is how many turns the page showed when the person acted: an older page is refused. Every method raises
    UserError for an unknown session, a step that does not fit, or a second tab at work.
    """

    def create(self) -> Session:
        """A new session, waiting for its plan."""

    def session(self, session_id: str) -> Session:
        """The session as it is stored."""

    def begin(self, session_id: str, plan: Plan) -> Iterator[Session]:
        """Start with a plan."""

    def say(self, session_id: str, answer: Answer, seen: int | None = None) -> Iterator[Session]:
        """Hear what the candidate wrote."""

    def submit(self, session_id: str, code: str, seen: int | None = None) -> Iterator[Session]:
        """Run and check submitted code."""

    def skip(self, session_id: str, seen: int | None = None) -> Iterator[Session]:
        """Leave the question unanswered."""

    def hint(self, session_id: str, seen: int | None = None) -> Iterator[Session]:
        """Ask for a hint."""

    def finish_question(self, session_id: str, seen: int | None = None) -> Iterator[Session]:
        """Close the question as it stands, and go on."""

    def stop(self, session_id: str) -> Iterator[Session]:
        """End the interview."""

    def resume(self, session_id: str) -> Iterator[Session]:
        """Take up work that a crash interrupted."""

    def export(self, session_id: str) -> bytes:
        """The whole session as JSON."""

    def import_session(self, data: bytes) -> Session:
        """A session from an export, under a new link."""


@dataclass(frozen=True)
class Facts:
    """What is at work, told on the page and on /healthz. `sandbox` is None until it was probed."""

    judge: str
    sandbox: SandboxStatus | None
    retention_days: int
    on_space: bool = False
    topics: tuple[str, ...] = ()
    questions: int = 0


@dataclass(frozen=True)
class Parts:
    """The collaborators of the page. `service` raises UserError while it cannot be had; `reports` has html at least.

    `reports_off` tells for a format why this machine cannot make it, or "".
    """

    service: Callable[[], Interviews]
    facts: Callable[[], Facts]
    loading: Loading
    reports: Mapping[str, Callable[[Session], ReportFile]]
    reports_off: Mapping[str, Callable[[], str]] = field(default_factory=dict)
