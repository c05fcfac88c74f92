"""The interview service: stores each event, then acts on it, until the session waits for the candidate again.

Every step is a generator of Session snapshots, one after each stored event, so that a page can show progress. Nothing
happens before the first `next()`. A step holds its session's lock from then until it is exhausted or closed; a second
tab waits for it, and is told to look again when the interview moved on meanwhile. Different sessions do not wait for
each other. A step that ends early (a crash, a closed tab) is taken up by `resume`.
"""

from __future__ import annotations

import logging
import random
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from domain import (
    Answer,
    Chooser,
    Framework,
    Hit,
    Ingester,
    Intent,
    Judge,
    Mode,
    Phase,
    Plan,
    PointReference,
    PointScore,
    Proof,
    Question,
    QuestionResult,
    RubricPoint,
    RunReport,
    RunStatus,
    SandboxBackend,
    Session,
    Speaker,
    Store,
    StoredEvent,
    Submission,
    Turn,
    UserError,
)
from grader.cases import confront, score_cases
from interview import actions, documents, judging, marking, timing
from interview.blocks import framework_of
from interview.disputes import disputable
from interview.events import (
    Chosen,
    Consented,
    Created,
    Disputed,
    Dropped,
    Event,
    Finished,
    FollowedUp,
    HintAsked,
    Judged,
    JudgedAgain,
    NoneLeft,
    Paused,
    Planned,
    Ran,
    Resumed,
    Said,
    Skipped,
    Stopped,
    Submitted,
    TimedOut,
    Uploaded,
    dump,
    load_all,
    scrub,
)
from interview.exchange import from_json, to_json
from interview.intents import IntentReader, Reading
from interview.invitations import next_asked
from interview.limits import checked_answer, checked_code, checked_plan
from interview.locks import Locks, Places
from interview.phrasing import Phraser
from interview.prepare import prepare
from interview.profile import Profile, Profiles
from interview.readable import echoes, english
from interview.replies import OTHER_LANGUAGE, that_is_the_question
from interview.session import advance, awaited_text, blank, fold, pending
from interview.setup import Understood, understand
from interview.steps import require
from interview.trials import Trials
from interview.waiting import WaitCancelledError, Waits
from interview.wishes import considered, timed, wants_drill

log = logging.getLogger("viva.interview")
_SYSTEM_RANDOM = random.SystemRandom()
_MOVED_ON = (
    "This interview went on meanwhile, in another tab or after an interruption. "
    "Look at where it stands now, then send again; what you wrote was not taken in."
)
_TOO_LATE = (
    "The time was up before this arrived, so it was not taken in. What you had sent before counts; see how it goes on."
)
MOST_FOLLOW_UPS = 2
MOST_AT_ONCE = 100
_UNKNOWN = "There is no interview under this link: it was deleted, or the link is not complete. Start a new one."


