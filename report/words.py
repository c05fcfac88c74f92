"""The report's words for people: what verdicts, reasons and run states are called, and how amounts are written."""

from __future__ import annotations

from datetime import UTC, datetime

from domain import Framework, Kind, Level, Mode, Plan, RunStatus, Score, TurnKind, UngradedReason
from report.model import AgainReport, CoverageReport, Outcome, Problem, ScoreReport

DISCLAIMER = (
    "This report is a practice aid, not a hiring decision. It compares what was said with a fixed list of items; it "
    "does not measure a person, and an automatic grader can be mistaken: the evidence is shown so that you can "
    "check it."
)

METHOD = (
    "Each answer is held against a list of items that a full answer contains, one at a time. An item is credited "
    "only with evidence: words of yours that stand in the answer, or cases of a check that watched your code from "
    "outside. Points are added up from these verdicts; no model gives a score. An item that came only after a "
    "follow-up or a hint earns a part of its points. A fault takes points away, but never leaves a question below "
    "zero. An item that could not be graded counts neither for nor against you: it only widens the bounds."
)

OUTCOMES: dict[Outcome, str] = {
    "met": "Credited",
    "missing": "Missed",
    "wrong": "To correct",
    "fault": "A fault",
    "avoided": "Fault avoided",
    "ungraded": "Not graded",
}

PROBLEMS: dict[Problem, str] = {
    "wrong": "To correct",
    "fault": "A fault",
    "failed": "Code check failed",
    "missing": "Missed",
}

REASONS: dict[UngradedReason, str] = {
    UngradedReason.UNCERTAIN: "The judge could not tell from your words, and does not guess.",
    UngradedReason.UNINTELLIGIBLE: "The answer could not be understood, so it was not judged.",
    UngradedReason.NOT_ASKED: "You were not asked for this before the interview moved on or ended.",
    UngradedReason.GRADER_FAILED: "The grader failed. That is our fault and does not count against you.",
}
NOT_JUDGED = "The question was left open, so this was never judged and does not count."

HELD_OPEN = "This question is still open: what a full answer contains is shown once it is closed."
HELD_EXAM = "This is an exam: what came of your answers is shown when the interview has ended."

STATUSES: dict[RunStatus, str] = {
    RunStatus.OK: "Ran to the end",
    RunStatus.WRONG: "Ran, and at least one case failed",
    RunStatus.CRASHED: "Stopped with an error",
    RunStatus.TIMED_OUT: "Ran out of time",
    RunStatus.OUT_OF_MEMORY: "Ran out of memory",
    RunStatus.BOX_BROKEN: "The sandbox failed: our fault, and it does not count against you",
}

TURNS: dict[TurnKind, str] = {
    TurnKind.ANSWER: "Your answer",
    TurnKind.REQUEST: "You asked",
    TurnKind.REPLY: "Reply",
    TurnKind.FOLLOW_UP: "Follow-up question",
    TurnKind.HINT: "Hint",
}

JUDGES = {
    "local": "Local judge",
    "llm": "LLM judge",
    "run": "Code run in the sandbox",
    "session": "Nobody: there was no answer to judge",
    "none": "Nobody: the judge failed",
}

FRAMEWORKS = {
    Framework.PYTORCH: "PyTorch",
    Framework.TENSORFLOW: "TensorFlow",
    Framework.BOTH: "PyTorch and TensorFlow",
}
LEVELS = {Level.EASY: "easy", Level.MEDIUM: "medium", Level.HARD: "hard"}
KINDS = {
    Kind.EXPLAIN: "explain",
    Kind.CODE: "write code",
    Kind.DEBUG: "find the bug",
    Kind.PREDICT: "predict the output",
    Kind.DESIGN: "design",
}
MODES = {Mode.PRACTICE: "practice", Mode.EXAM: "exam", Mode.DRILL: "drill"}

_SPELLED = {
    "gpu": "GPU",
    "tensorflow": "TensorFlow",
    "pytorch": "PyTorch",
    "api": "API",
    "onnx": "ONNX",
    "cuda": "CUDA",
}


def topic_name(topic: str) -> str:
    """A topic's folder name as words: "batch_normalisation" becomes "Batch normalisation"."""
    words = [_SPELLED.get(word, word) for word in topic.replace("-", "_").split("_") if word]
    name = " ".join(words)
    return name[:1].upper() + name[1:] if name else "General"


