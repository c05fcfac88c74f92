"""What the interviewer says: authored lines, varied by the draw that comes with each event.

Rules they keep: acknowledge what was said by its substance (the candidate's own words), never praise what was not
earned, give nothing away of a point that is still open, and say plainly what is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain import (
    Framework,
    Kind,
    Mode,
    Plan,
    PointScore,
    Proof,
    Question,
    QuestionResult,
    Quote,
    Session,
    Turn,
    UngradedReason,
    Verdict,
)

_FRAMEWORKS = {
    Framework.PYTORCH: "PyTorch",
    Framework.TENSORFLOW: "TensorFlow",
    Framework.BOTH: "PyTorch and TensorFlow",
}
_SPECIAL = frozenset("\\`*_[]<>!#|~$")

SURE = 0.8


def pick(options: Sequence[str], draw: float) -> str:
    """One of the options, by a draw in [0, 1)."""
    return options[min(int(draw * len(options)), len(options) - 1)]


def literal(text: str) -> str:
    """Untrusted text on one line, with everything escaped that Markdown or HTML would act on."""
    return "".join(f"\\{letter}" if letter in _SPECIAL else letter for letter in " ".join(text.split()))


def readable(name: str) -> str:
    """A topic's name as people write it."""
    return name.replace("_", " ")


def words_of(session: Session, quote: Quote) -> str:
    """The quoted words, ready to show, or "" where the quote points at nothing."""
    if not 0 <= quote.turn_id < len(session.turns):
        return ""
    # Their backticks would stand there as they are, since nothing in a quote acts as Markdown.
    return literal(session.turns[quote.turn_id].text[quote.start : quote.end].replace("`", ""))


def greeting(topics: Sequence[str], draw: float) -> str:
    """The first words of an interview, and what to do; without topics on offer, just the welcome."""
    hellos = (
        "Hello, and welcome. I am your interviewer today.",
        "Welcome. I will be interviewing you on PyTorch and TensorFlow.",
        "Good to have you here. Let us set up your interview.",
    )
    if not topics:  # the plan is already made
        return pick(hellos[:2], draw)
    offered = f" I have questions on {', '.join(readable(topic) for topic in topics)}."
    return f"{pick(hellos, draw)}{offered}\n\n{setup_again(draw)}"


def setup_again(draw: float) -> str:
    """The question that opens an interview."""
    return pick(
        (
            "What would you like to focus on? Use the form, or tell me in your own words, for example "
            "“3 hard PyTorch questions about autograd, exam please”.",
            "What shall we work on? Fill in the form, or simply say it: framework, level, topics, how many questions, "
            "and practice (feedback as we go) or exam (feedback at the end).",
        ),
        draw,
    )


def plan_summary(plan: Plan) -> str:
    """The plan in words: "3 hard questions on PyTorch, about autograd, as an exam"."""
    count = "1 question" if plan.questions == 1 else f"{plan.questions} questions"
    if plan.drafts:
        return f"{count} from your own documents, as practice"
    level = f"{plan.level.value} " if plan.level else ""
    number, noun = count.split(" ", 1)
    about = f", about {', '.join(readable(topic) for topic in plan.topics)}" if plan.topics else ""
    mode = {Mode.EXAM: "as an exam", Mode.DRILL: "as a drill"}.get(plan.mode, "as practice")
    return f"{number} {level}{noun} on {_FRAMEWORKS[plan.framework]}{about}, {mode}"


def plan_agreed(plan: Plan, note: str, draw: float) -> str:
    """Says back what was understood, and how the chosen mode works."""
    opening = pick(("Agreed", "Good", "All right"), draw)
    how = {
        Mode.EXAM: "You get one submission for code, no hints, and the feedback at the end.",
        Mode.DRILL: "Only what you missed before is asked, and only that counts.",
    }.get(plan.mode, "You get feedback after each question; ask for a hint or a clarification whenever you need one.")
    return " ".join(part for part in (f"{opening}: {plan_summary(plan)}.", note, how, _limits(plan)) if part)


