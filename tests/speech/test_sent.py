"""What of a sent text was spoken, and what the person corrected."""

from __future__ import annotations

from domain import Delivery, Transcript
from speech.sent import answer


def _transcript(text: str, *doubtful: str, seconds: float = 4.0) -> Transcript:
    spans = tuple((text.index(word), text.index(word) + len(word)) for word in doubtful)
    return Transcript(text, spans, delivery=Delivery(seconds, 3.0, len(text.split()), 0, 0.5), engine="test")


def _heard(text: str, *transcripts: Transcript) -> list[str]:
    return [text[start:end] for start, end in answer(text, transcripts).heard]


def test_as_recognised() -> None:
    spoken = _transcript("The leaf accumulates the gradient.", "leaf accumulates")
    sent = answer(spoken.text, [spoken])
    assert [sent.text[start:end] for start, end in sent.heard] == ["leaf accumulates"]
    assert (sent.edited, sent.seconds, sent.spoken) == (False, 4.0, (spoken,))


def test_typed_around_it() -> None:
    spoken = _transcript("the leaf accumulates the gradient.", "leaf")
    text = f"First of all: {spoken.text}\n\nAnd that is all."
    assert _heard(text, spoken) == ["leaf"]
    assert not answer(text, [spoken]).edited


def test_a_corrected_word_is_no_longer_doubtful() -> None:
    spoken = _transcript("The leave accumulates the radiant in place.", "leave", "radiant")
    text = "The leaf accumulates the radiant in place."
    assert _heard(text, spoken) == ["radiant"]
    sent = answer(text, [spoken])
    assert sent.edited
    assert sent.spoken == (spoken,), "what was recognised is kept beside what was sent"


def test_words_put_in_or_taken_out_are_an_edit() -> None:
    spoken = _transcript("The leaf accumulates the gradient.")
    assert answer("The leaf always accumulates the gradient.", [spoken]).edited
    assert answer("The leaf accumulates gradient.", [spoken]).edited


def test_several_recordings_in_order_with_the_same_word() -> None:
    one = _transcript("It adds the gradient.", "gradient.")
    two = _transcript("Then it clears the gradient.")
    text = f"{one.text} {two.text}"
    sent = answer(text, [one, two])
    assert [sent.text[start:end] for start, end in sent.heard] == ["gradient."]
    assert sent.heard[0][0] < len(one.text), "the first one, which was doubtful, and not the second"
    assert sent.seconds == 8.0
    assert not sent.edited


def test_a_recording_that_was_thrown_away_does_not_count() -> None:
    spoken = _transcript("Well I do not know what to say here really.", "really.")
    sent = answer("A tape records operations, and gradients come from it in reverse.", [spoken])
    assert (sent.heard, sent.edited, sent.seconds, sent.spoken) == ((), False, None, ())
    assert answer("typed", []).spoken == ()


def test_nothing_was_heard() -> None:
    assert answer("typed", [Transcript("")]).spoken == ()
