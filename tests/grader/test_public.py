"""Graded answers from files, rubrics from references, and the figures that come of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from domain import JudgedBy, PointScore, Question, RubricPoint, Turn, UngradedReason, UserError, Verdict
from embed import SentenceEmbedder
from grader import agree, public
from grader.labelled import measure as measure_labelled
from grader.labelled import read as read_labelled
from tests.grader.build import BY, gradients_point, point, question

GRADED = Path(__file__).resolve().parents[3] / "shared" / "data" / "graded"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_and_what_is_left_out(tmp_path: Path) -> None:
    data = write(
        tmp_path / "set.csv",
        "question_id,question,reference,answer,score,is_reference\n"
        "1,Why?,Because,Because of it,4,0\n1,Why?,Because,Because,5,1\n1,Why?,Because,  ,0,0\n"
        "2,How?,So,No response.,0,0\n2,How?,So,No idea how it works,1,0\n",
    )
    assert [(row.question_id, row.answer, row.score) for row in public.read(data)] == [
        ("1", "Because of it", 0.8),
        ("2", "No idea how it works", 0.2),
    ]


def test_labels_and_several_references(tmp_path: Path) -> None:
    references = json.dumps([{"text": "one"}, {"text": "two"}]).replace('"', '""')
    text = f'question,references_json,answer,label3\nWhy?,"{references}",yes it is,contradictory\n'
    (row,) = public.read(write(tmp_path / "set.csv", text))
    assert (row.label, row.score, row.references) == ("contradictory", 0.0, ("one", "two"))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("question,answer,score\na,b,1\n", "reference"),
        ("question,reference,answer,score\na,b,c,many\n", "many"),
        ("question,reference,answer,label3\na,b,c,right\n", "right"),
        ("", "question"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(UserError, match=word):
        public.read(write(tmp_path / "set.csv", text))
    with pytest.raises(UserError, match="cannot be read"):
        public.read(tmp_path / "absent.csv")


def test_a_reference_comes_apart_into_points_worth_their_new_words() -> None:
    derived = public.rubric("1", "What is a stack?", ("It is last in, first out. A stack has push and pop.",))
    assert [item.says for item in derived.points] == ["It is last in, first out.", "A stack has push and pop."]
    assert all(item.worth > 0 for item in derived.points)


def test_several_references_are_one_point_with_several_phrasings() -> None:
    derived = public.rubric("1", "Why?", ("there is a gap", "it is not connected"))
    assert [(item.says, item.accepts) for item in derived.points] == [("there is a gap", ("it is not connected",))]


def test_a_sample_is_even_and_always_the_same() -> None:
    rows = [public.Graded(str(number % 3), "q", ("r",), str(number), 1.0) for number in range(90)]
    taken = public.sample(rows, 9)
    assert sorted(row.question_id for row in taken) == ["0"] * 3 + ["1"] * 3 + ["2"] * 3
    assert taken == public.sample(rows, 9)
    assert public.sample(rows, 0) == rows


class WordCounter:
    """A judge of plain rules, so that figures can be worked out: met from six words on."""

    name = "counter"

    def judge(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        words = len(answers[0].text.split())
        if words == 1:
            reason = UngradedReason.UNCERTAIN
            return [PointScore(item.id, Verdict.UNGRADED, "", BY, confidence=0.5, reason=reason) for item in points]
        verdict = Verdict.MET if words > 5 else Verdict.NOT_MET
        return [PointScore(item.id, verdict, "", JudgedBy("counter"), confidence=0.9) for item in points]


def test_figures_of_a_set(embedder: SentenceEmbedder) -> None:
    long, short = "one two three four five six", "one two"
    rows = [
        public.Graded(question_id, "Why?", ("because of the reason",), text, grade)
        for question_id in "ab"
        for text, grade in ((long, 1.0), (short, 0.0), ("word", 0.0), (long, 0.5))
    ]
    result = agree.measure(WordCounter(), embedder, rows, "toy")
    verdicts = result["scores"]["verdicts"]
    # Verdicts give 1, 0, 0, 1 for grades 1, 0, 0, .5: over-credit .5/4, and an ungraded point earns nothing.
    assert verdicts["over_credit"] == pytest.approx(0.125)
    assert verdicts["r"] == pytest.approx(np.corrcoef([1, 0, 0, 1], [1, 0, 0, 0.5])[0, 1])
    assert result["ungraded"] == 0.25
    assert result["scores"]["graded"]["bands"][0]["mean_error"] == pytest.approx((0.1 + 0.5) / 2)
    assert set(result["scores"]) == {"graded", "verdicts", "length only", "similarity only"}
    json.dumps(result)


def test_three_way_counts_ungraded_as_an_error(embedder: SentenceEmbedder) -> None:
    rows = [
        public.Graded(question_id, "Why?", ("because",), text, float(label == "correct"), label)
        for question_id in "ab"
        for text, label in (("one two three four five six", "correct"), ("a b", "incorrect"), ("x", "contradictory"))
    ]
    raw = agree.measure(WordCounter(), embedder, rows, "toy")["three_way"]["raw"]
    assert raw["macro_f1"] == pytest.approx(2 / 3)
    assert raw["contradictory_credited"] == 0.0


def test_labelled_answers(tmp_path: Path) -> None:
    rubric = question(gradients_point(), point("zero"))
    path = write(
        tmp_path / "answers.yaml",
        "- {id: a, kind: strong, text: one two three four five six, verdicts: {accumulate: met, zero: not_met}}\n"
        "- {id: b, kind: wrong, text: it overwrites, verdicts: {accumulate: contradicted}}\n",
    )
    result = measure_labelled(WordCounter(), read_labelled(path, rubric))
    assert (result["answers"], result["points"], result["met_found"], result["not_met_credited"]) == (2, 3, 1.0, 1.0)
    assert result["contradicted_credited"] == 0.0
    assert len(result["errors"]) == 2


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{}", "list"),
        ("- {id: a}", "answer 1"),
        ("- {id: a, kind: odd, text: t, verdicts: {}}", "kind"),
        ("- {id: a, kind: wrong, text: t, verdicts: {nowhere: met}}", "nowhere"),
        ("- {id: a, kind: wrong, text: t, verdicts: {zero: great}}", "great"),
        ("a: [", "cannot be read"),
    ],
)
def test_labelled_answers_that_cannot_be_used_say_why(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(UserError, match=word):
        read_labelled(write(tmp_path / "answers.yaml", text), question(point("zero")))


@pytest.mark.skipif(not GRADED.is_dir(), reason="the graded sets are not beside this checkout (../shared/data/graded)")
@pytest.mark.parametrize(
    ("name", "questions"),
    [("digiklausur", 11), ("mohler", 57), ("saf_english", 14), ("beetle_3way", 47), ("scientsbank_3way", 135)],
)
def test_the_shared_sets_are_read_with_their_own_columns(name: str, questions: int) -> None:
    rows = public.read(GRADED / f"{name}.csv")
    assert len({row.question_id for row in rows}) == questions
    assert {0.0, 1.0} <= {row.score for row in rows} <= {row.score for row in rows if 0 <= row.score <= 1}