def _limits(plan: Plan) -> str:
    """The time limits of a plan in words; "" where it names none."""
    parts = []
    if plan.seconds_per_question:
        parts.append(f"{duration(plan.seconds_per_question)} for each question")
    if plan.seconds_total:
        parts.append(f"{duration(plan.seconds_total)} for all of it")
    return f"You have {' and '.join(parts)}." if parts else ""


def duration(seconds: float) -> str:
    """A span of time as people say it: "90 seconds", "8 minutes"."""
    if seconds < 120:
        return f"{seconds:.0f} second{'' if round(seconds) == 1 else 's'}"
    return f"{seconds / 60:.3g} minutes"


def question(session: Session, asked: Question, number: int, draw: float, seconds: float = 0.0) -> str:
    """A question as it is put: where we are, how long there is (0: no limit), what is asked, and how to answer."""
    count = f"Question {number} of {session.plan.questions}"
    before = session.results[-1].question.topic if session.results else ""
    if asked.draft:
        opening = f"{count}, from your document {literal(asked.draft)}; its rubric is a draft."
    elif not before:
        opening = f"{count}, on {readable(asked.topic)}."
    elif before == asked.topic:
        opening = pick(
            (f"{count}. We stay with {readable(asked.topic)}.", f"{count}, again on {readable(before)}."), draw
        )
    else:
        opening = pick(
            (
                f"{count}. Let us turn to {readable(asked.topic)}.",
                f"{count}. From {readable(before)} to {readable(asked.topic)}.",
            ),
            draw,
        )
    if session.plan.mode is Mode.DRILL:
        opening += f" {drilled(asked)}"
    if seconds:
        opening += f" You have {duration(seconds)} for it."
    return f"{opening}\n\n{asked.ask.strip()}{how_to_answer(asked, session.plan.mode)}"


def drilled(asked: Question) -> str:
    """What a drill wants of a question that was asked before."""
    missed = len(asked.points)
    code = " No code is wanted this time." if asked.starter and not asked.check else ""
    return (
        f"You know it already: this time only what you missed counts, {missed} point{'s' * (missed > 1)} of it.{code}"
    )


def how_to_answer(asked: Question, mode: Mode) -> str:
    """For a question with a check: where the code goes."""
    if not asked.check:
        return ""
    times = "one submission" if mode is Mode.EXAM else "five submissions, of which the last counts"
    return f"\n\nWrite the code in the editor and submit it: you have {times}. I will also ask you to explain it."


def acknowledge(session: Session, result: QuestionResult, answer: Turn | None, draw: float) -> str:
    """A word on the last answer: in practice what in it was credited for sure, in the candidate's own words; never
    praise."""
    if session.plan.mode is Mode.EXAM:
        return pick(("Noted.", "Thank you, noted.", "All right."), draw)
    quoted = [words for item in result.scores if (words := _credited(session, result, item, answer)) and _sure(item)]
    long = answer is not None and len(answer.text.split()) > 8
    if not quoted and long and _unrelated(result):
        return pick(
            ("I could not connect that to the question yet.", "I found nothing in that which speaks to the question."),
            draw,
        )
    if not quoted:
        return pick(("Thank you.", "I see.", "All right."), draw)
    chosen = max(quoted, key=len)
    return pick(
        (f"“{chosen}”: yes, that counts.", f"I heard “{chosen}”, and that counts.", f"Yes: “{chosen}”."),
        draw,
    )


def _unrelated(result: QuestionResult) -> bool:
    """Whether the words so far touched no point at all, neither rightly nor wrongly nor in a way that is unclear."""
    said = [item for item in result.scores if result.question.point(item.point_id).proof is Proof.SAID]
    return bool(said) and all(item.verdict is Verdict.NOT_MET and not item.evidence for item in said)


def _sure(item: PointScore) -> bool:
    """Whether the judge is sure enough of a point for the interviewer to say it aloud in the middle of a question."""
    return item.confidence >= SURE


