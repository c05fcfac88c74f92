"""The command line: what it prints for people and machines, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowledge import __main__ as command
from knowledge.questions import load_bank
from tests.knowledge.conftest import RememberingEmbedder
from tests.knowledge.making import question, write


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: RememberingEmbedder) -> None:
    """A data folder of this test, and the real model that is loaded already."""
    monkeypatch.setenv("VIVA_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(command, "SentenceEmbedder", lambda _model: embedder)


def test_search_finds_a_question_and_prints_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command.main(["search", "what does backward do", "-k", "3", "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)
    assert len(hits) == 3
    assert hits[0].keys() == {"id", "kind", "title", "score", "text"}
    assert {hit["kind"] for hit in hits} <= {"question", "note"}
    assert (tmp_path / "data" / "index" / "store.json").is_file()


def test_list_shows_every_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["list"]) == 0
    shown = [row.split()[0] for row in capsys.readouterr().out.splitlines()[1:]]
    assert shown == list(load_bank().questions)
    assert command.main(["list", "--json"]) == 0
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == shown


def test_verify_exits_with_1_on_a_fault(
    capsys: pytest.CaptureFixture[str], made_bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(made_bank, "explained", question())
    monkeypatch.setattr(command, "load_bank", lambda only=(): load_bank(made_bank, only))
    assert command.main(["verify", "--no-runs", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["faults"] == 1
    assert {finding["rule"] for finding in found["findings"]} == {"answers", "subjects"}
    assert command.main(["verify", "--no-runs", "--require-all", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["faults"] == 21
    assert command.main(["verify", "--no-runs", "explained"]) == 1
    printed = capsys.readouterr().out
    assert "fault: explained: answers: needs 6 labelled answers, has 0" in printed
    assert "1 questions, 0 runs" in printed


def test_a_broken_question_is_told_without_a_traceback(
    capsys: pytest.CaptureFixture[str], made_bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(made_bank, "broken", question(level="hardish"))
    monkeypatch.setattr(command, "load_bank", lambda only=(): load_bank(made_bank, only))
    assert command.main(["list"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "level: input should be 'easy', 'medium' or 'hard', here 'hardish'" in printed.err


def test_an_unknown_question_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["verify", "--no-runs", "no_such_question"]) == 2
    assert "There is no question 'no_such_question'" in capsys.readouterr().err


def test_bench_compares_the_rankings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    queries = tmp_path / "queries.yaml"
    queries.write_text('- {query: batch norm, subjects: ["interview-questions#Q13"]}\n')
    assert command.main(["bench", "--json", "--queries", str(queries)]) == 0
    rows = {row["ranking"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows.keys() == {"hybrid", "vectors", "bm25"}
    assert rows["hybrid"]["recall_at_5"] == 1.0


@pytest.mark.parametrize("text", ["- {query: a}", "[1]", "a: [", "- {query: a, subjects: b}"])
def test_bench_names_a_broken_row(text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    queries = tmp_path / "queries.yaml"
    queries.write_text(text)
    assert command.main(["bench", "--queries", str(queries)]) == 2
    assert str(queries) in capsys.readouterr().err


def test_bench_measures_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["bench", "--scale", "--largest", "1000", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["kind"] for row in rows} == {"flat", "hnsw"}
    flat = next(row for row in rows if row["kind"] == "flat")
    assert flat["recall_at_10"] == 1.0
    assert flat["chosen"]
    assert flat["bytes_per_vector"] == pytest.approx(4 * 384, rel=0.01)
