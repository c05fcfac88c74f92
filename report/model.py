"""What a report says, as plain data: strings, numbers, tuples and frozen dataclasses, ready for JSON.

Every renderer shows exactly this and decides nothing, so that all formats say the same. Words for people are made
once, in `report/words.py`, and carried here beside the machine's values. Rubric points are the things that a full
answer contains; pages call them items, since what they are worth is counted in points too. Times are seconds, or ISO
8601 in UTC. Numbers that name questions, points, turns and submissions count from 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

SCHEMA = "viva-report/1"

Outcome: TypeAlias = Literal["met", "missing", "wrong", "fault", "avoided", "ungraded"]
Problem: TypeAlias = Literal["wrong", "fault", "failed", "missing"]


@dataclass(frozen=True)
class NamedValue:
    """A label and its value."""

    name: str
    value: str


@dataclass(frozen=True)
class ScoreReport:
    """Points earned out of `worth`, with bounds. Per cents are whole numbers from 0 to 100; `percent` is null where no
    headline is given: `text` then says why. `graded` is the share of the points that has a verdict, from 0 to 1."""

    earned: float
    worth: float
    low: float
    high: float
    graded: float
    percent: int | None
    low_percent: int
    high_percent: int
    text: str


@dataclass(frozen=True)
class CoverageReport:
    """How many of the rubric points asked on a topic were made, missed, contradicted or not graded, and how many
    faults were committed."""

    met: int
    missing: int
    wrong: int
    ungraded: int
    faults: int
    text: str


@dataclass(frozen=True)
class TopicReport:
    """One topic: its score where the session has one, and its coverage. `enough` is false below three questions: then
    the points are shown, and no per cent. `level` says which share of the points of a medium question of this topic is
    to be expected, and between which bounds it lies four times in five; `level_text` says so in words."""

    topic: str
    name: str
    questions: int
    enough: bool
    score: ScoreReport | None
    coverage: CoverageReport
    level: LevelReport | None
    level_text: str


@dataclass(frozen=True)
class LevelReport:
    """An expected share of the points of a question of medium level, and its bounds; whole per cents."""

    percent: int
    low_percent: int
    high_percent: int


@dataclass(frozen=True)
class JudgeReport:
    """Who gave verdicts: judge, model, version of the prompt or rules, a note to read, and how many points."""

    judge: str
    name: str
    model: str
    version: str
    note: str
    points: int


@dataclass(frozen=True)
class QuoteReport:
    """Words of the candidate: characters [start, end) of the text of that turn of the question."""

    turn: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class CaseMention:
    """A case of a code check that proves or disproves a point."""

    submission: int
    name: str
    aspect: str
    passed: bool
    why: str


@dataclass(frozen=True)
class PointReport:
    """One rubric point and what was found of it. A pitfall is a fault to avoid, with negative worth.

    `credit` is the share of the worth that was earned by a point that is met. `why` is the judge's reason, `matters`
    says why the point matters in practice. `reason` and `reason_text` say why it is ungraded.
    """

    number: int
    id: str
    says: str
    worth: float
    pitfall: bool
    proof: str
    verdict: str
    outcome: Outcome
    label: str
    earned: str
    credit: float
    why: str
    matters: str
    correction: str
    reason: str
    reason_text: str
    confidence: float
    confidence_text: str
    quotes: tuple[QuoteReport, ...]
    cases: tuple[CaseMention, ...]
    judge: JudgeReport | None


@dataclass(frozen=True)
class Segment:
    """A stretch of what was said, and the numbers of the points that it earned or contradicted. `closing` are those of
    them whose words end here. `misheard`: it was recognised from speech with low confidence."""

    text: str
    earned: tuple[int, ...]
    contradicted: tuple[int, ...]
    closing: tuple[int, ...]
    misheard: bool


@dataclass(frozen=True)
class TurnReport:
    """Something said on a question. The texts of `segments` make up the whole. `submission` is the number of the
    submission that it led to, 0 for none; `code` is code that came with it and was not run.

    Of a spoken answer, `recognised` is what was recognised where the person changed it, "" where they did not, and
    `corrections` are words that the recogniser put right: as heard, and as written."""

    number: int
    speaker: Literal["interviewer", "candidate"]
    kind: str
    label: str
    segments: tuple[Segment, ...]
    code: str
    submission: int
    seconds: float | None
    edited: bool
    recognised: str
    corrections: tuple[NamedValue, ...]


@dataclass(frozen=True)
class CaseReport:
    """One finding of a code check. Values are given for visible cases only."""

    name: str
    aspect: str
    passed: bool
    visible: bool
    why: str
    values: tuple[NamedValue, ...]


@dataclass(frozen=True)
class SubmissionReport:
    """One run of the candidate's code: submitted to the question's check, or found in an answer and only tried.

    `counts` is true for the one whose cases decide. `turn` is the number of the turn that held the code, 0 where the
    session does not tell; `code` is empty where it stands in that turn's words. `peak_memory` is in bytes.
    """

    number: int
    name: str
    submitted: bool
    turn: int
    counts: bool
    status: str
    status_text: str
    cases: tuple[CaseReport, ...]
    passed: int
    code: str
    stdout_tail: str
    error: str
    error_line: int | None
    seconds: float
    peak_memory: int | None
    device: str
    isolation: str
    facts: str
    seed: int
    check_hash: str
    versions: tuple[NamedValue, ...]


@dataclass(frozen=True)
class ErratumReport:
    """A common claim that is wrong, what is true, and how that was shown."""

    claim: str
    fact: str
    evidence: str


@dataclass(frozen=True)
class QuestionReport:
    """A question as it was asked, with all that came of it. `rubric` is the hash of what it was judged by.
    `ask` and `model_answer` are Markdown. `reading` are
    those of the `sources` that can be opened."""

    number: int
    id: str
    title: str
    topic: str
    topic_name: str
    framework: str
    level: str
    kind: str
    ask: str
    why_chosen: str
    state: Literal["finished", "skipped", "open", "left"]
    state_text: str
    facts: str
    score: ScoreReport | None
    coverage: CoverageReport
    points: tuple[PointReport, ...]
    turns: tuple[TurnReport, ...]
    submissions: tuple[SubmissionReport, ...]
    hints: int
    follow_ups: int
    seconds: float | None
    starter: str
    model_answer: str
    model_code: str
    errata: tuple[ErratumReport, ...]
    judged_by: str
    rubric: str
    reading: tuple[str, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True)
class PassageReport:
    """A passage to read: Markdown, and the path of its headings."""

    title: str
    text: str


@dataclass(frozen=True)
class StudyItem:
    """Something to study first: a point of a question that was lost, why it matters, and what to read. `found` says
    what a code check showed."""

    number: int
    topic_name: str
    question: int
    question_title: str
    point: int
    problem: Problem
    problem_text: str
    says: str
    found: str
    correction: str
    matters: str
    passages: tuple[PassageReport, ...]
    read: tuple[str, ...]


@dataclass(frozen=True)
class UngradedReport:
    """A point without a verdict, where it is, and why. None of these counts as wrong."""

    question: int
    point: int
    says: str
    reason_text: str
    why: str


@dataclass(frozen=True)
class PlanReport:
    """What the candidate asked for, in words."""

    framework: str
    level: str
    topics: tuple[str, ...]
    focus: str
    questions: int
    mode: str
    text: str


@dataclass(frozen=True)
class DeliveryReport:
    """How an answer on a question was spoken: advice, and no part of any score. Times in seconds."""

    question: int
    seconds: float
    words_per_minute: int
    speaking_percent: int
    longest_pause: float
    fillers: int
    text: str
    advice: str


@dataclass(frozen=True)
class DisputeReport:
    """A verdict that the candidate disputed, and what the second look found. The first verdict counts."""

    question: int
    point: int
    says: str
    why: str
    first: str
    second: str
    text: str


@dataclass(frozen=True)
class OverrideReport:
    """A verdict that a reader of the report changed: `first` is the grader's, `second` theirs. Both are kept."""

    question: int
    point: int
    says: str
    first: str
    second: str
    by: str
    at: str
    why: str
    text: str