def _credited(session: Session, result: QuestionResult, item: PointScore, answer: Turn | None) -> str:
    if item.verdict is not Verdict.MET or answer is None or result.question.point(item.point_id).worth < 0:
        return ""
    quotes = [evidence for evidence in item.evidence if isinstance(evidence, Quote) and evidence.turn_id == answer.id]
    return words_of(session, quotes[0]) if quotes else ""


def follow_up(found: PointScore | None, asks: str, draw: float) -> str:
    """Leads over to a follow-up by what was found of its point, without saying that it was wrong or missing."""
    verdict = found.verdict if found else Verdict.NOT_MET
    if found and found.reason is UngradedReason.UNINTELLIGIBLE:
        lead = pick(("I could not hear one part clearly.", "One part did not reach me clearly."), draw)
    elif verdict is Verdict.UNGRADED:
        lead = pick(("I want to be sure that I understood you.", "Help me to understand one part better."), draw)
    elif verdict is Verdict.CONTRADICTED:
        lead = pick(("Let me come back to one thing.", "Think again about one part."), draw)
    else:
        lead = pick(("Let me ask about one more thing.", "Let us go one step further.", "One thing more."), draw)
    return f"{lead} {asks.strip()}"


def explain_code(passed: bool, draw: float) -> str:
    """Asks once for the explanation that goes with the code."""
    if passed:
        return pick(
            (
                "Now walk me through it: why does it work, and what did you have to watch out for?",
                "Before we leave it, explain in a few sentences how it works and why you wrote it this way.",
            ),
            draw,
        )
    return pick(
        (
            "Leave the code there. Tell me in words how you meant it to work, and what has to be watched out for.",
            "Explain in a few sentences the idea behind your code, and what a correct version has to take care of.",
        ),
        draw,
    )


def code_awaited(draw: float) -> str:
    """After an explanation that came before the code."""
    return pick(
        ("Submit your code when it is ready.", "Now the code: submit it from the editor when you are ready."), draw
    )


def words_awaited(draw: float) -> str:
    """After code on a question that wants words."""
    return pick(("Now tell me in words.", "That is the code; what is your answer in words?"), draw)


def hint(text: str, draw: float) -> str:
    """A hint."""
    return f"{pick(('A hint:', 'Think about this:', 'Here is something to start from:'), draw)} {text.strip()}"


def no_hint(mode: Mode, draw: float) -> str:
    """Why there is no (further) hint."""
    if mode is Mode.EXAM:
        return "There are no hints in an exam. Say what you know, or skip the question."
    return pick(("I have no further hint on this one.", "That is all I can hint at."), draw)


def repeat(text: str, draw: float) -> str:
    """The question once more."""
    return f"{pick(('Of course.', 'Certainly, once more.'), draw)}\n\n{text.strip()}"


def clarify(reply: str, draw: float) -> str:
    """The answer to a clarifying question, or the admission that there is none."""
    if reply:
        return reply.strip()
    return pick(
        (
            "I have no answer to that in my notes. Take the assumption that seems sensible to you, and say which.",
            "That I cannot tell you: my notes do not say. Choose an assumption, name it, and go on from there.",
        ),
        draw,
    )


def small_talk(asked: Kind | None, draw: float) -> str:
    """A friendly word that leads back."""
    if asked is None:
        return pick(("Hello.", "Thank you, glad to be here."), draw)
    return pick(
        ("Thank you. The question is still open; take your time.", "Sure. Whenever you are ready, I am listening."),
        draw,
    )


def closed_without_feedback(skipped: bool, draw: float) -> str:
    """What an exam says when a question closes."""
    if skipped:
        return pick(("Skipped.", "We leave that one."), draw)
    return pick(("Thank you, I have noted your answer.", "Noted. That closes this question."), draw)


def none_left(asked: int, draw: float) -> str:
    """There is nothing more to ask."""
    if not asked:
        return "I have no question that fits this. Start a new interview with other topics, level or framework."
    return pick(
        ("I have no further question that fits what you asked for.", "That was the last fitting question I have."), draw
    )


def closing(draw: float) -> str:
    """The last words."""
    return pick(
        ("That is the end of the interview. Your report is ready.", "We are done. You can open your report now."), draw
    )
