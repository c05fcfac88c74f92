"""A session as the page shows it: a pure function from the stored session to a `View`. It decides nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from domain import (
    Kind,
    Mode,
    Passage,
    Phase,
    PointScore,
    Question,
    QuestionResult,
    Quote,
    Score,
    Session,
    Speaker,
    Turn,
    TurnKind,
    Verdict,
)
from interview.disputes import pending_dispute
from interview.session import submissions_left
from interview.steps import SUBMISSIONS
from interview.timing import deadline
from ui.disputes import choices, second_looks
from ui.results import mark, runs_html
from ui.text import defuse, fenced, html

BUSY = frozenset({Phase.CHOOSING, Phase.RUNNING, Phase.JUDGING})
_STATUS = {
    Phase.SETUP: "Choose what to practise.",
    Phase.CHOOSING: "Choosing the next question",
    Phase.ANSWERING: "Your turn.",
    Phase.RUNNING: "Running your code in the sandbox",
    Phase.JUDGING: "Scoring your answer, point by point",
    Phase.PAUSED: "Paused. This link brings you back; resume whenever you like.",
    Phase.ENDED: "The interview is over. Your report is above.",
}
_HEADINGS = {
    TurnKind.FOLLOW_UP: "Follow-up",
    TurnKind.HINT: "Hint",
    TurnKind.RESULT: "Code",
    TurnKind.FEEDBACK: "Feedback",
}
_VERDICTS = {
    Verdict.MET: ("good", "✓", "met"),
    Verdict.NOT_MET: ("", "–", "not said"),
    Verdict.CONTRADICTED: ("bad", "✗", "contradicted"),
    Verdict.UNGRADED: ("gold", "?", "not graded"),
}


class Screen(StrEnum):
    """Which of its three faces the page shows: the form (with the chat, once something was said), the chat, or the
    report under it."""

    SETUP = "setup"
    INTERVIEW = "interview"
    ENDED = "ended"


@dataclass(frozen=True)
class View:
    """What the page shows of a session. `seen` is the number of turns in it: the page's own place in the interview.

    `actions` are what the candidate may do now: answer, submit, try, hint, skip, finish, pause, resume, stop, cancel.
    `provider` is
    asked for the candidate's consent, "" where there is nothing to ask. `disputable` are (label, value) of the verdicts
    that may be disputed now, `disputes` what came of those that were.
    """

    screen: Screen
    session_id: str
    seen: int
    messages: list[dict[str, str]]
    progress: str
    status: str
    card: str
    ask: str
    results: str
    question_id: str
    wants_code: bool
    code: str
    last_question: bool
    actions: frozenset[str]
    provider: str = ""
    drafts: tuple[Question, ...] = ()
    passages: tuple[Passage, ...] = ()
    library_closed: bool = False
    disputable: tuple[tuple[str, str], ...] = ()
    disputes: str = ""


def wants_code(result: QuestionResult | None) -> bool:
    """Whether the question at hand is answered in the code editor."""
    return result is not None and (
        result.question.kind in (Kind.CODE, Kind.DEBUG) or bool(result.question.check or result.question.starter)
    )


def _message(turn: Turn) -> dict[str, str]:
    text = turn.text
    if turn.kind is TurnKind.RESULT:
        # Its cases are shown beside the editor; here the first line and the circumstances are enough.
        paragraphs = text.strip().split("\n\n")
        text = "\n\n".join(dict.fromkeys((paragraphs[0], paragraphs[-1])))
    theirs = turn.speaker is Speaker.CANDIDATE
    parts = [defuse(text, breaks=theirs)] if text.strip() else []
    if theirs:
        code = turn.answer.code.strip() if turn.answer is not None else ""
        if code and code not in turn.text:
            parts.append(fenced(code))
        return {"role": "user", "content": "\n\n".join(parts) or "*(nothing written)*"}
    if heading := _HEADINGS.get(turn.kind):
        parts.insert(0, f"#### {heading}")
    return {"role": "assistant", "content": "\n\n".join(parts)}


def per_cent(score: Score | None) -> str:
    """A score in words: its share with bounds where something was not graded, or why there is none."""
    if score is None:
        return "not scored"
    if score.value is None or score.worth <= 0:
        return f"no score: {score.graded:.0%} of it could be graded"
    bounds = (score.low / score.worth, score.high / score.worth)
    between = "" if bounds[1] - bounds[0] < 0.005 else f" (between {max(0.0, bounds[0]):.0%} and {bounds[1]:.0%})"
    return f"{score.value:.0%}{between}"


def progress(session: Session) -> str:
    """How far the interview is: a bar of its questions, the number in words, and the mode."""
    total = max(session.plan.questions, len(session.results))
    current = session.current
    steps = []
    for number in range(total):
        result = session.results[number] if number < len(session.results) else None
        steps.append(f'<i class="{"" if result is None else "now" if result is current else "done"}"></i>')
    if current is not None:
        words = f"<b>Question {len(session.results)} of {total}</b>"
    else:
        words = f"<b>{len(session.results)} of {total} questions asked</b>"
    clock = ""
    ends = deadline(session)
    until = "" if ends is None else f' data-until="{ends:.0f}"'
    if current is not None:
        clock = (
            f'<button type="button" class="viva-clock" data-viva="clock" data-since="{current.asked_at:.0f}"{until} '
            'aria-label="Time on this question" title="Time on this question; press to hide or show it"></button>'
        )
    mode = session.plan.mode.value.capitalize()
    track = f'<span class="viva-track" aria-hidden="true">{"".join(steps)}</span>'
    title = '<h1 class="viva-hidden">Interview</h1>'
    told = f'{track}<span>{words}</span><span class="viva-mode">{mode}</span>{clock}'
    return f'{title}<div class="viva-progress">{told}</div>'


def working(words: str) -> str:
    """What is being worked on, with room for the time that it takes, which the page's script writes."""
    dot = '<span class="viva-dot" aria-hidden="true"></span>'
    return f'<div class="viva-status busy">{dot}<span>{html(words)} …</span><span class="since"></span></div>'


