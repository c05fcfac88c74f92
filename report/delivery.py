"""How answers were spoken: figures and advice beside the report, never a part of a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from domain import Answer, QuestionResult, Session, Speaker
from report.model import DeliveryReport, NamedValue
from report.words import count, duration

APART = "This is advice and no part of any score. It is measured from your recordings, and is as rough as they are."


def recognised(answer: Answer | None) -> tuple[str, tuple[NamedValue, ...]]:
    """What was recognised before it was corrected, "" where nothing was spoken or changed; and the words that were put
    right by the recogniser, as heard and as written."""
    if answer is None or not answer.spoken:
        return "", ()
    changed = tuple(
        NamedValue(item.heard, part.text[item.start : item.end]) for part in answer.spoken for item in part.corrections
    )
    return " ".join(part.text for part in answer.spoken) if answer.edited else "", changed


def deliveries(results: Sequence[QuestionResult], session: Session) -> tuple[DeliveryReport, ...]:
    """One for each spoken answer, in order."""
    return tuple(_deliveries(results, session))


def _deliveries(results: Iterable[QuestionResult], session: Session) -> Iterator[DeliveryReport]:
    numbers = {result.question.id: number for number, result in enumerate(results, 1)}
    for turn in session.turns:
        if turn.speaker is not Speaker.CANDIDATE or turn.answer is None or turn.question_id not in numbers:
            continue
        found = [part.delivery for part in turn.answer.spoken if part.delivery is not None]
        seconds, words = sum(item.seconds for item in found), sum(item.words for item in found)
        speaking = sum(item.speaking for item in found)
        if not found or seconds <= 0:
            continue
        pace = round(60 * words / speaking) if speaking > 0 else 0
        pause, fillers = max(item.longest_pause for item in found), sum(item.fillers for item in found)
        share = min(100, round(100 * speaking / seconds))
        yield DeliveryReport(
            question=numbers[turn.question_id],
            seconds=round(seconds, 1),
            words_per_minute=pace,
            speaking_percent=share,
            longest_pause=round(pause, 1),
            fillers=fillers,
            text=f"{duration(seconds)} of recording, {pace} words a minute while speaking, {share} % of the time spent "
            f"speaking, longest pause {duration(round(pause, 1))}, {count(fillers, 'filler')}",
            advice=next((item.advice for item in found if item.advice), ""),
        )
