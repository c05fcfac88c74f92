"""What happens on the page: each handler calls the service and yields what to show. No truth is kept here.

The only things a browser is asked for are the session's id (the secret of its link), how many turns its page shows
(`seen`), which question its editor holds (`shown`), and what the person typed. Everything shown comes from the store.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from domain import Answer, Framework, Level, Mode, Phase, Plan, Session, UserError
from interview.session import pending
from ui.disputes import reference
from ui.parts import Interviews, Parts
from ui.rates import Rates
from ui.render import View, library_closed, view, working
from ui.results import trial_html
from ui.shelf import CLOSED, entries_html

log = logging.getLogger("viva")
SESSION_ID = re.compile(r"[0-9a-f]{32}")
FAULT = "Something went wrong on our side. What you sent is stored; reload the page to go on. The log tells more."
UNKNOWN = "There is no interview under this link. It may have been deleted, or the link is incomplete. Start a new one."


@dataclass(frozen=True)
class Update:
    """What changes on the page. None leaves a thing as it is. `clear` empties boxes whose content is now stored.

    `trial` is the result of code that was only tried, "" for none; `found` what a search of the library gave;
    `working` says what is being done that no stored session tells; `left` means that the page shows no interview any
    more.
    """

    view: View | None = None
    notice: str | None = None
    bad: bool = False
    clear: frozenset[str] = field(default_factory=frozenset)
    load_code: bool = False
    trial: str | None = None
    found: str | None = None
    working: str = ""
    left: bool = False


def plan_from(framework: str, level: str, topics: list[str], questions: float, mode: str, focus: str = "") -> Plan:
    """The form as a plan. Values that the form does not offer fall back to its defaults."""
    return Plan(
        framework=Framework(framework) if framework in set(Framework) else Framework.BOTH,
        level=Level(level) if level in set(Level) else None,
        topics=tuple(str(topic) for topic in topics or ())[:50],
        focus=focus[:500],
        questions=max(1, min(20, int(questions))),
        mode=Mode(mode) if mode in set(Mode) else Mode.PRACTICE,
    )


class Handlers:
    """The page's handlers over its parts. Each yields `Update`s, the last of which is the state to leave."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._steps_left = Rates(burst=60, per_second=1)
        self._runs_left = Rates(burst=12, per_second=0.2)

    def open(self, session_id: str) -> Iterator[Update]:
        """Show the session of a link; take up what a crash interrupted. An empty id shows the setup."""
        # A generator that yields nothing would make Gradio empty every box, also what was typed in meanwhile.
        yield Update()
        if not session_id:
            return
        if not SESSION_ID.fullmatch(session_id):
            yield Update(notice=UNKNOWN, bad=True)
            return
        yield from self._guarded(lambda: self._reopen(session_id), session_id)

    def start(self, session_id: str, plan: Plan, profile: str = "") -> Iterator[Update]:
        """A new interview with this plan; or the one that greeted already and waits for a plan. It belongs to the
        profile of that secret, "" for none."""

        def first(service: Interviews, at: str) -> Iterator[Session]:
            return service.begin(at, plan, profile=profile)

        yield from self._guarded(lambda: self._begin(session_id, first, profile=profile))

    def start_in_words(self, session_id: str, words: str, profile: str = "") -> Iterator[Update]:
        """The same from free words."""
        if not words.strip():
            yield Update(notice="Write what you would like to practise, or press Start interview.")
            return
        emptied = ("words", words)

        def first(service: Interviews, at: str) -> Iterator[Session]:
            return service.say(at, Answer(words), profile=profile)

        yield from self._guarded(lambda: self._begin(session_id, first, emptied, profile))

    def say(
        self, session_id: str, seen: float, shown: str, text: str, spoken: str = "", profile: str = ""
    ) -> Iterator[Update]:
        """An answer in words, or any other message. `spoken` names the transcripts that went into it."""
        if not text.strip():
            yield Update(notice="There is nothing in the answer box yet.")
            return
        turns = int(seen)
        speech = self._parts.speech
        answer = speech.sent(session_id, text, spoken.split()) if speech else Answer(text)
        yield from self._drive(
            session_id, shown, lambda s: s.say(session_id, answer, turns, profile), ("answer", text), seen=turns
        )

    def submit(self, session_id: str, seen: float, shown: str, code: str) -> Iterator[Update]:
        """Code from the editor."""
        if not code.strip():
            yield Update(notice="The editor is empty: there is no code to run.")
            return

        def act(service: Interviews) -> Iterator[Session]:
            _slow_down(self._runs_left, session_id)
            return service.submit(session_id, code, int(seen))

        yield from self._drive(session_id, shown, act)

    def try_code(self, session_id: str, shown: str, code: str) -> Iterator[Update]:
        """Run code against the visible cases, without submitting it."""
        if not code.strip():
            yield Update(notice="The editor is empty: there is no code to run.")
            return

        def steps() -> Iterator[Update]:
            service = self._parts.service()
            _slow_down(self._runs_left, session_id)
            yield Update(working="Running your code on the visible case", notice="")
            run = service.try_code(session_id, code)
            yield Update(self._view(service.session(session_id)), trial=trial_html(run))

        yield from self._guarded(steps, session_id, shown)

    def search(self, session_id: str, query: str) -> Iterator[Update]:
        """Look something up. Closed while this page's interview is an open exam; of its open question nothing shows."""

        def steps() -> Iterator[Update]:
            if self._parts.library is None:
                raise UserError("There is no library here.")
            known = bool(SESSION_ID.fullmatch(session_id or ""))
            session = self._parts.service().session(session_id) if known else None
            if session is not None:
                _slow_down(self._steps_left, f"{session_id} library")
                if library_closed(session):
                    yield Update(found=f'<p class="viva-empty">{CLOSED}</p>')
                    return
            yield Update(found=working(f"Looking for {query.strip()[:60]}" if query.strip() else "Opening the shelves"))
            entries = self._parts.library().search(query)
            yield Update(found=entries_html(entries, query, _question(session) if session else ""), notice="")

        yield from self._guarded(steps)

    def cancel(self, session_id: str) -> Iterator[Update]:
        """Stop the run or judgement at work; what follows from it is shown by the handler that waits for it."""
        yield Update()
        if SESSION_ID.fullmatch(session_id or ""):
            self._parts.service().cancel(session_id)

    def consent(self, session_id: str, shown: str, agreed: bool) -> Iterator[Update]:
        """The answer to whether words may go to the language model's provider."""
        yield from self._guarded(
            lambda: iter([Update(self._view(self._parts.service().consent(session_id, agreed)), notice="")]),
            session_id,
            shown,
        )

    def delete(self, session_id: str) -> Iterator[Update]:
        """Forget the interview for good."""

        def steps() -> Iterator[Update]:
            self._parts.service().delete(session_id)
            yield Update(notice="The interview is deleted, with everything that was stored of it.", left=True)

        if not SESSION_ID.fullmatch(session_id or ""):
            yield Update(notice="There is no interview on this page to delete.")
            return
        yield from self._guarded(steps, session_id)

    def dispute(self, session_id: str, shown: str, point: str | None, why: str) -> Iterator[Update]:
        """Have a verdict looked at again. `point` is a value of `ui.disputes.choices`."""
        if not point:
            yield Update(notice="Choose the verdict that is wrong first.")
            return
        yield Update(working="Looking at that verdict again", notice="")
        for update in self._drive(session_id, shown, lambda s: s.dispute(session_id, reference(point), why or "")):
            yield update if update.bad else replace(update, clear=frozenset({"dispute"}))

    def hint(self, session_id: str, seen: float, shown: str) -> Iterator[Update]:
        """A hint, please."""
        yield from self._drive(session_id, shown, lambda s: s.hint(session_id, int(seen)))

    def skip(self, session_id: str, seen: float, shown: str) -> Iterator[Update]:
        """Leave the question."""
        yield from self._drive(session_id, shown, lambda s: s.skip(session_id, int(seen)))

    def finish(self, session_id: str, seen: float, shown: str) -> Iterator[Update]:
        """Done with the question."""
        yield from self._drive(session_id, shown, lambda s: s.finish_question(session_id, int(seen)))

    def pause(self, session_id: str, seen: float, shown: str) -> Iterator[Update]:
        """Go on later."""
        yield from self._drive(session_id, shown, lambda s: s.pause(session_id, int(seen)))

    def resume(self, session_id: str, shown: str) -> Iterator[Update]:
        """Go on after a pause."""
        yield from self._drive(session_id, shown, lambda s: s.resume_session(session_id))

    def expire(self, session_id: str, shown: str) -> Iterator[Update]:
        """The clock of the page ran out: close what really ran out of time."""
        yield Update()
        yield from self._drive(session_id, shown, lambda s: s.expire(session_id))

    def stop(self, session_id: str, shown: str) -> Iterator[Update]:
        """End the interview."""
        yield from self._drive(session_id, shown, lambda s: s.stop(session_id))

    def upload(self, session_id: str, paths: Sequence[str], *, agreed: bool = False) -> Iterator[Update]:
        """Draft questions of uploaded documents, kept with the session that waits for its plan, or with a new one.

        Each document stands for itself: what is wrong with one is said, and the others are taken.
        """
        if not paths:
            yield Update(notice="No document was chosen.")
            return
        names = ", ".join(Path(path).name for path in paths)
        yield Update(notice=f"Reading {names} …")
        yield from self._guarded(lambda: self._upload(session_id, paths, agreed), session_id)

    def _upload(self, session_id: str, paths: Sequence[str], agreed: bool) -> Iterator[Update]:
        service = self._parts.service()
        at = session_id if SESSION_ID.fullmatch(session_id or "") else ""
        told: list[str] = []
        bad = False
        for path in map(Path, paths):
            try:
                data = path.read_bytes()
                path.unlink(missing_ok=True)  # nothing of it is kept but what stands in the session
                session = service.upload(at, path.name, data, agreed)
            except UserError as error:
                told.append(str(error))
                bad = True
                continue
            at = session.id
            known = {path.name, *(item.draft for item in session.drafts), *(item.document for item in session.passages)}
            about = tuple(f"{name}: " for name in known)
            told += [text for text in session.notices if text.startswith(about) and text not in told]
            yield Update(self._view(session), notice=" ".join(told))
        if told:
            yield Update(notice=" ".join(told), bad=bad)

    def start_with_drafts(
        self, session_id: str, kept: Sequence[str], plan: Plan, profile: str = ""
    ) -> Iterator[Update]:
        """A practice interview over the drafts of these ids; the session's other drafts are dropped."""

        def first(service: Interviews, at: str) -> Iterator[Session]:
            others = [draft.id for draft in service.session(at).drafts if draft.id not in kept]
            if others:
                service.drop(at, others)
            _belong(service, at, profile)
            yield from service.begin(at, plan, profile=profile)

        yield from self._drive(session_id, "", lambda service: first(service, session_id))

    def import_session(self, data: bytes) -> Iterator[Update]:
        """Open an exported session under a new link."""

        def steps() -> Iterator[Update]:
            session = self._parts.service().import_session(data)
            yield Update(self._view(session), notice="", load_code=True)
            yield from self._continue(session)

        yield from self._guarded(steps)

    def _view(self, session: Session) -> View:
        return view(session, self._parts.facts().provider)

    def _reopen(self, session_id: str) -> Iterator[Update]:
        service = self._parts.service()
        list(service.expire(session_id))
        session = service.session(session_id)
        yield Update(self._view(session), load_code=True)
        yield from self._continue(session)

    def _continue(self, session: Session) -> Iterator[Update]:
        if pending(session):
            shown = session.current.question.id if session.current else ""
            yield from self._steps(self._parts.service().resume(session.id), shown)

    def _begin(
        self,
        session_id: str,
        first: Callable[[Interviews, str], Iterator[Session]],
        emptied: tuple[str, str] = ("", ""),
        profile: str = "",
    ) -> Iterator[Update]:
        service = self._parts.service()
        known = bool(SESSION_ID.fullmatch(session_id or ""))
        at = session_id if known else service.create(planned=True, profile=profile).id
        if known:
            _belong(service, at, profile)
        yield from self._guarded(lambda: self._steps(first(service, at), "", emptied), at)

    def _drive(
        self,
        session_id: str,
        shown: str,
        act: Callable[[Interviews], Iterator[Session]],
        emptied: tuple[str, str] = ("", ""),
        seen: int = 0,
    ) -> Iterator[Update]:
        if not SESSION_ID.fullmatch(session_id or ""):
            yield Update(notice=UNKNOWN, bad=True)
            return

        def steps() -> Iterator[Update]:
            _slow_down(self._steps_left, session_id)
            yield from self._steps(act(self._parts.service()), shown, emptied, seen)

        yield from self._guarded(steps, session_id, shown)

    def _steps(
        self, sessions: Iterator[Session], shown: str, emptied: tuple[str, str] = ("", ""), seen: int = 0
    ) -> Iterator[Update]:
        """Show each snapshot. The box `emptied` loses its text as soon as that text stands in the stored session, and
        the editor gets a new starter with a new question."""
        box, text = emptied
        for session in sessions:
            now = _question(session)
            stored = bool(box) and any(turn.answer and turn.answer.text == text for turn in session.turns[seen:])
            yield Update(
                self._view(session),
                notice="",
                clear=frozenset({box} if stored else ()),
                load_code=bool(now) and now != shown,
            )
            box = "" if stored else box
            shown = now or shown

    def _guarded(
        self, steps: Callable[[], Iterator[Update]], session_id: str = "", shown: str = ""
    ) -> Iterator[Update]:
        """Run the steps. What is still loading is said first, since a step may have to wait for it."""
        waiting = self._parts.loading.state().waiting
        if waiting:
            needed = " and ".join(waiting)
            yield Update(notice=f"Got it. This goes on as soon as {needed} can be used; there is nothing to do.")
        try:
            yield from steps()
        except UserError as error:
            yield self._stands(session_id, shown, str(error))
        except Exception:
            log.exception("a handler failed")
            yield self._stands(session_id, shown, FAULT)

    def _stands(self, session_id: str, shown: str, message: str) -> Update:
        """Where the session stands after a failure, so that the page does not stay with what it was working on."""
        try:
            session = self._parts.service().session(session_id) if session_id else None
        except UserError:
            session = None
        if session is None:
            return Update(notice=message, bad=True)
        return Update(self._view(session), message, bad=True, load_code=_question(session) != shown)


def _slow_down(rates: Rates, session_id: str) -> None:
    if not rates.allow(session_id):
        raise UserError("That is very often in a short time. Wait a few seconds, then try again; nothing was lost.")


def _belong(service: Interviews, session_id: str, profile: str) -> None:
    """Let a session that has not begun belong to the profile; one that somebody else invited to does not."""
    session = service.session(session_id)
    if profile and session.phase is Phase.SETUP and session.invitation is None:
        service.profiles.link(profile, session_id)


def _question(session: Session) -> str:
    if session.phase is Phase.ENDED or session.current is None:
        return ""
    return session.current.question.id
