"""The vocabulary of Viva: what every part calls things, and the Protocols between the parts.

Standard library only, and no behaviour beyond what a value knows of itself, so that every part may import this
module and none has to import another. Everything is frozen: a change makes a new value (`dataclasses.replace`).

In reading order: questions, answers, speech, code runs, verdicts, the conversation, and last the Protocols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class UserError(Exception):
    """A message fit to show to the person: what is wrong, where, and what to do. Anything else is a fault of ours."""


# ------------------------------------------------------------------------------------------------- questions


class Framework(StrEnum):
    """Which framework a question is about; BOTH means that an answer compares or covers the two."""

    PYTORCH = "pytorch"
    TENSORFLOW = "tensorflow"
    BOTH = "both"


class Level(StrEnum):
    """How hard a question is, in rising order."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class Kind(StrEnum):
    """What a question wants: prose (EXPLAIN, DESIGN), code (CODE, DEBUG) or what a program prints, and why."""

    EXPLAIN = "explain"
    CODE = "code"
    DEBUG = "debug"
    PREDICT = "predict"
    DESIGN = "design"


class Proof(StrEnum):
    """How a rubric point is proved: by the candidate's words, or by cases of the code check."""

    SAID = "said"
    CHECK = "check"


@dataclass(frozen=True)
class Misconception:
    """What people wrongly say in place of a point (`says`, in several phrasings), and the correction to show."""

    says: tuple[str, ...]
    correction: str