@dataclass(frozen=True)
class TrendReport:
    """The headline of an interview of the same profile, a whole per cent."""

    at: str
    percent: int


@dataclass(frozen=True)
class DifferenceReport:
    """A point on which the verdict differs, or that only one of the two rubrics has: then the other label is "–"."""

    says: str
    before: str
    after: str
    why: str


@dataclass(frozen=True)
class AgainReport:
    """A question graded again: its score in the interview and its new one, and where they differ."""

    question: int
    title: str
    before: ScoreReport | None
    after: ScoreReport | None
    note: str
    differences: tuple[DifferenceReport, ...]


@dataclass(frozen=True)
class RegradeReport:
    """The stored answers graded again later. It changes nothing of what stands above it; `text` sums it up."""

    at: str
    judge: str
    bank: str
    ran: bool
    overall: ScoreReport | None
    text: str
    questions: tuple[AgainReport, ...]


@dataclass(frozen=True)
class Report:
    """A whole report. `public_id` names the session without opening it: its link is a secret and stands nowhere
    here. `reader` is who invited the candidate and reads this, "" where nobody did, and `candidate` what they call
    them; `revised` is the overall score with the reader's verdicts in place of the grader's. `made_at` is empty where
    the time of making is left out, and the only thing that a new making changes."""

    schema: str
    public_id: str
    made_at: str
    started_at: str
    ended_at: str
    seconds: float | None
    state: Literal["finished", "stopped", "unfinished"]
    state_text: str
    plan: PlanReport
    overall: ScoreReport | None
    overall_text: str
    trend: tuple[TrendReport, ...]
    trend_text: str
    topics: tuple[TopicReport, ...]
    study: tuple[StudyItem, ...]
    study_text: str
    questions: tuple[QuestionReport, ...]
    delivery: tuple[DeliveryReport, ...]
    delivery_text: str
    regrades: tuple[RegradeReport, ...]
    judges: tuple[JudgeReport, ...]
    ungraded: tuple[UngradedReport, ...]
    ungraded_text: str
    disputes: tuple[DisputeReport, ...]
    reader: str
    candidate: str
    overrides: tuple[OverrideReport, ...]
    revised: ScoreReport | None
    revised_text: str
    notices: tuple[str, ...]
    environment: tuple[NamedValue, ...]
    disclaimer: str
