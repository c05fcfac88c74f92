"""The bank is read as it stands, and whatever is wrong is named with file, line, field and reason."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from domain import Framework, Kind, Proof, UserError, Verdict
from knowledge.questions import BANK, Bank, load_bank
from tests.knowledge.making import code_question, point, question, write


def refused(bank: Path) -> str:
    with pytest.raises(UserError) as error:
        load_bank(bank)
    return str(error.value)


def test_the_packaged_bank_loads(bank: Bank) -> None:
    assert bank.questions
    for question_id, loaded in bank.questions.items():
        assert loaded.id == question_id
        path = bank.check_path(question_id)
        assert (path is not None and path.is_file()) == (loaded.kind in (Kind.CODE, Kind.DEBUG) or bool(loaded.check))


def test_a_question_becomes_the_domain_value(made_bank: Path) -> None:
    folder = write(made_bank, "doubling", code_question(framework="tensorflow"), topic="basics", check="x = 1\n")
    bank = load_bank(made_bank)
    loaded = bank.questions["doubling"]
    assert (loaded.topic, loaded.framework, loaded.kind) == ("basics", Framework.TENSORFLOW, Kind.CODE)
    assert loaded.point("doubles").proof is Proof.CHECK
    assert loaded.point("doubles").cases == ("hidden-value",)
    assert loaded.point("chain_rule").misconceptions[0].says == ("it takes finite differences",)
    assert loaded.model_code == "def double(x):\n    return 2 * x\n"
    assert bank.check_path("doubling") == folder / "check.py"
    assert bank.topics == ("basics",)


def test_a_question_without_check_has_no_check_path(made_bank: Path) -> None:
    write(made_bank, "explained", question())
    assert load_bank(made_bank).check_path("explained") is None


BROKEN: list[tuple[dict[str, Any], str, str]] = [
    (question(colour="red"), "colour", "is not a known key"),
    (question(ask=None), "ask", "is missing"),
    (question(title=3), "title", "valid string, here 3"),
    (question(popularity="35"), "popularity", "valid integer"),
    (question(popularity=True), "popularity", "valid integer"),
    (question(level="hardish"), "level", "'easy', 'medium' or 'hard', here 'hardish'"),
    (question(sources=["a blog"]), "sources[0]", "interview-questions#Q1 to #Q16"),
    (question(sources=["interview-questions#Q17"]), "sources[0]", "interview-questions#Q1 to #Q16"),
    (question(keywords="autograd"), "keywords", "valid tuple"),
    (question(keywords=[True]), "keywords[0]", "valid string"),
    (question(points=[point(name) for name in "abc"]), "points", "4 to 9"),
    (question(points=[point(), point(), point("b"), point("c")]), "points[1] (chain_rule).id", "used twice"),
    (question(points=[point("Chain-Rule")] * 4), "points[0] (Chain-Rule).id", "lower_case_with_underscores"),
    (question(points=[point(worth=0), *map(point, "abc")]), "points[0] (chain_rule).worth", "must not be 0"),
    (question(points=[point(worth="2"), *map(point, "abc")]), "points[0] (chain_rule).worth", "valid number"),
    (question(points=[point(worth=float("nan")), *map(point, "abc")]), "points[0] (chain_rule).worth", "finite"),
    (question(points=[point(worth=-1)] + [point(n, worth=-1) for n in "abc"]), "points", "positive worth"),
    (question(points=[point(accepts=["a", "b"]), *map(point, "abc")]), ".accepts", "at least 3 phrasings, has 2"),
    (question(points=[point(accepts=["a", "b", "A"]), *map(point, "abc")]), ".accepts", "stands there twice"),
    (question(points=[point(misconceptions=[]), *map(point, "abc")]), ".misconceptions", "at least 2"),
    (question(points=[point(follow_up=""), *map(point, "abc")]), ".follow_up", "is missing"),
    (question(points=[point(hints=["a"]), *map(point, "abc")]), ".hints", "at least 2"),
    (question(points=[point(why=""), *map(point, "abc")]), ".why", "is missing"),
    (question(points=[point(cases=["a-case"]), *map(point, "abc")]), ".cases", "only a point with proof: check"),
    (question(points=[point(proof="check", cases=["a"]), *map(point, "abc")]), ".proof", "no check.py"),
    (question(kind="debug"), "kind", "needs a check.py"),
    (question(errata=[{"claim": "x", "fact": "y"}]), "errata[0].evidence", "is missing"),
]


@pytest.mark.parametrize(("data", "field", "reason"), BROKEN, ids=[f"{row[1]}-{n}" for n, row in enumerate(BROKEN)])
def test_a_broken_field_is_named(made_bank: Path, data: dict[str, Any], field: str, reason: str) -> None:
    folder = write(made_bank, "broken", data)
    message = refused(made_bank)
    lines = [line for line in message.splitlines() if field in line and reason in line]
    assert lines, message
    assert str(folder / "question.yaml") in lines[0]


def test_code_questions_need_starter_code_and_cases(made_bank: Path) -> None:
    unproved = {"id": "doubles", "says": "It doubles.", "worth": 3, "proof": "check"}
    write(made_bank, "doubling", code_question(starter="", model_code="", points=[unproved]), check="x = 1\n")
    message = refused(made_bank)
    assert ": starter: " in message
    assert ": model_code: " in message
    assert "points[0] (doubles).cases: a point with proof: check names the cases" in message


def test_a_check_that_no_point_uses_is_refused(made_bank: Path) -> None:
    write(made_bank, "explained", question(), check="x = 1\n")
    assert "no point has proof: check" in refused(made_bank)


def test_the_line_of_the_field_is_named(made_bank: Path) -> None:
    text = yaml.safe_dump(question(level="hardish"), sort_keys=False)
    write(made_bank, "broken", text)
    line = next(number for number, row in enumerate(text.splitlines(), start=1) if row.startswith("level:"))
    assert f"question.yaml:{line}: level:" in refused(made_bank)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("title: a\ntitle: b\n", ":2: is not the YAML that is expected: key 'title' stands twice"),
        ("title: [a\nask: b\n", "is not the YAML that is expected"),
        ("title: !!python/object/apply:os.system [ls]\n", "is not the YAML that is expected"),
        ("- a\n- b\n", "the whole file"),
        ("", "the whole file"),
        ("1: a\n", "key 1 is not text"),
    ],
)
def test_text_that_is_no_question_is_refused(made_bank: Path, text: str, reason: str) -> None:
    write(made_bank, "broken", text)
    assert reason in refused(made_bank)


def test_a_file_that_is_not_utf8_is_refused(made_bank: Path) -> None:
    folder = write(made_bank, "broken", question())
    (folder / "question.yaml").write_bytes(b"title: caf\xe9\n")
    assert "is not UTF-8 text (byte 10)" in refused(made_bank)


def test_every_fault_of_every_question_is_listed(made_bank: Path) -> None:
    write(made_bank, "one", question(level="x", title=1))
    write(made_bank, "two", question(kind="y"))
    write(made_bank, "fine", question())
    message = refused(made_bank)
    assert len(message.splitlines()) == 3
    assert "fine" not in message


@pytest.mark.parametrize(("topic", "name"), [("PyTorch", "fine"), ("pytorch", "not-fine"), ("pytorch", "2nd")])
def test_folder_names_are_ids(made_bank: Path, topic: str, name: str) -> None:
    write(made_bank, name, question(), topic=topic)
    assert "lower_case_with_underscores" in refused(made_bank)


def test_an_id_stands_in_one_topic_only(made_bank: Path) -> None:
    write(made_bank, "same", question(), topic="one")
    write(made_bank, "same", question(), topic="two")
    assert "the id 'same' is taken by topic 'one'" in refused(made_bank)


def test_an_unfinished_folder_is_left_out_and_named(made_bank: Path) -> None:
    write(made_bank, "explained", question())
    sound = load_bank(made_bank)
    unfinished = made_bank / "pytorch" / "half-made"
    (unfinished / "right").mkdir(parents=True)
    (unfinished / "right" / "plain.py").write_text("x = 1\n")
    bank = load_bank(made_bank)
    assert list(bank.questions) == ["explained"]
    assert bank.unfinished == (unfinished,)
    assert bank.hash == sound.hash  # what is not asked does not make an index stale
    with pytest.raises(UserError, match="must be lower_case_with_underscores"):
        load_bank(made_bank, only=["half-made"])


def test_an_unfinished_question_that_is_asked_for_is_refused(made_bank: Path) -> None:
    (made_bank / "pytorch" / "empty").mkdir(parents=True)
    with pytest.raises(UserError, match=r"there is no question\.yaml\. Write it, or remove the folder\."):
        load_bank(made_bank, only=["empty"])


def test_a_missing_bank_is_a_fault(tmp_path: Path) -> None:
    assert "no such folder" in refused(tmp_path / "nowhere")


def test_a_check_outside_the_bank_is_refused(made_bank: Path, tmp_path: Path) -> None:
    outside = tmp_path / "check.py"
    outside.write_text("x = 1\n")
    folder = write(made_bank, "sly", code_question())
    (folder / "check.py").symlink_to(outside)
    assert "leads outside the bank" in refused(made_bank)


def test_the_hash_covers_every_file(made_bank: Path) -> None:
    folder = write(made_bank, "doubling", code_question(), check="x = 1\n")
    (folder / "wrong").mkdir()
    seen = {load_bank(made_bank).hash, load_bank(made_bank).hash}
    assert len(seen) == 1
    for name in ("check.py", "wrong/zeros.py", "answers.yaml"):
        (folder / name).write_text("[]\n")
        seen.add(load_bank(made_bank).hash)
    assert len(seen) == 4
    (folder / "wrong/zeros.py").rename(folder / "wrong/ones.py")
    assert load_bank(made_bank).hash not in seen


def test_only_the_wanted_questions_are_read(made_bank: Path) -> None:
    write(made_bank, "fine", question())
    write(made_bank, "broken", question(kind="y"))
    assert list(load_bank(made_bank, only=["fine"]).questions) == ["fine"]
    with pytest.raises(UserError, match="no question 'absent'"):
        load_bank(made_bank, only=["fine", "absent"])


def labelled(**changes: Any) -> dict[str, Any]:
    verdicts = {"chain_rule": "met", "graph": "not_met", "leaves": "contradicted", "accumulate": "met"}
    return {"id": "first", "kind": "strong", "text": "It walks back.", "verdicts": verdicts, **changes}


def test_labelled_answers_are_read(made_bank: Path) -> None:
    folder = write(made_bank, "explained", question())
    assert load_bank(made_bank).answers("explained") == ()
    (folder / "answers.yaml").write_text(yaml.safe_dump([labelled()]))
    (answer,) = load_bank(made_bank).answers("explained")
    assert answer.kind == "strong"
    assert answer.verdicts["leaves"] is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([labelled(), labelled()], "[1] (first).id: 'first' is used twice"),
        ([labelled(kind="good")], "[0] (first).kind"),
        ([labelled(verdicts={"chain_rule": "met"})], "no verdict for accumulate, graph, leaves"),
        ([labelled(verdicts={**labelled()["verdicts"], "new": "met"})], "not said points of the question: new"),
        ([labelled(verdicts={**labelled()["verdicts"], "graph": "ungraded"})], "[0] (first).verdicts.graph"),
    ],
)
def test_broken_labelled_answers_are_named(made_bank: Path, rows: list[Any], reason: str) -> None:
    folder = write(made_bank, "explained", question())
    (folder / "answers.yaml").write_text(yaml.safe_dump(rows))
    with pytest.raises(UserError) as error:
        load_bank(made_bank).answers("explained")
    assert "answers.yaml:" in str(error.value)
    assert reason in str(error.value)


def test_loading_is_light() -> None:
    heavy = "torch tensorflow sentence_transformers transformers faiss langchain_core gradio numpy"
    code = f"""
import sys
from knowledge.questions import load_bank
load_bank()
print(*({{*"{heavy}".split()}} & {{*sys.modules}}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=BANK.parents[1])
    assert done.stdout.split() == []


def test_fifty_questions_load_quickly(made_bank: Path) -> None:
    for number in range(50):
        points = [
            point(f"point_{n}", accepts=[f"a phrasing of about ten words or more, {i}" for i in range(8)])
            for n in range(8)
        ]
        write(made_bank, f"question_{number}", question(points=points, model_answer="words " * 300))
    times = []
    for _ in range(3):
        start = time.process_time()
        load_bank(made_bank)
        times.append(time.process_time() - start)
    assert min(times) < 0.5  # 0.12 s on an idle core; the bound leaves room for a slow one