class InterviewService:
    """Holds interviews. Safe to use from many threads at once.

    `topics` maps each topic on offer to its keywords (for a plan in free words); `check_path` gives a question's
    check.py, or None; `question_of` a question of the bank (for a drill). `second_judge` looks at disputed verdicts
    (the same judge where there is no other). `notices` say what is degraded here beyond what the service sees itself;
    `environment` is stored with each session, such as the hash of the bank.
    `near` tells how near words are to the nearest question of the bank; `passages` finds what to read about something,
    for the report (without it, nothing is prepared for the report). `provider` names where a language model behind
    `judge` and `phraser` would send words, "" for nowhere: they are used only where the candidate agreed to it, and
    `local` judges where they did not, or where they stop the judge.
    `clock` gives seconds since the epoch, `new_id` a session id, `draw` a number in [0, 1). `patience` is how many
    seconds a second tab waits for the first; `most_at_once` steps are worked on at once, and more are refused.
    """

    def __init__(
        self,
        *,
        store: Store,
        chooser: Chooser,
        judge: Judge,
        sandbox: SandboxBackend,
        check_path: Callable[[str], Path | None],
        topics: Mapping[str, Sequence[str]],
        intents: IntentReader | None = None,
        phraser: Phraser | None = None,
        second_judge: Judge | None = None,
        question_of: Callable[[str], Question | None] = lambda _: None,
        ingester: Ingester | None = None,
        notices: Sequence[str] = (),
        environment: Sequence[tuple[str, str]] = (),
        near: Callable[[str], float] | None = None,
        passages: Callable[[str], Sequence[Hit]] | None = None,
        profiles: Profiles | None = None,
        provider: str = "",
        local: Judge | None = None,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: secrets.token_hex(16),
        draw: Callable[[], float] = _SYSTEM_RANDOM.random,
        patience: float = 30.0,
        most_at_once: int = MOST_AT_ONCE,
    ) -> None:
        self._store = store
        self._chooser = chooser
        self._judge = judge
        self._sandbox = sandbox
        self._check_path = check_path
        self._topics = dict(topics)
        self._intents = intents or IntentReader()
        self._phraser = phraser
        self._second_judge = second_judge or local or judge
        self._question_of = question_of
        self._ingester = ingester
        self._notices = tuple(notices)
        self._environment = tuple(environment)
        self._near = near
        self._passages = passages
        self._profiles = profiles
        self._provider = provider
        self._local = local or judge
        self._clock = clock
        self._new_id = new_id
        self._draw = draw
        self._locks = Locks(patience)
        self._places = Places(most_at_once)
        self._waits = Waits()
        self._trials = Trials(sandbox, check_path, draw, self._waits)

    # ------------------------------------------------------------------------------------- looking

    @property
    def profiles(self) -> Profiles:
        """The profiles. Raises UserError where this installation keeps none."""
        if self._profiles is None:
            raise UserError("This installation keeps no profiles.")
        return self._profiles

    def create(self, planned: bool = False, profile: str = "") -> Session:
        """A new session that greets and waits for its plan; `planned` where that follows at once, so that nothing has
        to be offered. It belongs to the profile of that secret ("": to none). Raises UserError when it cannot be
        stored."""
        status = self._sandbox.status()
        missing = (f"The sandbox runs at {status.level}: {status.sentence}",) if status.missing else ()
        local = (_LOCAL_JUDGE,) if self._judge.name.lower().startswith("local") else ()
        event = Created(
            at=self._clock(),
            seed=int(self._draw() * 2**32),
            draw=self._draw(),
            topics=() if planned else tuple(self._topics),
            environment=(
                ("judge", self._judge.name),
                ("sandbox", status.level),
                ("isolation", status.sentence),
                ("devices", ", ".join(status.devices)),
                *self._environment,
            ),
            notices=(*local, *missing, *self._notices),
            most_follow_ups=MOST_FOLLOW_UPS,
        )
        session_id = self._new_id()
        if profile:
            self.profiles.link(profile, session_id)
        session, _ = self._record(blank(session_id), 0, event)
        return session

    def session(self, session_id: str) -> Session:
        """The session as it is stored. Raises UserError for an unknown id, or a log that cannot be read."""
        return self._load(session_id)[0]

    def export(self, session_id: str) -> bytes:
        """The interview as JSON, without its link and without the question that is still open."""
        self._load(session_id)
        return to_json(load_all(self._store.events(session_id)))

    def upload(self, session_id: str, name: str, data: bytes, agreed: bool = False) -> Session:
        """Make draft questions of a document, and keep them with the session, which must not have begun; with a new one
        for "". Only where the person `agreed` does the text go to a language model. Raises UserError; then nothing was
        stored."""
        if self._ingester is None:
            raise UserError("This installation reads no documents.")
        require(not session_id or self.session(session_id).phase is Phase.SETUP, documents.BEGUN)
        made = self._ingester.ingest(name, data, agreed)
        session_id = session_id or self.create().id
        return self._add(session_id, Uploaded(self._clock(), made.document, made.drafts, made.passages, made.notices))

    def drop(self, session_id: str, ids: Sequence[str] = (), document_names: Sequence[str] = ()) -> Session:
        """Forget some drafts of the session, or documents whole. Raises UserError once the interview has begun."""
        return self._add(session_id, Dropped(self._clock(), tuple(ids), tuple(document_names)))

    def _add(self, session_id: str, event: Event) -> Session:
        with self._locks.hold(session_id):
            return self._record(*self._load(session_id), event)[0]

    def import_session(self, data: bytes) -> Session:
        """The interview of an exported file, under a new link, and marked as imported. Raises UserError with what is
        wrong with the file; then nothing was stored."""
        events = from_json(data, self._clock())
        session_id = self._new_id()
        session = blank(session_id)
        try:
            for number, event in enumerate(events):
                session, _ = self._record(session, number, event)
        except UserError:
            self._store.delete(session_id)
            raise
        return session

    def delete(self, session_id: str) -> None:
        """Forget the interview, now and for good. Raises UserError for an unknown id."""
        self.session(session_id)
        self.cancel(session_id)
        if self._profiles is not None:
            self._profiles.unlink(session_id)
        self._store.delete(session_id)

    def waiting(self, session_id: str) -> tuple[float, int] | None:
        """Seconds that a run or judgement of this session takes so far, and how many began before it; or None."""
        return self._waits.since(session_id)

    # ----------------------------------------------------------------------------------- the steps

    def try_code(self, session_id: str, code: str) -> RunReport:
        """Run code against the visible cases of the open question. Nothing of it is stored, and nothing counts."""
        return self._trials.run(self.session(session_id), code)

    def cancel(self, session_id: str) -> bool:
        """Stop the run or judgement that this session waits for; whether there was one."""
        return self._waits.cancel(session_id)

    def consent(self, session_id: str, agreed: bool) -> Session:
        """Store whether the candidate's words may go to the provider of the language model."""
        with self._locks.hold(session_id):
            session, count = self._load(session_id)
            if not self._provider or session.agreed(self._provider) is agreed:
                return session
            return self._record(session, count, Consented(self._clock(), self._provider, agreed))[0]

    def begin(self, session_id: str, plan: Plan, seen: int | None = None, profile: str = "") -> Iterator[Session]:
        """Start with a plan from the form. For `seen`, here and below: the number of turns that the page showed when
        the person acted; where the interview has more by then, the step is refused. The profile of
        the secret `profile` says what was missed and asked before; a drill needs one."""
        checked_plan(plan)
        return self._step(session_id, seen, lambda session: self._planned(self._agreed(session, plan, profile)))

    def say(self, session_id: str, answer: Answer, seen: int | None = None, profile: str = "") -> Iterator[Session]:
        """Hear an answer, a request, or before the first question the wishes in free words."""
        answer = checked_answer(answer)
        return self._step(session_id, seen, lambda session: self._hear(session, answer, profile))

    def submit(self, session_id: str, code: str, seen: int | None = None) -> Iterator[Session]:
        """Run code from the editor; where the question has a check it counts as a submission."""
        checked_code(code)
        return self._step(session_id, seen, lambda _: Submitted(self._clock(), code, self._draw()))

    def skip(self, session_id: str, seen: int | None = None) -> Iterator[Session]:
        """Skip the open question, or its follow-up."""
        return self._step(session_id, seen, lambda _: Skipped(self._clock(), self._draw()))

    def hint(self, session_id: str, seen: int | None = None) -> Iterator[Session]:
        """Ask for a hint (practice only)."""
        return self._step(session_id, seen, lambda _: HintAsked(self._clock(), self._draw()))

    def finish_question(self, session_id: str, seen: int | None = None) -> Iterator[Session]:
        """Close the open question; submitted code is first asked to be explained, once."""
        return self._step(session_id, seen, lambda _: Finished(self._clock(), self._draw()))

    def stop(self, session_id: str) -> Iterator[Session]:
        """End the interview, after what is still being run or judged."""
        return self._step(session_id, None, lambda _: Stopped(self._clock(), self._draw()), stopping=True)

    def pause(self, session_id: str, seen: int | None = None) -> Iterator[Session]:
        """Pause: go on later, with `resume_session`, or with any other step. The clock of an exam goes on."""
        return self._step(session_id, seen, lambda _: Paused(self._clock(), self._draw()))

    def resume_session(self, session_id: str) -> Iterator[Session]:
        """Go on after a pause. Raises UserError where the interview is not paused."""
        return self._step(session_id, None, lambda _: Resumed(self._clock(), self._draw()), waking=False)

    def expire(self, session_id: str) -> Iterator[Session]:
        """Close what ran out of time (`deadline` says when that is), if anything did; nothing is yielded otherwise.
        A page calls this when its timer ends, after sending what stands in its boxes."""
        session, count = self._load(session_id)
        if not timing.expired(session, self._clock()):
            return
        with self._locks.hold(session_id):
            session, count = self._load(session_id)
            if timing.expired(session, self._clock()):
                session, count = self._record(session, count, TimedOut(self._clock(), self._draw()))
                yield session
                yield from self._work(session, count)

    def deadline(self, session_id: str) -> float | None:
        """When the candidate's time runs out, in seconds since the epoch; None while no clock runs. The same as
        `interview.timing.deadline` of the session."""
        return timing.deadline(self.session(session_id))

    def disputable(self, session_id: str) -> tuple[PointReference, ...]:
        """The points whose verdicts may be disputed now."""
        return disputable(self.session(session_id))

    def dispute(self, session_id: str, about: PointReference, why: str = "") -> Iterator[Session]:
        """Have a verdict looked at again, once, by another judge where there is one. Both verdicts are kept in the
        result's `disputes`; the first one counts. Works during the interview and after its end."""
        return self._step(
            session_id, None, lambda _: Disputed(self._clock(), about, self._draw(), why.strip()[:500]), waking=False
        )

    def resume(self, session_id: str) -> Iterator[Session]:
        """The session as it stands, then after each step of the work that was interrupted, if any was."""
        session = self.session(session_id)
        yield session
        if not pending(session):
            return
        with self._locks.hold(session_id):
            session, count = self._load(session_id)
            yield from self._work(session, count)

    # ------------------------------------------------------------------------------------ profiles

    def profile(self, secret: str) -> Profile:
        """All that a profile knows: past interviews with their scores by topic and date, missed points and when they
        come back. Interviews that ended while nobody looked are taken over first."""
        for session_id in self.profiles.sessions(secret):
            if events := self._store.events(session_id):
                self.profiles.settle(fold(session_id, load_all(events)))
        return self.profiles.read(secret)

    def export_profile(self, secret: str) -> bytes:
        """Everything of a profile and its interviews as one JSON file."""
        self.profile(secret)
        return self.profiles.export(secret, self.export)

    def delete_profile(self, secret: str) -> None:
        """Delete a profile and every interview that belongs to it."""
        self.profiles.delete(secret, self._store.delete)

    # ------------------------------------------------------------------------------------- working

    def _step(
        self,
        session_id: str,
        seen: int | None,
        event_of: Callable[[Session], Event],
        *,
        stopping: bool = False,
        waking: bool = True,
    ) -> Iterator[Session]:
        """Take up interrupted work, then take in one event of the candidate's and do what follows from it.

        What comes too late closes the question, and is refused. A `waking` step first ends a pause."""
        before = self._load(session_id)[1]
        with self._places.take(), self._locks.hold(session_id):
            session, count = self._load(session_id)
            moved = count != before or (seen is not None and len(session.turns) > seen)
            if pending(session) and not (stopping and session.phase is Phase.CHOOSING):
                yield from self._work(session, count)
                session, count = self._load(session_id)
                moved = True
            if moved and not stopping:
                yield session
                raise UserError(_MOVED_ON)
            if timing.expired(session, self._clock(), timing.GRACE):
                session, count = self._record(session, count, TimedOut(self._clock(), self._draw()))
                yield session
                yield from self._work(session, count)
                if not stopping:
                    raise UserError(_TOO_LATE)
                session, count = self._load(session_id)
            if stopping and session.phase is Phase.ENDED:
                return
            if waking and not stopping and session.phase is Phase.PAUSED:
                session, count = self._record(session, count, Resumed(self._clock(), self._draw()))
                yield session
            session, count = self._record(session, count, event_of(session))
            yield session
            yield from self._work(session, count)

    def _work(self, session: Session, count: int) -> Iterator[Session]:
        """Do what the session waits for from us, event by event."""
        while todo := pending(session):
            session, count = self._record(session, count, self._do(session, todo[0]))
            yield session
        if session.phase is Phase.ENDED and not session.prepared and self._passages is not None:
            earlier = self._profiles.earlier(session.id) if self._profiles is not None else ()
            session, count = self._record(session, count, prepare(session, self._passages, earlier, self._clock()))
            yield session

    def _record(self, session: Session, count: int, event: Event) -> tuple[Session, int]:
        """Take in an event as number `count`: the machine accepts it, then it is stored, then it is true."""
        event = scrub(event)
        after, _ = advance(session, event)
        self._store.append(session.id, StoredEvent(count, event.kind, dump(event), event.at))
        if self._profiles is not None and after.phase is Phase.ENDED and session.phase is not Phase.ENDED:
            self._profiles.settle(after)
        return after, count + 1

    def _load(self, session_id: str) -> tuple[Session, int]:
        events = load_all(self._store.events(session_id))
        if not events:
            raise UserError(_UNKNOWN)
        return fold(session_id, events), len(events)

    def _hear(self, session: Session, answer: Answer, profile: str = "") -> Event:
        question = session.current.question if session.current else None
        if answer.code or not answer.text:
            return Said(self._clock(), answer, Intent.ANSWER, self._draw())
        reading = self._read(answer.text, question, bool(disputable(session)))
        if session.phase is Phase.SETUP and session.invitation is not None:
            if reading.intent in (Intent.ANSWER, Intent.SKIP, Intent.SMALL_TALK):
                return self._planned(session.invitation.plan, answer.text)
        elif session.phase is Phase.SETUP:
            found = self._understood(session, answer.text)
            says_what = replace(found.plan, focus="") != Plan()  # "can we do two on PyTorch?" asks, and is a plan
            begins = says_what or reading.intent in (Intent.ANSWER, Intent.SKIP)
            if found.unclear and reading.intent is not Intent.STOP and begins:
                return Said(self._clock(), answer, Intent.NO_ANSWER, self._draw(), reply=found.unclear)
            if reading.intent is not Intent.STOP and begins:
                drill = bool(profile) and wants_drill(answer.text)
                plan = replace(found.plan, mode=Mode.DRILL) if drill else found.plan
                return self._planned(self._informed(plan, profile), answer.text, found.note)
        reply = reading.reply
        if question is not None and reading.intent is Intent.ANSWER and (reply := self._unfit(session, answer.text)):
            return Said(self._clock(), answer, Intent.NO_ANSWER, self._draw(), reply=reply)
        if question is not None and self._phraser is not None and self._may_ask(session) and not reply:
            if reading.intent is Intent.CLARIFY:
                reply = self._phraser.clarify(question, answer.text)
            elif reading.intent is Intent.REPHRASE:
                reply = self._phraser.rephrase(question, awaited_text(session))
        about = self._about(session, answer.text) if reading.intent is Intent.DISPUTE else None
        return Said(self._clock(), answer, reading.intent, self._draw(), reply=reply, about=about)

    def _understood(self, session: Session, text: str) -> Understood:
        """The wishes in free words, weighed against what is offered."""
        found = understand(text, self._topics)
        found = replace(found, plan=timed(found.plan, text))
        again = any(turn.speaker is Speaker.CANDIDATE for turn in session.turns)
        return considered(text, found, self._near, again=again)

    def _unfit(self, session: Session, text: str) -> str:
        """What to say to an answer that nobody could judge, or ""."""
        if echoes(text, awaited_text(session)) or echoes(text, session.results[-1].question.ask):
            return that_is_the_question(self._draw())
        local = not self._may_ask(session) or self._judge.name.lower().startswith("local")
        return OTHER_LANGUAGE if local and not english(text) else ""

    def _about(self, session: Session, text: str) -> PointReference | None:
        """Which verdict a dispute is about: the only one there is, or the nearest in meaning; None where unclear."""
        open_points = disputable(session)
        if not open_points or len(open_points) == 1:
            return open_points[0] if open_points else None
        questions = {result.question.id: result.question for result in session.results}
        says = tuple(questions[item.question_id].point(item.point_id).says for item in open_points)
        return next((open_points[number] for number in self._nearest(text, says)), None)

    def _nearest(self, text: str, says: Sequence[str]) -> Sequence[int]:
        try:
            return self._intents.nearest(text, says)
        except UserError:
            return ()

    def _agreed(self, session: Session, plan: Plan, profile: str) -> Plan:
        """The plan that holds: an invitation's is fixed; another is completed by what the profile knows."""
        return session.invitation.plan if session.invitation is not None else self._informed(plan, profile)

    def _informed(self, plan: Plan, profile: str) -> Plan:
        if profile:
            return self.profiles.planned(profile, plan)
        if plan.mode is Mode.DRILL and not plan.due:
            raise UserError("A drill asks what you missed before, and needs the profile that knows it.")
        return plan

    def _planned(self, plan: Plan, text: str = "", note: str = "") -> Planned:
        at = self._clock()
        return Planned(at, plan, self._draw(), text=text, note=note, deadline=timing.total_deadline(plan, at))

    def _read(self, text: str, question: Question | None, told: bool) -> Reading:
        try:
            return self._intents.read(text, question, told)
        except UserError:
            log.warning("the embedding model is absent, so intents are read by rules alone")
            return IntentReader().read(text, question, told)

    # ------------------------------------------------------------------------------------- acting

    def _do(self, session: Session, action: actions.Action) -> Event:
        match action:
            case actions.Choose():
                return self._choose(session)
            case actions.Run():
                return self._run(session, action)
            case actions.Judge():
                return self._judged(session, action)
            case actions.FollowUp():
                return self._follow_up(session, action)
            case actions.JudgeAgain():
                return self._judged_again(session, action.about)
            case actions.Say():
                raise AssertionError("what is said is never pending")

    def _choose(self, session: Session) -> Event:
        draw = self._draw()
        if session.deadline is not None and self._clock() >= session.deadline:
            return TimedOut(self._clock(), draw)
        if session.invitation is not None and session.invitation.questions:
            choice = next_asked(session, self._question_of)
        elif session.plan.mode is Mode.DRILL:
            choice = self._drilled(session)
        elif session.plan.drafts:
            choice = documents.next_draft(session, draw)
        else:
            choice = self._chooser.choose(session.plan, session.results, draw)
        if choice is None:
            return NoneLeft(self._clock(), draw)
        question, why = choice
        if question.framework is not Framework.BOTH:
            self._sandbox.prepare(question.framework)
        at = self._clock()
        return Chosen(at, question, why, draw, deadline=timing.question_deadline(session.plan, question, at))

    def _drilled(self, session: Session) -> tuple[Question, str] | None:
        """The question with the most urgent points that were missed before, reduced to these points."""
        asked = {result.question.id for result in session.results}
        for question_id in dict.fromkeys(item.question_id for item in session.plan.due):
            question = self._question_of(question_id)
            if question is None or question_id in asked:
                continue
            missed = {item.point_id for item in session.plan.due if item.question_id == question_id}
            points = tuple(point for point in question.points if point.id in missed and point.worth > 0)
            if not points:
                continue  # its rubric was rewritten since
            check = question.check if any(point.proof is Proof.CHECK for point in points) else ""
            told = f"{len(points)} of its {sum(point.worth > 0 for point in question.points)} points"
            return replace(question, points=points, check=check), f"I chose this question because you missed {told}."
        return None

    def _run(self, session: Session, action: actions.Run) -> Event:
        result = session.results[-1]
        try:
            run = scrub(self._waits.do(session.id, lambda: self._report(action)))
        except WaitCancelledError:
            run = RunReport(id=secrets.token_hex(8), status=RunStatus.CRASHED, error="You stopped this run.")
        scores: list[PointScore] = []
        if action.checked:
            # A run that the sandbox broke says nothing, so an earlier one goes on counting.
            counted = [*marking.submissions(session, result), run]
            whole = [item for item in counted if item.status is not RunStatus.BOX_BROKEN] or counted
            scores = score_cases(result.question, whole)
            held = confront(result.question, result.scores, whole)
            scores += [new for new, old in zip(held, result.scores, strict=True) if new is not old]
        return Ran(self._clock(), run, self._draw(), tuple(scores))

    def _report(self, action: actions.Run) -> RunReport:
        """Run the code. Whatever fails on our side is a broken box, which counts against nobody.

        The seed is drawn for each run, and not derived from the session's, so that no file or page foretells it.
        """
        seed = int(self._draw() * 2**32)
        try:
            check = self._check_path(action.question_id) if action.checked else None
            if action.checked and check is None:
                raise UserError("the check of this question is not in the bank any more")
            return self._sandbox.run(Submission(action.code, action.framework, check, seed))
        except (UserError, KeyError) as error:
            reason = str(error)
        except Exception:  # our fault, whatever it is, must not cost the candidate the interview
            log.exception("the sandbox raised")
            reason = "a fault of the service, written to its log"
        return RunReport(id=secrets.token_hex(8), status=RunStatus.BOX_BROKEN, error=reason, seed=seed)

    def _judged(self, session: Session, action: actions.Judge) -> Event:
        result = session.results[-1]
        points = [result.question.point(point_id) for point_id in action.points]
        scores = self._verdicts(result.question, points, session)
        runs = marking.submissions(session, result)
        return Judged(self._clock(), tuple(confront(result.question, scores, runs)), self._draw())

    def _verdicts(
        self, question: Question, points: Sequence[RubricPoint], session: Session, judge: Judge | None = None
    ) -> list[PointScore]:
        """Judge. Whatever fails is the grader's failure: UNGRADED, never wrong."""
        judge = judge or (self._judge if self._may_ask(session) else self._local)

        def ask(answers: Sequence[Turn]) -> list[PointScore]:
            try:
                return self._waits.do(session.id, lambda: judge.judge(question, points, answers))
            except WaitCancelledError:
                return self._local.judge(question, points, answers)

        return judging.verdicts(question, points, session, ask)

    def _may_ask(self, session: Session) -> bool:
        """Whether words of this candidate may go to a language model."""
        return not self._provider or session.agreed(self._provider) is True

    def _judged_again(self, session: Session, about: PointReference) -> JudgedAgain:
        """The second look: the other judge, which is told nothing of the first verdict, or a run with new inputs."""
        result = next(item for item in session.results if item.question.id == about.question_id)
        point = result.question.point(about.point_id)
        if point.proof is Proof.CHECK:
            score = self._run_again(session, result, point)
        else:
            score = self._verdicts(result.question, [point], session, self._second_judge)[0]
        return JudgedAgain(self._clock(), about, score, self._draw())

    def _run_again(self, session: Session, result: QuestionResult, point: RubricPoint) -> PointScore:
        """What the code that counts shows in a run of its own; that run's cases are told in words only."""
        counted = marking.submissions(session, result)
        turn = next((item for item in session.turns if counted and item.run_id == counted[-1].id and item.answer), None)
        runs = []
        if turn is not None and turn.answer is not None:
            code = turn.answer.code
            framework = framework_of(code, result.question)
            runs = [scrub(self._report(actions.Run(result.question.id, turn.id, code, True, framework)))]
        scores = score_cases(result.question, runs)
        return replace(next(item for item in scores if item.point_id == point.id), evidence=())

    def _follow_up(self, session: Session, action: actions.FollowUp) -> Event:
        if self._phraser is None or not self._may_ask(session):
            return FollowedUp(self._clock(), self._draw())
        question = session.results[-1].question
        answers = marking.spoken(session, question.id)
        phrased = self._phraser.follow_up(question, question.point(action.point_id), answers)
        return FollowedUp(self._clock(), self._draw(), text=phrased.text, notice=phrased.notice)


_LOCAL_JUDGE = (
    "No language model is set up, so the local judge grades what you say: it goes by meaning and may be unsure where "
    "a person would not be; what it is unsure of is asked about again, and never counted as wrong."
)