def status(session: Session) -> str:
    """What is being worked on right now, or whose turn it is."""
    if pending_dispute(session) is not None:
        return working("Looking at that verdict again")
    words = _STATUS[session.phase]
    return working(words) if session.phase in BUSY else f'<div class="viva-status">{html(words)}</div>'


def _quoted(session: Session, point: PointScore) -> str:
    for piece in point.evidence:
        if isinstance(piece, Quote):
            for turn in session.turns:
                if turn.id == piece.turn_id:
                    return f"<br><q>{html(turn.text[piece.start : piece.end].replace('`', ''))}</q>"
    return ""


def _points(session: Session, result: QuestionResult) -> str:
    rows = []
    for point in result.scores:
        rubric = result.question.point(point.point_id)
        kind, symbol, words = _VERDICTS[point.verdict]
        if rubric.worth < 0 and point.verdict is Verdict.MET:
            kind, symbol, words = "bad", "✗", "a fault"
        correction = f"<br>{html(point.correction)}" if point.correction else ""
        says = html(rubric.says) + _quoted(session, point) + correction
        rows.append(f"<li>{mark(kind, symbol, words)}<span>{says}</span></li>")
    return f'<ul class="viva-points">{"".join(rows)}</ul>' if rows else ""


def _coverage(session: Session, result: QuestionResult) -> str:
    """In practice, how much of the open question's rubric is earned so far: a segment a point, and for each that is
    met the words it was credited for. Nothing of the points that are still open but their number."""
    points = [point for point in result.question.points if point.worth > 0]
    met = [
        item for item in result.scores if item.verdict is Verdict.MET and result.question.point(item.point_id).worth > 0
    ]
    if session.plan.mode is Mode.EXAM or not result.scores or not points:
        return ""
    words = f"{len(met)} of {len(points)} rubric points so far"
    bar = "".join(f'<i class="{"met" if number < len(met) else ""}"></i>' for number in range(len(points)))
    quotes = [_quoted(session, item).removeprefix("<br>") for item in met]
    by_code = quotes.count("")
    said = [quote for quote in dict.fromkeys(quotes) if quote]
    said += [f"{by_code} by the cases that your code passed"] if by_code else []
    rows = "".join(f"<li>{mark('good', '✓', 'met')}<span>{quote}</span></li>" for quote in said)
    earned = f'<ul class="viva-points">{rows}</ul>' if rows else ""
    return f'<div class="viva-coverage"><div class="bar" aria-hidden="true">{bar}</div><p>{words}</p>{earned}</div>'


