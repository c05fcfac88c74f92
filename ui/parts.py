"""What the page needs from the composition root."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from domain import Answer, Library, Plan, PointReference, ReportFile, RunReport, SandboxStatus, Session
from interview.profile import Profile, Profiles
from ui.loading import Loading
from ui.speech import Speech


class Interviews(Protocol):
    """The interview service, as the page uses it. Each step yields the session after every stored event.

    `seen` is how many turns the page showed when the person acted: an older page is refused. Every method raises
    UserError for an unknown session, a step that does not fit, or a second tab at work.
    """

    @property
    def profiles(self) -> Profiles:
        """The profiles. Raises UserError where none are kept."""

    def profile(self, secret: str) -> Profile:
        """All that a profile knows."""

    def export_profile(self, secret: str) -> bytes:
        """Everything of a profile as JSON."""

    def delete_profile(self, secret: str) -> None:
        """Delete a profile with its interviews."""

    def create(self, planned: bool = False, profile: str = "") -> Session:
        """A new session, waiting for its plan; `planned` where that follows at once. `profile`, here and below, is the
        secret of the one it belongs to, "" for none."""

    def session(self, session_id: str) -> Session:
        """The session as it is stored."""

    def begin(self, session_id: str, plan: Plan, seen: int | None = None, profile: str = "") -> Iterator[Session]:
        """Start with a plan."""

    def say(self, session_id: str, answer: Answer, seen: int | None = None, profile: str = "") -> Iterator[Session]:
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

    def pause(self, session_id: str, seen: int | None = None) -> Iterator[Session]:
        """Go on later."""

    def resume_session(self, session_id: str) -> Iterator[Session]:
        """Go on after a pause."""

    def expire(self, session_id: str) -> Iterator[Session]:
        """Close what ran out of time; nothing where nothing did."""

    def dispute(self, session_id: str, about: PointReference, why: str = "") -> Iterator[Session]:
        """Have a verdict looked at again, once (`interview.disputes.disputable` lists which)."""

    def resume(self, session_id: str) -> Iterator[Session]:
        """Take up work that a crash interrupted."""

    def try_code(self, session_id: str, code: str) -> RunReport:
        """Run code against the visible cases of the open question; nothing of it is stored."""

    def cancel(self, session_id: str) -> bool:
        """Stop the run or judgement that this session waits for; whether there was one."""

    def waiting(self, session_id: str) -> tuple[float, int] | None:
        """Seconds that a run or judgement of this session takes so far, and how many began before it; or None."""

    def consent(self, session_id: str, agreed: bool) -> Session:
        """Store whether the candidate's words may go to the provider of the language model."""

    def delete(self, session_id: str) -> None:
        """Forget the interview."""

    def upload(self, session_id: str, name: str, data: bytes, agreed: bool = False) -> Session:
        """Draft questions of a document, kept with a session that has not begun."""

    def drop(self, session_id: str, ids: Sequence[str] = (), document_names: Sequence[str] = ()) -> Session:
        """Forget some drafts, or documents whole."""

    def export(self, session_id: str) -> bytes:
        """The whole session as JSON."""

    def import_session(self, data: bytes) -> Session:
        """A session from an export, under a new link."""


@dataclass(frozen=True)
class Facts:
    """What is at work, told on the page and on /healthz. `sandbox` is None until it was probed.

    `provider` names the language model that words would go to, "" where none is set; `unused` says, a line each, which
    could be had and are not set; `speech` says in plain words who listens and who speaks.
    """

    judge: str
    sandbox: SandboxStatus | None
    retention_days: int
    on_space: bool = False
    topics: tuple[str, ...] = ()
    questions: int = 0
    provider: str = ""
    unused: tuple[str, ...] = ()
    speech: str = ""


@dataclass(frozen=True)
class Parts:
    """The collaborators of the page. `service` raises UserError while it cannot be had; `reports` has html at least.

    `library` raises UserError while it cannot be had. `reports_off` tells for a format why this machine cannot make it,
    or "". `speech` listens and speaks, where it is there at all.
    """

    service: Callable[[], Interviews]
    facts: Callable[[], Facts]
    loading: Loading
    reports: Mapping[str, Callable[[Session], ReportFile]]
    reports_off: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    library: Callable[[], Library] | None = None
    speech: Speech | None = None
