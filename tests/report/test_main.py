"""The command line, on a stored interview."""

from __future__ import annotations

import json
import runpy
import secrets
from pathlib import Path

import pytest

from domain import StoredEvent
from interview.events import Created, dump
from interview.store import SQLiteStore
from report.__main__ import main
from report.build import public_id
from report.schema import PATH


@pytest.fixture
def session_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An interview that has just begun, in a store of its own."""
    monkeypatch.setenv("VIVA_DATA", str(tmp_path))
    name = secrets.token_hex(16)
    store = SQLiteStore(tmp_path / "sessions.sqlite3")
    event = Created(
        at=1_796_115_600.0, seed=1, draw=0.0, topics=("autograd",), environment=(("judge", "x"),), notices=()
    )
    store.append(name, StoredEvent(0, event.kind, dump(event), event.at))
    store.close()
    return name


@pytest.mark.parametrize(("form", "begins"), [("html", "<!doctype html>"), ("md", "# Interview report"), ("json", "{")])
def test_a_stored_interview_is_written_in_each_format(session_id: str, tmp_path: Path, form: str, begins: str) -> None:
    path = tmp_path / f"report.{form}"
    assert main([session_id, "--format", form, "-o", str(path)]) == 0
    text = path.read_text()
    assert text.startswith(begins)
    assert public_id(session_id) in text
    assert session_id not in text


def test_without_a_file_it_goes_to_standard_output(session_id: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main([session_id, "--format", "json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["started_at"] == "2026-12-01T09:00:00Z"


def test_an_unknown_interview_is_told(session_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["0" * 32]) == 1
    assert "There is no interview with that id" in capsys.readouterr().err


def test_a_missing_store_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VIVA_DATA", str(tmp_path / "none"))
    assert main(["0" * 32]) == 1
    assert "VIVA_DATA" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_told(
    session_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([session_id, "-o", str(tmp_path / "no" / "where.html")]) == 1
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_the_schema_is_printed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["schema"]) == 0
    assert capsysbinary.readouterr().out == PATH.read_bytes()


def test_forty_questions_take_at_most_two_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--json"]) == 0
    timings = json.loads(capsys.readouterr().out)
    assert [timing["format"] for timing in timings] == ["html", "json", "md"]
    assert all(timing["first"] <= 2.0 for timing in timings)


def test_the_example_of_the_documentation_is_current() -> None:
    root = Path(__file__).parents[2]
    page = runpy.run_path(str(root / "scripts" / "example_report.py"))["page"]()
    assert (root / "docs" / "example-report.html").read_text() == page, "run: python scripts/example_report.py"