def card(session: Session) -> str:
    """The question at hand, and in practice the closed ones with their points. Never a point that is still open."""
    blocks = []
    current = session.current
    if current is not None:
        question = current.question
        tags = [question.topic.replace("_", " "), question.framework, question.kind]
        items = "".join(f"<li>{html(str(tag))}</li>" for tag in tags)
        if question.draft:
            items += f'<li class="level-medium">draft rubric from {html(question.draft)}</li>'
        level = f'<li class="level-{html(question.level)}">{html(question.level)}</li>'
        why = f"<p>{html(current.why_chosen)}</p>" if current.why_chosen else ""
        blocks.append(
            f'<article class="viva-question" aria-label="The question at hand"><h2>{html(question.title)}</h2>'
            f'<ul class="viva-tags">{level}{items}</ul>{why}{_coverage(session, current)}</article>'
        )
    if session.plan.mode is not Mode.EXAM:
        for number, result in enumerate(session.results, 1):
            if result.closed_at is not None and result.scores:
                name = f"{number}. {html(result.question.title)}: {html(per_cent(result.score))}"
                points = _points(session, result)
                blocks.append(
                    f'<details class="viva-earlier"><summary>{name}</summary>'
                    f'<div class="viva-question">{points}</div></details>'
                )
    if session.notices:
        items = "".join(f"<p>{html(text)}</p>" for text in session.notices)
        summary = "<summary>What is limited in this interview</summary>"
        blocks.append(f'<details class="viva-earlier">{summary}<div class="viva-question">{items}</div></details>')
    return "".join(blocks)


def _actions(session: Session) -> frozenset[str]:
    if pending_dispute(session) is not None:
        return frozenset({"cancel"})
    if session.phase is Phase.ENDED:
        return frozenset()
    if session.phase in BUSY:
        return frozenset({"stop", "cancel"} if session.phase is not Phase.CHOOSING else {"stop"})
    if session.phase is Phase.SETUP:
        return frozenset({"answer", "stop"})
    if session.phase is Phase.PAUSED:
        return frozenset({"answer", "resume", "stop"})  # whatever is said ends the pause
    allowed = {"answer", "stop", "skip", "finish", "pause"}
    if session.plan.mode is not Mode.EXAM:
        allowed.add("hint")
    current = session.current
    if wants_code(current):
        allowed.add("try")
    # Code on a question without a check is run as it is, and not counted.
    if wants_code(current) and current is not None and (not current.question.check or submissions_left(session)):
        allowed.add("submit")
    return frozenset(allowed)


def _code(session: Session) -> str:
    """What the editor starts with: what was submitted last on this question, else its starter."""
    current = session.current
    if current is None:
        return ""
    for turn in reversed(session.turns):
        if turn.question_id == current.question.id and turn.answer is not None and turn.answer.code:
            return turn.answer.code
    return current.question.starter


def library_closed(session: Session) -> bool:
    """Whether questions and notes may not be looked up now: while an exam is under way."""
    return session.plan.mode is Mode.EXAM and session.phase not in (Phase.SETUP, Phase.ENDED)


def _results(session: Session) -> str:
    """The runs of the question at hand, or of the last one. An exam keeps them for the end."""
    shown = session.current or (session.results[-1] if session.results else None)
    exam = session.plan.mode is Mode.EXAM
    if shown is None or (exam and session.phase is not Phase.ENDED):
        return ""
    return runs_html(shown.runs, SUBMISSIONS[session.plan.mode] if shown.question.check else 0)


def view(session: Session, provider: str = "") -> View:
    """The whole page, from nothing but the stored session. `provider` names where words to a language model would go;
    no answer is taken before the candidate said whether they may."""
    current = session.current
    ask = provider if provider and current is not None and session.agreed(provider) is None else ""
    actions = _actions(session)
    waits_invited = session.phase is Phase.SETUP and session.invitation is not None
    screens = {Phase.ENDED: Screen.ENDED, Phase.SETUP: Screen.SETUP}
    return View(
        # An invitation's plan is fixed, so that there is nothing to set up.
        screen=screens.get(session.phase, Screen.INTERVIEW) if not waits_invited else Screen.INTERVIEW,
        session_id=session.id,
        seen=len(session.turns),
        messages=[_message(turn) for turn in session.turns],
        progress=progress(session),
        status=status(session),
        card=card(session),
        ask=defuse(current.question.ask) if current is not None else "",
        results=_results(session),
        question_id=current.question.id if current is not None else "",
        wants_code=wants_code(current),
        code=_code(session),
        last_question=len(session.results) >= session.plan.questions,
        actions=actions - {"answer"} if ask else actions,
        provider=ask,
        drafts=session.drafts,
        passages=session.passages,
        library_closed=library_closed(session),
        disputable=choices(session),
        disputes=second_looks(session),
    )