def number(value: float) -> str:
    """A number of points, at most two decimals, without trailing zeros; a true minus sign."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text.replace("-", "−")


def count(amount: int, one: str, many: str = "") -> str:
    """An amount with its noun: "1 hint", "2 hints"."""
    return f"{amount} {one if amount == 1 else many or one + 's'}"


def worth(amount: float) -> str:
    """What something is worth, with its noun: "1 point", "2.5 points"."""
    return f"{number(amount)} {'point' if amount in (1, -1) else 'points'}"


def duration(seconds: float) -> str:
    """A length of time: "9.7 ms", "1.4 s", "6 min 20 s", "1 h 5 min"."""
    if seconds < 0:
        return "0 s"
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms" if seconds else "0 s"
    if seconds < 60:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def size(amount: int) -> str:
    """An amount of memory in binary units."""
    return f"{amount / 2**20:.0f} MiB" if amount < 2**30 else f"{amount / 2**30:.1f} GiB"


def moment(seconds: float | None) -> str:
    """Seconds since the epoch as ISO 8601 in UTC, to the second; "" for None or a time that no calendar holds."""
    if seconds is None:
        return ""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return ""


def day(iso: str) -> str:
    """An ISO 8601 time as a person reads it: "1 December 2026, 09:30 UTC"; "" stays ""."""
    if not iso:
        return ""
    time = datetime.strptime(iso, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    return f"{time.day} {time:%B %Y, %H:%M} UTC"


def score_text(score: Score, low: int, high: int) -> str:
    """A score in a sentence or two: what was earned, what was not graded, and between which bounds it lies."""
    if not score.worth:
        return "There were no points to earn."
    earned = f"{number(score.earned)} of {worth(score.worth)}"
    if score.value is None:
        return (
            f"No headline score: only {score.graded * 100:.0f} % of the points could be graded, and 80 % is needed for "
            f"one. {earned} earned so far; fully graded, it would be between {low} % and {high} %."
        )
    if score.graded >= 1:
        return f"{earned} earned; everything was graded."
    return (
        f"{earned} earned. {(1 - score.graded) * 100:.0f} % of the points could not be graded; fully graded, the score "
        f"would be between {low} % and {high} %."
    )


def few_text(score: Score) -> str:
    """The score of a topic on which too few questions were asked."""
    rest = "" if score.graded >= 1 else f", {number((1 - score.graded) * score.worth)} not graded"
    return f"Too few questions to tell: {number(score.earned)} of {worth(score.worth)} earned{rest}."


def coverage_text(cover: CoverageReport) -> str:
    """A coverage in words: "4 credited, 1 missed, 1 to correct"."""
    parts = (
        (cover.met, "credited"),
        (cover.missing, "missed"),
        (cover.wrong, "to correct"),
        (cover.ungraded, "not graded"),
    )
    words = [f"{amount} {word}" for amount, word in parts if amount]
    if cover.faults:
        words.append(count(cover.faults, "fault"))
    return ", ".join(words) or "–"


def plan_text(plan: Plan) -> str:
    """What was asked for, in one line."""
    level = f"{LEVELS[plan.level]} questions" if plan.level else "questions of any level"
    topics = ", ".join(topic_name(topic) for topic in plan.topics) or "any topic"
    return (
        f"{FRAMEWORKS[plan.framework]}, {level}, {topics}, {count(plan.questions, 'question')}, {MODES[plan.mode]} mode"
    )


def label(name: str) -> str:
    """The name of a fact as a label: "bank_hash" becomes "Bank hash"."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def points_of(score: ScoreReport | None) -> str:
    """A score in a few words: "3 of 5 points", or the bounds where too little was graded."""
    if score is None:
        return "not counted"
    if score.percent is None:
        return f"{number(score.low)} to {number(score.high)} of {worth(score.worth)}"
    return f"{number(score.earned)} of {worth(score.worth)}"


def before_and_after(again: AgainReport) -> str:
    """What a question earned then and now, and what to know about it."""
    text = f"{points_of(again.before)} then, {points_of(again.after)} now."
    return f"{text} {again.note}".strip()


def revised_text(score: ScoreReport) -> str:
    """The score with a reader's verdicts in place of the grader's."""
    headline = f"{score.percent} %, " if score.percent is not None else ""
    return f"With the verdicts that a reader changed: {headline}{points_of(score)}. What was graded stays beside it."
