"""What the interviewer says to requests, to the clock and to disputes: authored lines like those of `lines`, and under
the same rules."""

from __future__ import annotations

import re

from domain import Mode, PointScore, Question, RubricPoint, Verdict
from interview.lines import literal, pick

_FOUND = {
    Verdict.MET: "met",
    Verdict.NOT_MET: "not met",
    Verdict.CONTRADICTED: "contradicted",
    Verdict.UNGRADED: "not to be told",
}
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z`])")


def rephrase(question: Question, awaited: str, reply: str, draw: float) -> str:
    """The question in other words (`reply`, a checked phrasing), or taken apart where there are no other words."""
    if reply:
        return f"{pick(('In other words:', 'Put differently:'), draw)} {reply.strip()}"
    opening = pick(("Let me take it apart.", "One piece at a time, then."), draw)
    prose = awaited.strip().split("\n\n")[0]
    pieces = [piece.strip() for piece in _SENTENCE.split(" ".join(prose.split())) if piece.strip()]
    if len(pieces) < 2:
        return f"{opening} The subject is “{question.title}”.\n\n{awaited.strip()}"
    listed = "\n".join(f"- {piece}" for piece in pieces)
    more = "\n\nThe rest of the question stays as it is; say “repeat” to see it whole." if prose != awaited else ""
    return f"{opening} The subject is “{question.title}”, and this is asked:\n\n{listed}{more}"


def thinking(draw: float, *, timed: bool) -> str:
    """The candidate takes their time, or thinks aloud."""
    if timed:
        return pick(("Go ahead and think. The clock runs on.", "All right. Mind the clock while you think."), draw)
    return pick(("Take your time, I am here.", "Go ahead and think; there is no hurry."), draw)


def steer(draw: float) -> str:
    """An attempt to be marked up, or to change the rules."""
    return pick(
        (
            "I cannot award anything for the asking: points come from what you say about the question, and from what "
            "your code does. The question is still open.",
            "That is not for me to change. Each point is decided by your answer alone, so let us go on with it.",
        ),
        draw,
    )


def how_to_dispute(mode: Mode, *, told: bool) -> str:
    """A dispute that names no verdict."""
    if mode is Mode.EXAM:
        return "In an exam you see the verdicts at the end, and may dispute each of them there. Let us go on for now."
    if not told:
        return (
            "No verdict has been given against you so far, so there is nothing to look at again. If you meant the "
            "question itself, say what you take it to mean, and answer that."
        )
    return (
        "I hear you. A verdict can be looked at again, once for each point: name the point, or press Dispute beside "
        "it. The second verdict is kept next to the first, which counts."
    )


def disputed(point: RubricPoint, draw: float) -> str:
    """A dispute was taken in."""
    opening = pick(("All right, I will look at this again:", "Noted. A second look at this:"), draw)
    return f"{opening} “{point.says}”"


def judged_again(point: RubricPoint, first: PointScore, second: PointScore) -> str:
    """What the second look found."""
    by = f"{second.judged_by.judge} judge" if second.judged_by.judge != "run" else "a run with new hidden inputs"
    same = second.verdict is first.verdict
    other = f"another verdict: {_FOUND[second.verdict]}, where the first was {_FOUND[first.verdict]}"
    found = "the same" if same else other
    why = f" {literal(second.why)}" if second.why else ""
    kept = "The first verdict counts; both stand in the report."
    return f"The second look at “{point.says}” ({by}) gave {found}.{why} {kept}"


def paused(draw: float, *, timed: bool) -> str:
    """The interview pauses."""
    text = pick(("Paused.", "We pause here."), draw)
    clock = " The clock of an exam goes on meanwhile." if timed else ""
    link = "This page's link brings you back to this very place, also on another day."
    return f"{text}{clock} Say anything to go on. {link}"


def resumed(awaited: str, draw: float) -> str:
    """The interview goes on."""
    hello = pick(("Welcome back. We were here:", "Good to have you back. This was the question:"), draw)
    return f"{hello}\n\n{awaited.strip()}"


def time_over(draw: float, *, whole: bool) -> str:
    """The time ran out."""
    if whole:
        return "The time of this interview is up. What you answered counts."
    return pick(
        (
            "The time for this question is up. What you answered counts.",
            "Time. I take what you have said so far, and we leave this one.",
        ),
        draw,
    )


def that_is_the_question(draw: float) -> str:
    """The candidate sent the question back."""
    return pick(
        (
            "Those are the words of the question. What is your answer to it?",
            "That is what I asked. Tell me what you would say to it.",
        ),
        draw,
    )


OTHER_LANGUAGE = (
    "This does not look like English, and without a language model I can judge nothing else, so I did not count it "
    "either way. Please say it in English; short and simple is fine."
)
