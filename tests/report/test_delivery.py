"""Spoken answers in a report: both texts, what was put right, and how it was said, apart from the score."""

from __future__ import annotations

from dataclasses import replace

from domain import Answer, Correction, Delivery, Session, Transcript
from report.build import build
from report.html import render_html
from report.json import render_json
from report.markdown import render_markdown
from tests.report import sessions as made

SAID = "Auto grad adds to the <b>leave</b>."
SENT = "Autograd adds to the leaf."


def _spoken(edited: bool) -> Session:
    session = made.one_answer(SENT)
    delivery = Delivery(30.0, 20.0, 50, 3, 7.25, "The longest pause was 7 seconds.")
    transcript = Transcript(SAID, corrections=(Correction("auto grad & co", 0, 9),), delivery=delivery)
    answer = Answer(SENT, edited=edited, seconds=30.0, spoken=(transcript,))
    return replace(session, turns=tuple(replace(t, answer=answer) if t.answer else t for t in session.turns))


def test_both_texts_are_kept_where_they_differ() -> None:
    (turn,) = [turn for turn in build(_spoken(edited=True)).questions[0].turns if turn.recognised]
    assert turn.recognised == SAID
    assert "".join(segment.text for segment in turn.segments) == SENT
    assert [(item.name, item.value) for item in turn.corrections] == [("auto grad & co", "Auto grad")]
    assert not any(turn.recognised for turn in build(_spoken(edited=False)).questions[0].turns)


def test_how_it_was_said_stands_in_every_format_and_in_no_score() -> None:
    report, typed = build(_spoken(edited=True)), build(made.one_answer(SENT))
    (delivery,) = report.delivery
    assert (delivery.question, delivery.words_per_minute, delivery.speaking_percent) == (1, 150, 67)
    assert (delivery.longest_pause, delivery.fillers) == (7.2, 3)
    assert (report.overall, report.questions[0].score) == (typed.overall, typed.questions[0].score)
    for page in (render_html(report), render_markdown(report), render_json(report)):
        assert "The longest pause was 7 seconds." in page
        assert "no part of any score" in page
    assert "How it was said" not in render_html(typed)
    assert typed.delivery == ()


def test_what_was_recognised_is_a_strangers_text() -> None:
    page = render_html(build(_spoken(edited=True)))
    assert "&lt;b&gt;leave" in page
    assert "<b>leave" not in page
    assert "auto grad &amp; co" in page
