"""Strangers' text: what is masked and what is made visible."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Phase
from report.text import scrub, visible
from tests.report.sessions import SECRET, one_answer


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("nul\x00 bell\x07 escape\x1b[31m", "nul\u2400 bell\u2407 escape\u241b[31m"),
        ("del\x7f", "del\u2421"),
        ("evil\u202etxt.exe", "evil[U+202E]txt.exe"),
        ("\u2066isolate\u2069", "[U+2066]isolate[U+2069]"),
        ("שלום \u200f عربي 漢字 👩‍💻", "שלום \u200f عربي 漢字 👩‍💻"),
        ("line\u2028end", "line\nend"),
        ("half \ud83d", "half \ufffd"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters()))
def test_visible_text_can_always_be_encoded_and_controls_nothing(text: str) -> None:
    shown = visible(text)
    shown.encode()
    assert not any(ord(char) < 32 and char not in "\t\n" for char in shown)
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(shown)
    assert visible(shown) == shown


def test_the_secret_is_masked_everywhere_at_its_own_length() -> None:
    session = one_answer(f"my link is http://host/?s={SECRET}, and then", code=f"id = '{SECRET}'")
    clean = scrub(session, SECRET)
    assert SECRET in repr(session.turns)
    assert SECRET not in repr(clean)
    assert [len(turn.text) for turn in clean.turns] == [len(turn.text) for turn in session.turns]


def test_a_short_id_is_no_secret_and_nothing_else_changes() -> None:
    session = replace(one_answer("a plain answer"), id="a")
    assert scrub(session, "a") == session
    assert scrub(session, "a").phase is Phase.ENDED


def test_lone_surrogates_are_replaced_in_place() -> None:
    assert scrub(("a\ud800b", ("\udfff",)), SECRET) == ("a\ufffdb", ("\ufffd",))
