"""The fitted table and what is built on it; that its figures are good is shown by `python -m grader agree --bank`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from domain import Misconception, RubricPoint, UngradedReason, Verdict
from embed import SentenceEmbedder
from grader.fit import fit
from grader.held_out import HeldOutJudge
from grader.labelled import Labelled
from grader.local import LocalJudge
from grader.scorer import FEATURES, TABLE, Chances, features, first_look, shipped, without
from tests.grader.build import gradients_point, question, turn

ASK = "Walk me through what happens to gradients in a training loop."


def test_the_table_fits_the_features() -> None:
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    assert table["features"] == list(FEATURES)
    for part in (table["all"], *table["folds"]):
        assert len(part["bias"]) == 3
        assert [len(row) for row in part["weights"]] == [len(FEATURES)] * 3
    assert set(table["fold_of"].values()) == set(range(len(table["folds"])))


def test_nothing_said_is_not_met() -> None:
    assert len(features(None, None)) == len(FEATURES)
    chances = shipped().chances(None, None)
    assert chances.not_met > 0.9
    assert chances.met + chances.not_met + chances.contradicted == pytest.approx(1.0)
    assert first_look(None, None) == Chances(0.0, 1.0, 0.0)


def test_a_question_is_measured_with_weights_it_had_no_part_in() -> None:
    fold_of = json.loads(TABLE.read_text(encoding="utf-8"))["fold_of"]
    first, *_, last = sorted(fold_of, key=lambda name: fold_of[name])
    assert without(first) is without(first)
    assert without(first) is not without(last)
    assert without(first) is not shipped()
    assert without("a question nobody has labelled") is shipped()


def test_an_answer_that_is_wrong_elsewhere_is_doubted_and_not_credited(local: LocalJudge) -> None:
    def other(id_: str, says: str, wrong: str) -> RubricPoint:
        return RubricPoint(id_, says, 1.0, accepts=(says,), misconceptions=(Misconception((wrong,), says),))

    rubric = question(
        gradients_point(),
        other("mode", "eval switches dropout off", "eval makes dropout stronger than before"),
        other("data", "the loader shuffles the training data", "the loader sorts the training data by size"),
        ask=ASK,
    )
    right = "Each call to backward adds to the existing gradient."
    wrong = "Eval makes dropout stronger than before. The loader sorts the training data by size."
    assert local.judge(rubric, rubric.points, [turn(right)])[0].verdict is Verdict.MET
    first, *rest = local.judge(rubric, rubric.points, [turn(f"{right} {wrong}")])
    assert [item.verdict for item in rest] == [Verdict.CONTRADICTED] * 2
    assert (first.verdict, first.reason) == (Verdict.UNGRADED, UngradedReason.UNCERTAIN)


def test_a_fit_holds_each_question_out(embedder: SentenceEmbedder, tmp_path: Path) -> None:
    answers = []
    for name in ("q1", "q2"):
        made = replace(question(gradients_point(), ask=ASK), id=name)
        for id_, text, verdict in (
            ("strong", "Each call to backward adds to the existing gradient.", Verdict.MET),
            ("wrong", "Each backward call overwrites the old gradient.", Verdict.CONTRADICTED),
            ("off_topic", "We walked along the coast and cooked fish in the evening.", Verdict.NOT_MET),
        ):
            answers.append(Labelled(made, id_, id_, text, (("accumulate", verdict),)))
    result = fit(embedder, answers, tmp_path / "table.json")
    table = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert (result["questions"], result["folds"]) == (2, 2)
    assert table["fold_of"] == {"q1": 0, "q2": 1}
    assert table["folds"][0]["weights"] != table["all"]["weights"]


def test_the_judge_that_is_measured_says_so(embedder: SentenceEmbedder) -> None:
    judge = HeldOutJudge(embedder)
    assert "without the question" in judge.name
    rubric = question(gradients_point(), ask=ASK)
    (found,) = judge.judge(rubric, rubric.points, [turn("each call to backward adds to the existing gradient")])
    assert found.verdict is Verdict.MET
