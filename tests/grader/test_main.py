"""The command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.__main__ import main
from knowledge.questions import load_bank


@pytest.fixture
def question_id() -> str:
    return "grad_at"


def test_grading_an_answer(tmp_path: Path, question_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    question = load_bank().questions[question_id]
    said = next(point for point in question.points if point.proof == "said")
    answer = tmp_path / "answer.txt"
    answer.write_text(said.accepts[0], encoding="utf-8")
    assert main(["grade", question_id, "--answer", str(answer), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    row = next(item for item in result["points"] if item["point_id"] == said.id)
    assert row["verdict"] == "met"
    assert all(quote in said.accepts[0] for quote in row["quotes"])
    assert result["score"]["earned"] >= said.worth
    assert main(["grade", question_id, "--answer", str(answer)]) == 0
    assert said.says in capsys.readouterr().out


def test_user_errors_are_said_and_not_raised(
    tmp_path: Path, question_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", "no_such_question", "--answer", "x"]) == 2
    assert "no_such_question" in capsys.readouterr().err
    assert main(["grade", question_id, "--answer", str(tmp_path / "absent")]) == 2
    assert "absent" in capsys.readouterr().err
    assert main(["agree"]) == 2
    assert "CSV" in capsys.readouterr().err


def test_agreement_and_gaming_on_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["question,reference,answer,score"]
    for number, (subject, verb) in enumerate((("stack", "push"), ("queue", "enqueue"))):
        reference = f"A {subject} is a structure where you {verb} items to keep them in order"
        rows += [
            f"What is a {subject}?,{reference},You {verb} items and the structure keeps them in order,5",
            f"What is a {subject}?,{reference},I have no opinion about {number} of these at all,0",
        ]
    data = tmp_path / "set.csv"
    data.write_text("\n".join(rows), encoding="utf-8")
    assert main(["agree", str(data), "--json"]) == 0
    (figures,) = json.loads(capsys.readouterr().out)["sets"]
    assert (figures["answers"], figures["questions"]) == (4, 2)
    assert figures["scores"]["graded"]["r"] > 0.9
    status = main(["gaming", str(data), "--limit", "4", "--json"])
    tables = json.loads(capsys.readouterr().out)
    assert status == (1 if tables["failed"] else 0)
    assert len(tables["sets"]["set"]) >= 25