@dataclass(frozen=True)
class RubricPoint:
    """One thing that a full answer contains, small enough to be either there or not.

    `worth` is in points; a negative worth is a pitfall, where MET means that the fault was committed. `accepts`
    are ways people really say it; `cases` name the check cases that prove it when `proof` is CHECK (all must pass).
    `why` says why the point matters, in the report; `follow_up` asks for it without giving it away. `passage`, in a
    draft, is the text of the document that the point was made from.
    """

    id: str
    says: str
    worth: float
    proof: Proof = Proof.SAID
    accepts: tuple[str, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    follow_up: str = ""
    hints: tuple[str, ...] = ()
    why: str = ""
    cases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    passage: str = ""


@dataclass(frozen=True)
class Erratum:
    """A claim of a source document that is wrong: the claim, what is true, and how that was shown."""

    claim: str
    fact: str
    evidence: str


@dataclass(frozen=True)
class Clarification:
    """An answer to a clarifying question that gives no point away."""

    asks: tuple[str, ...]
    reply: str


@dataclass(frozen=True)
class Question:
    """One question of the bank, as data. Its executable check is found by `check`, a path inside the bank.

    `draft` is "" for a question of the bank. Otherwise it names the document of somebody's own that question and rubric
    were made from, which nobody has reviewed; a draft never has a check.
    """

    id: str
    title: str
    topic: str
    framework: Framework
    level: Level
    kind: Kind
    ask: str
    points: tuple[RubricPoint, ...]
    model_answer: str
    starter: str = ""
    model_code: str = ""
    check: str = ""
    keywords: tuple[str, ...] = ()
    symptoms: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    clarifications: tuple[Clarification, ...] = ()
    errata: tuple[Erratum, ...] = ()
    sources: tuple[str, ...] = ()
    popularity: int = 0
    draft: str = ""

    def point(self, point_id: str) -> RubricPoint:
        """The rubric point of that id. Raises KeyError where there is none."""
        for point in self.points:
            if point.id == point_id:
                return point
        raise KeyError(point_id)


@dataclass(frozen=True)
class Passage:
    """A stretch of prose of somebody's own document. `title` is its heading path, or the document's name."""

    document: str
    title: str
    text: str


@dataclass(frozen=True)
class Ingested:
    """What a document of somebody's own gave: draft questions, passages of its prose, and what to tell the person."""

    document: str
    drafts: tuple[Question, ...] = ()
    passages: tuple[Passage, ...] = ()
    notices: tuple[str, ...] = ()


# --------------------------------------------------------------------------------------------------- answers


@dataclass(frozen=True)
class Answer:
    """What a candidate sent in one turn. `heard` holds (start, end) spans of `text` recognised with low confidence.

    `spoken` are the transcripts that went into the text, as they were recognised, before the person corrected them;
    `seconds` is how long their recordings are.
    """

    text: str
    code: str = ""
    heard: tuple[tuple[int, int], ...] = ()
    edited: bool = False
    seconds: float | None = None
    spoken: tuple[Transcript, ...] = ()


# ---------------------------------------------------------------------------------------------------- speech


@dataclass(frozen=True)
class Correction:
    """A recognised wording that was replaced by a term of the field: what was heard, and where its replacement now
    stands as (start, end) in the transcript's text."""

    heard: str
    start: int
    end: int


@dataclass(frozen=True)
class Delivery:
    """How something was said, for advice and never for a grade. Times in seconds. `advice` is a sentence, or ""."""

    seconds: float
    speaking: float
    words: int
    fillers: int
    longest_pause: float
    advice: str = ""

    @property
    def words_per_minute(self) -> float:
        """Words a minute of the whole recording; 0 for an empty one."""
        return 60 * self.words / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Transcript:
    """What was recognised. `doubtful` holds (start, end) spans of `text` of low confidence; `final` is False for the
    partial text of a recording that is still being worked on."""

    text: str
    doubtful: tuple[tuple[int, int], ...] = ()
    corrections: tuple[Correction, ...] = ()
    delivery: Delivery | None = None
    engine: str = ""
    final: bool = True


# ------------------------------------------------------------------------------------------------- code runs


@dataclass(frozen=True)
class Handle:
    """An object that stays in a box, by its number there. Only the box that issued it understands it."""

    id: int
    type_name: str = ""


@dataclass(frozen=True)
class Array:
    """An array on its way into or out of a box: numbers, and what the framework calls their type.

    `data` has the array's own shape. numpy has no bfloat16: such values travel exactly, widened to float32, and
    `dtype` says "bfloat16". `role` says what it is (or shall become) in the box: a framework tensor, a tf.Variable
    or a numpy array. `handle`, on values that came out, names the object itself.
    """

    data: npt.NDArray[np.generic]
    dtype: str
    role: Literal["tensor", "variable", "ndarray"] = "tensor"
    requires_grad: bool = False
    device: str = "cpu"
    handle: Handle | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape."""
        return tuple(self.data.shape)


Value: TypeAlias = (
    "bool | int | float | str | bytes | Array | Handle | list[Value] | tuple[Value, ...] | dict[Value, Value] | None"
)


@dataclass(frozen=True)
class Vjp:
    """Vector-Jacobian products taken in a box. A gradient is None where the output does not depend on that input.

    `second` are the gradients of the inner product of `gradients` with further cotangents (double backward), with
    respect to the inputs.
    """

    outputs: tuple[Array, ...]
    gradients: tuple[Array | None, ...]
    second: tuple[Array | None, ...] = ()


class CandidateError(Exception):
    """The submission raised, answered nonsense or broke the protocol: the candidate's fault, never the service's.

    `type_name` is the exception's class name, `message` its text, `line` the line of the submission (1-based) where
    it was raised, if any. All of it is untrusted text.
    """

    def __init__(self, type_name: str, message: str, line: int | None = None, traceback: str = "") -> None:
        super().__init__(f"{type_name}: {message}" if message else type_name)
        self.type_name = type_name
        self.message = message
        self.line = line
        self.traceback = traceback


@dataclass(frozen=True)
class Case:
    """One named finding of a check. `aspect` says what it looks at in words a candidate understands.

    `why` tells what differed, never the expected value of a hidden case; `values` are (label, value) rows to show
    for a visible case.
    """

    name: str
    aspect: str
    passed: bool
    why: str = ""
    visible: bool = False
    values: tuple[tuple[str, str], ...] = ()


class Box(Protocol):
    """Drives one submission inside its sandbox, from outside. Every call may raise CandidateError.

    A value crosses as itself (numbers, strings, bytes, lists, dicts) or as an `Array`; anything else stays in the
    box and is named by a `Handle`. Frozen: later changes only add.
    """

    @property
    def framework(self) -> Framework:
        """PYTORCH or TENSORFLOW."""

    @property
    def device(self) -> str:
        """Where tensors are put: "cpu" or "cuda:0"."""

    def load(self) -> Handle:
        """Execute the submission as a module, once, and return the module."""

    def has(self, target: Handle, name: str) -> bool:
        """Whether the object has that attribute."""

    def get(self, target: Handle, name: str) -> Handle:
        """An attribute, kept in the box."""

    def value(self, target: Handle) -> Value:
        """The object itself, brought out."""

    def keep(self, value: Value) -> Handle:
        """Send a value in and keep it there, to see later whether it was changed."""

    def define(self, source: str, name: str) -> Handle:
        """Run the check's own source in a namespace of its own in the box and return what it calls `name`.

        The namespace holds `torch`, `tf`, `keras` (where loaded) and `np`. The submission can read this source: it
        may hold hidden inputs and functions, never an expected value.
        """

    def call(self, target: Handle, *args: Value, **kwargs: Value) -> Value:
        """Call the object and bring the result out."""

    def make(self, target: Handle, *args: Value, **kwargs: Value) -> Handle:
        """Call the object and keep the result in the box."""

    def method(self, target: Handle, name: str, *args: Value, **kwargs: Value) -> Value:
        """Call a method of the object and bring the result out."""

    def vjp(
        self,
        function: Handle,
        inputs: Sequence[Array | Handle],
        cotangents: Sequence[Array],
        second: Sequence[Array] | None = None,
    ) -> Vjp:
        """Call `function(*inputs)` and take the vector-Jacobian product with the cotangents, one for each output.

        With `second`, one array for each input's gradient, also take the double backward.
        """

    def step(self, optimizer: Handle, parameters: Sequence[Handle], gradients: Sequence[Array]) -> list[Array]:
        """Give the parameters these gradients, step the optimizer once, and bring the parameters out."""

    def iterate(self, iterable: Handle, limit: int) -> list[Value]:
        """At most `limit` items of `iter(iterable)`, brought out."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file in the box's working folder. `name` is a plain file name."""

    def read(self, name: str, limit: int = 1 << 26) -> bytes:
        """Read a file (at most `limit` bytes) from the box's working folder."""

    def another(self, load: bool = False) -> Box:
        """A second, fresh box: for a trusted reference (never loads the submission) or for loading what was saved.

        With `load` true it may load the same submission anew.
        """


CheckFunction: TypeAlias = "Callable[[Box, np.random.Generator], Iterator[Case]]"


class RunStatus(StrEnum):
    """How a run ended. BOX_BROKEN is our fault and makes the verdict UNGRADED; a candidate can cause all others."""

    OK = "ok"
    WRONG = "wrong"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    BOX_BROKEN = "box_broken"


@dataclass(frozen=True)
class Submission:
    """Code to run. `check` is the path of a check.py of the packaged bank; None means: only run it, as it is.

    With `visible_only` the check ends with its first visible case, so that the code meets no hidden input.
    """

    code: str
    framework: Framework
    check: Path | None = None
    seed: int = 0
    visible_only: bool = False


@dataclass(frozen=True)
class RunReport:
    """What one run of submitted code showed. `error`, `stdout_tail` and case texts are untrusted text.

    `seconds` is wall time from submission to verdict, `peak_memory` in bytes (None where not measured), `isolation`
    the sandbox level observed, `seed` what a replay needs, `check_hash` the SHA-256 of check.py ("" without one).
    """

    id: str
    status: RunStatus
    cases: tuple[Case, ...] = ()
    stdout_tail: str = ""
    error: str = ""
    error_line: int | None = None
    seconds: float = 0.0
    peak_memory: int | None = None
    device: str = "cpu"
    isolation: str = ""
    seed: int = 0
    check_hash: str = ""
    versions: tuple[tuple[str, str], ...] = ()

    @property
    def passed(self) -> bool:
        """True when a check ran and every case passed."""
        return self.status is RunStatus.OK and bool(self.cases)


@dataclass(frozen=True)
class SandboxStatus:
    """The isolation observed on this machine: level, layers at work, layers missing, and one sentence to show."""

    level: str
    layers: tuple[str, ...]
    missing: tuple[str, ...]
    sentence: str
    devices: tuple[str, ...] = ("cpu",)
    ready: tuple[Framework, ...] = ()


# -------------------------------------------------------------------------------------------------- verdicts


class Verdict(StrEnum):
    """What was found of one rubric point. For a pitfall (negative worth) MET means: the fault was committed."""

    MET = "met"
    NOT_MET = "not_met"
    CONTRADICTED = "contradicted"
    UNGRADED = "ungraded"


class UngradedReason(StrEnum):
    """Why a point has no verdict. None of these is the candidate's failure, and none counts as one."""

    UNCERTAIN = "uncertain"
    UNINTELLIGIBLE = "unintelligible"
    NOT_ASKED = "not_asked"
    GRADER_FAILED = "grader_failed"


@dataclass(frozen=True)
class Quote:
    """Evidence in words: the characters [start, end) of the stored text of one turn. At most 40 words."""

    turn_id: int
    start: int
    end: int


@dataclass(frozen=True)
class CaseReference:
    """Evidence in a run: a case, by the run's id and the case's name."""

    run_id: str
    name: str


Evidence: TypeAlias = Quote | CaseReference


@dataclass(frozen=True)
class JudgedBy:
    """Who gave a verdict: the judge ("local", "llm", "run"), the model behind it, and the prompt or rules version.

    `note` says what the person should know, for example that the LLM failed and the local judge took over. `tokens`
    is what the question's judging took, in and out, where a chat model judged. `rubric` is the hash of the question as
    it was judged (`grader.rubric.rubric_hash`), so that two scores tell whether they went by the same rubric.
    """

    judge: str
    model: str = ""
    version: str = ""
    note: str = ""
    tokens: int = 0
    rubric: str = ""


@dataclass(frozen=True)
class PointScore:
    """The verdict on one rubric point, with its evidence.

    `confidence` is in [0, 1]. `reason` is set exactly when the verdict is UNGRADED. `credit` is the share of the
    worth that MET earns: less than 1 where the point came only after a follow-up or a hint. `correction` is set
    when CONTRADICTED.
    """

    point_id: str
    verdict: Verdict
    why: str
    judged_by: JudgedBy
    evidence: tuple[Evidence, ...] = ()
    confidence: float = 1.0
    reason: UngradedReason | None = None
    credit: float = 1.0
    correction: str = ""


@dataclass(frozen=True)
class Score:
    """Points earned out of `worth`, with bounds. All in points, not per cent.

    `low` counts every ungraded point as missed, `high` as earned in full (and an ungraded pitfall the other way
    round). `graded` is the share of the positive worth that has a verdict, in [0, 1]. `value` is the headline share
    in [0, 1], and None where too little was graded to give one.
    """

    earned: float
    worth: float
    low: float
    high: float
    graded: float
    value: float | None


# ------------------------------------------------------------------------------------------ the conversation


class Mode(StrEnum):
    """PRACTICE gives feedback and hints after each question; EXAM gives feedback at the end, one submission and a time
    limit; DRILL is practice on nothing but the points that were missed before."""

    PRACTICE = "practice"
    EXAM = "exam"
    DRILL = "drill"


@dataclass(frozen=True)
class PointReference:
    """A rubric point of the bank, by its question's id and its own."""

    question_id: str
    point_id: str


@dataclass(frozen=True)
class Ability:
    """An estimate of what somebody can do, on the logit scale of question levels, with its standard deviation."""

    mean: float
    deviation: float


@dataclass(frozen=True)
class Plan:
    """What the candidate asked for. Empty `topics` means any; `focus` is their own free words, used for retrieval.
    With `drafts` the questions come from the documents that this session was given, and from nowhere else.

    `seconds_per_question` is None for the mode's own limit (only an exam has one) and 0 for none; `seconds_total` is 0
    for none. `due` are points missed in earlier interviews, most urgent first: a drill asks about nothing else, other
    modes prefer their questions. `known` are questions asked in earlier interviews, `ability` is what these showed.
    """

    framework: Framework = Framework.BOTH
    level: Level | None = None
    topics: tuple[str, ...] = ()
    focus: str = ""
    questions: int = 3
    mode: Mode = Mode.PRACTICE
    drafts: bool = False
    seconds_per_question: float | None = None
    seconds_total: float = 0.0
    due: tuple[PointReference, ...] = ()
    known: tuple[str, ...] = ()
    ability: Ability | None = None


class Intent(StrEnum):
    """What a candidate wants with a message. THINKING asks for time or thinks aloud, STEER tries to be marked up or to
    change the rules, PAUSE goes on later, and NO_ANSWER holds nothing that could be judged (the pasted question, a
    language that the judge cannot read)."""

    ANSWER = "answer"
    CLARIFY = "clarify"
    REPEAT = "repeat"
    REPHRASE = "rephrase"
    HINT = "hint"
    SKIP = "skip"
    STOP = "stop"
    SMALL_TALK = "small_talk"
    PAUSE = "pause"
    THINKING = "thinking"
    DISPUTE = "dispute"
    STEER = "steer"
    NO_ANSWER = "no_answer"


class Speaker(StrEnum):
    """Who speaks in a turn."""

    INTERVIEWER = "interviewer"
    CANDIDATE = "candidate"


class TurnKind(StrEnum):
    """What a turn is for. Only ANSWER turns are ever graded."""

    GREETING = "greeting"
    QUESTION = "question"
    ANSWER = "answer"
    REQUEST = "request"
    REPLY = "reply"
    FOLLOW_UP = "follow_up"
    HINT = "hint"
    RESULT = "result"
    FEEDBACK = "feedback"
    CLOSING = "closing"


@dataclass(frozen=True)
class Turn:
    """One thing said. `id` counts from 0 within the session; `at` is seconds since the epoch.

    Quotes point into `text`. `answer` holds what a candidate's turn came with; `run_id` names the run that it
    caused or shows.
    """

    id: int
    speaker: Speaker
    kind: TurnKind
    text: str
    at: float
    question_id: str = ""
    answer: Answer | None = None
    run_id: str = ""
    point_id: str = ""


@dataclass(frozen=True)
class Dispute:
    """A verdict that the candidate disputed, once: their reason, and what the second look found (None while it is
    pending). Both verdicts are kept, and the first one counts."""

    point_id: str
    at: float
    why: str = ""
    second: PointScore | None = None


@dataclass(frozen=True)
class QuestionResult:
    """A question of a session with all that came of it. It carries the question as it was asked, so that a report
    never depends on today's bank.

    `runs` holds every run, also of code that was only tried; `follow_ups` the ids of the points that were asked
    about again, and `following_up` the point whose follow-up is about to be put, "" where none is. `deadline`, in
    seconds since the epoch, is when its time runs out (None: never); `timed_out` tells that it did."""

    question: Question
    why_chosen: str = ""
    asked_at: float = 0.0
    closed_at: float | None = None
    runs: tuple[RunReport, ...] = ()
    scores: tuple[PointScore, ...] = ()
    score: Score | None = None
    follow_ups: tuple[str, ...] = ()
    hints: int = 0
    skipped: bool = False
    following_up: str = ""
    deadline: float | None = None
    timed_out: bool = False
    disputes: tuple[Dispute, ...] = ()


@dataclass(frozen=True)
class GradedAgain:
    """A question of an ended session, graded again. `question` is as the bank has it at that time, `score` is None
    where the question does not count, and `note` says what of it could not be had again."""

    question: Question
    scores: tuple[PointScore, ...] = ()
    note: str = ""
    score: Score | None = None


@dataclass(frozen=True)
class Regrade:
    """The stored answers of a session, graded again by a later judge and bank. The session's own results stay.

    `at` is seconds since the epoch, `judge` what the judge is called, `bank` the bank's hash, `ran` whether the
    submitted code was run again, from the stored seeds. One item of `questions` for each result, in order.
    """

    at: float
    judge: str
    bank: str
    questions: tuple[GradedAgain, ...]
    ran: bool = False
    overall: Score | None = None


@dataclass(frozen=True)
class TopicScore:
    """The score of one topic over the questions asked on it."""

    topic: str
    questions: int
    score: Score


@dataclass(frozen=True)
class Reading:
    """A passage to read about a point that was lost: Markdown, with the path of its headings as its title."""

    about: PointReference
    title: str
    text: str


@dataclass(frozen=True)
class EarlierScore:
    """The headline, a share in [0, 1], of an earlier interview of the same profile. `at` is seconds since the epoch."""

    at: float
    share: float


@dataclass(frozen=True)
class TopicLevel:
    """What the scored questions of one topic say of the ability in it."""

    topic: str
    questions: int
    ability: Ability


@dataclass(frozen=True)
class Invitation:
    """An interview that somebody else asked for: `reader` names who reads the report, `batch` groups the candidates who
    get the same `plan` and the same `questions` (ids, in order), `candidate` is the reader's name for this one."""

    reader: str
    batch: str
    candidate: str
    plan: Plan
    questions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Override:
    """A reader's own verdict on a point: whose, when (seconds since the epoch) and why. The judge's stays beside it."""

    about: PointReference
    verdict: Verdict
    by: str
    why: str
    at: float


class Phase(StrEnum):
    """Where a session stands: what it waits for. PAUSED waits for the candidate to come back."""

    SETUP = "setup"
    CHOOSING = "choosing"
    ANSWERING = "answering"
    RUNNING = "running"
    JUDGING = "judging"
    PAUSED = "paused"
    ENDED = "ended"


@dataclass(frozen=True)
class Session:
    """An interview: a fold of its events (`interview.session.advance`). `id` is the 128-bit secret of its link.

    `drafts` and `passages` were made of documents that the candidate brought; they live and go with the session.
    `consents` pairs a provider of language models with whether the candidate agreed that their words go there.
    `deadline` is when the time of the whole interview runs out, `paused_at` since when it pauses, and `last_at` the
    time of its last event, all in seconds since the epoch. `most_follow_ups` is how many follow-ups a question has.
    `readings`, `earlier` and `levels` were found for the report when the interview had ended (`prepared`).
    `revised` is the overall score with the `overrides` in it; `overall` stays what was graded.
    """

    id: str
    seed: int
    created_at: float
    plan: Plan = Plan()
    phase: Phase = Phase.SETUP
    turns: tuple[Turn, ...] = ()
    results: tuple[QuestionResult, ...] = ()
    overall: Score | None = None
    topics: tuple[TopicScore, ...] = ()
    ended_at: float | None = None
    notices: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    drafts: tuple[Question, ...] = ()
    passages: tuple[Passage, ...] = ()
    consents: tuple[tuple[str, bool], ...] = ()
    deadline: float | None = None
    paused_at: float | None = None
    last_at: float = 0.0
    most_follow_ups: int = 1
    regrades: tuple[Regrade, ...] = ()
    prepared: bool = False
    readings: tuple[Reading, ...] = ()
    earlier: tuple[EarlierScore, ...] = ()
    levels: tuple[TopicLevel, ...] = ()
    invitation: Invitation | None = None
    overrides: tuple[Override, ...] = ()
    revised: Score | None = None

    @property
    def current(self) -> QuestionResult | None:
        """The question that is open now, or None."""
        return self.results[-1] if self.results and self.results[-1].closed_at is None else None

    def agreed(self, provider: str) -> bool | None:
        """Whether the candidate agreed that their words go to this provider; None where they were not asked yet."""
        return dict(self.consents).get(provider)


# ------------------------------------------------------------------------------------------------- Protocols


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """The model's name and version, stored with whatever was made with it."""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors, float32, shape (len(texts), dimension)."""


class Judge(Protocol):
    """Gives a verdict on rubric points from the candidate's words."""

    @property
    def name(self) -> str:
        """What the page calls it, for example "local judge (all-MiniLM-L6-v2)"."""

    def judge(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        """One PointScore a point, in order. `answers` are the candidate's ANSWER turns on the question, oldest first.

        A judge never raises for what a candidate wrote, and never turns its own failure into NOT_MET.
        """


class Chooser(Protocol):
    """Picks what to ask next."""

    def choose(self, plan: Plan, asked: Sequence[QuestionResult], draw: float) -> tuple[Question, str] | None:
        """A question not asked before and why it was chosen, or None when none is left. `draw` is in [0, 1)."""


class Ingester(Protocol):
    """Makes draft questions of somebody's own document."""

    @property
    def writer(self) -> str:
        """The language model that can write rubrics, as the page calls it, or "" where there is none."""

    def ingest(self, name: str, data: bytes, agreed: bool = False) -> Ingested:
        """Read a document and draft its questions. Only where the person `agreed` does its text go to the writer.

        Raises UserError with what is wrong with the document."""


class SandboxBackend(Protocol):
    """Runs submitted code and gives the verdict that its check computes outside the sandbox."""

    def run(self, submission: Submission) -> RunReport:
        """Run a submission to its verdict. Whatever the candidate does, this returns a report."""

    def status(self) -> SandboxStatus:
        """What isolation is in force."""

    def prepare(self, framework: Framework) -> None:
        """Begin to warm up for a framework, in the background. Returns at once."""

    def close(self) -> None:
        """Stop every process of the sandbox."""


class Dictation(Protocol):
    """A recording that is recognised while it is being made. Used by one thread at a time."""

    def feed(self, samples: npt.NDArray[np.generic], rate: int) -> Transcript:
        """Take the next piece, shape (samples,) or (samples, channels), and return what is recognised so far, at once.

        Raises UserError where the recording gets too long (it can still be finished) or the engine failed."""

    @property
    def silence(self) -> float:
        """Seconds since a voice was last heard."""

    def finish(self) -> Transcript:
        """The final transcript. Raises UserError where the recording is empty or the engine failed."""

    def cancel(self) -> None:
        """Stop and forget the recording."""


class Recogniser(Protocol):
    """Turns recorded speech into text."""

    @property
    def name(self) -> str:
        """The engine and its weights, as the page calls them, for example "faster-whisper base (this machine)"."""

    @property
    def sends_to(self) -> str:
        """The host that audio is sent to, to be named and agreed to first, or "" where it stays on this machine."""

    def unavailable(self) -> str:
        """Why nothing can be recognised and what would switch it on, or ""."""

    def load(self) -> None:
        """Load the model now, for whoever wants the first transcript to be quick. Safe to call again."""

    def transcribe(self, recording: Path, terms: Sequence[str] = ()) -> Iterator[Transcript]:
        """Partial transcripts and last the final one. `terms` are words of the field that are likely to be said.

        Raises UserError with what is wrong with the recording (empty, too long, not audio) or with the engine."""

    def listen(self, terms: Sequence[str] = ()) -> Dictation:
        """Begin a recording that is fed piece by piece while somebody speaks."""


class Voice(Protocol):
    """Turns text into speech."""

    @property
    def name(self) -> str:
        """The engine and its voice, as the page calls them."""

    def unavailable(self) -> str:
        """Why nothing can be spoken and what would switch it on, or ""."""

    def load(self) -> None:
        """Load the model now. Safe to call again."""

    def say(self, text: str) -> Iterator[bytes]:
        """WAV files, one a sentence, each as soon as it is made. Markdown is spoken as a person would read it out."""


@dataclass(frozen=True)
class StoredEvent:
    """One event of a session's log. `number` counts from 0 without gaps; `data` is JSON."""

    number: int
    kind: str
    data: str
    at: float


class Store(Protocol):
    """Keeps session logs. Every method raises UserError when the place cannot be read or written."""

    def append(self, session_id: str, event: StoredEvent) -> None:
        """Store the event durably before returning. Raises UserError when that number exists already."""

    def events(self, session_id: str) -> list[StoredEvent]:
        """The session's log in order; empty when there is no such session."""

    def delete(self, session_id: str) -> None:
        """Forget the session."""


@dataclass(frozen=True)
class Hit:
    """A search result: what was found, how near it is (cosine similarity), and the matching text."""

    id: str
    kind: Literal["question", "note"]
    title: str
    score: float
    text: str


@dataclass(frozen=True)
class Entry:
    """What the library shows of a question or a study note: Markdown `text`, never a rubric point or model answer."""

    id: str
    kind: Literal["question", "note"]
    title: str
    text: str
    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    errata: tuple[Erratum, ...] = ()


class Library(Protocol):
    """What a person may look up."""

    def search(self, query: str, k: int = 8) -> list[Entry]:
        """The entries that fit best, best first; without a query all of them."""


@dataclass(frozen=True)
class ReportFile:
    """A rendered report: file name, media type and content."""

    name: str
    media_type: str
    content: bytes
