"""What an interviewer gets: a card, and a table that no spreadsheet computes."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from report.build import build
from report.html import render_html
from report.scorecard import cell, scorecard, table
from tests.report import sessions as made


def test_both_values_of_a_changed_verdict_are_shown() -> None:
    report = build(made.invited())
    (change,) = report.overrides
    assert (change.first, change.second, change.by) == ("Missed", "Credited", "=Ada & co")
    assert change.text.startswith("Missed by the grader, Credited by =Ada & co on 2 December 2026")
    assert report.overall == build(made.weak()).overall
    assert report.revised is not None
    assert report.revised.earned == 2
    assert "Read by: <bdi>Ada Example</bdi>" in render_html(report)


def test_the_card_tells_scores_changes_and_limits_on_one_line_each() -> None:
    card = scorecard(made.invited())
    assert "Overall: 0 %." in card
    assert "With the reader's verdicts: 15 %." in card
    assert "too few questions to tell" in card
    assert "Changed: question 1, item 2: Missed by the grader" in card
    assert "not a hiring decision" in card
    assert len(card.splitlines()) == 12


def test_a_row_for_each_candidate_and_a_column_for_each_question() -> None:
    other = replace(made.invited(), id="f" * 32, results=made.weak().results[:1])
    head, *rows = csv.reader(io.StringIO(table([made.invited(), other])))
    assert head[-2:] == [result.question.id for result in made.weak().results]
    assert [row[0] for row in rows] == ["'=HYPERLINK(1)"] * 2
    assert rows[0][4:8] == ["0", "0", "0", "15"]
    assert rows[1][-2:] == ["0 of 8 points", "not asked"]
    assert all(len(row) == len(head) for row in rows)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", " =1"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert cell(text).startswith("'")
    assert cell("plain, text") == "plain, text"
