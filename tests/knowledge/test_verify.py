"""`verify` finds each kind of fault that it says it finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from domain import Case, RunReport, RunStatus, SandboxStatus, Submission
from knowledge.questions import load_bank
from knowledge.rules import Finding, duplicate_findings, file_findings, subject_findings
from knowledge.verify import verify
from tests.knowledge.conftest import RememberingEmbedder
from tests.knowledge.making import code_question, point, question, write

RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "# caught by: hidden-value\n# why: the documented answer, hard-coded\ndef double(x):\n    return {}\n"


@pytest.fixture
def proved(made_bank: Path) -> Path:
    """A code question with all that it needs; its check exists, and ScriptedSandbox stands for running it."""
    folder = write(made_bank, "doubling", code_question(), check="x = 1\n")
    for kind in ("right", "wrong"):
        (folder / kind).mkdir()
    (folder / "right/plain.py").write_text(RIGHT)
    (folder / "right/plus.py").write_text("def double(x):\n    return x + x\n")
    for number in range(5):
        (folder / f"wrong/constant_{number}.py").write_text(WRONG.format(number))
    return folder


class ScriptedSandbox:
    """Reports what the test says a submission does; the real sandbox is driven in test_bank.py."""

    def __init__(self, **reports: RunReport) -> None:
        self.reports = reports
        self.seen: list[Submission] = []

    def run(self, submission: Submission) -> RunReport:
        self.seen.append(submission)
        for text, report in self.reports.items():
            if text in submission.code:
                return report
        if "2 * x" in submission.code or "x + x" in submission.code:
            return RunReport("1", RunStatus.OK, (Case("hidden-value", "value", True),))
        return RunReport("2", RunStatus.WRONG, (Case("hidden-value", "value", False, "differs"),))

    def status(self) -> SandboxStatus:
        raise NotImplementedError

    def prepare(self, framework: object) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


def rules(findings: list[Finding]) -> list[str]:
    return [f"{finding.where}: {finding.rule}" for finding in findings if finding.severity == "fault"]


def test_a_sound_question_has_no_fault(proved: Path) -> None:
    sandbox = ScriptedSandbox()
    found = verify(load_bank(proved.parents[1]), sandbox, None, seeds=[3, 4], jobs=2)
    assert rules(found.findings) == []
    assert len(found.runs) == 2 * 7 + 1  # each submission under each seed, and the starter
    assert {submission.seed for submission in sandbox.seen} == {3, 4}
    assert {submission.check for submission in sandbox.seen} == {proved / "check.py"}


def test_a_right_submission_that_fails_is_a_fault(proved: Path) -> None:
    (proved / "right/plus.py").write_text("def double(x):\n    return x\n")
    found = verify(load_bank(proved.parents[1]), ScriptedSandbox(), None, seeds=[0])
    assert rules(found.findings) == ["doubling/right/plus.py: right passes"]


def test_a_wrong_submission_that_passes_is_a_fault(proved: Path) -> None:
    (proved / "wrong/constant_0.py").write_text(WRONG.format("2 * x"))
    found = verify(load_bank(proved.parents[1]), ScriptedSandbox(), None, seeds=[0])
    assert rules(found.findings) == ["doubling/wrong/constant_0.py: wrong fails"]


def test_a_wrong_submission_must_fail_where_it_says(proved: Path) -> None:
    (proved / "wrong/constant_0.py").write_text(WRONG.format(0).replace("hidden-value", "gradient"))
    found = verify(load_bank(proved.parents[1]), ScriptedSandbox(), None, seeds=[0])
    assert rules(found.findings) == ["doubling/wrong/constant_0.py: caught by"]


def test_a_wrong_submission_may_name_how_the_run_ends(proved: Path) -> None:
    (proved / "wrong/endless.py").write_text("# caught by: timed-out\n# why: never ends\nwhile True: pass\n")
    sandbox = ScriptedSandbox(**{"while True": RunReport("3", RunStatus.TIMED_OUT)})
    assert rules(verify(load_bank(proved.parents[1]), sandbox, None, seeds=[0]).findings) == []
    sandbox = ScriptedSandbox(**{"while True": RunReport("3", RunStatus.CRASHED)})
    assert rules(verify(load_bank(proved.parents[1]), sandbox, None, seeds=[0]).findings) == [
        "doubling/wrong/endless.py: caught by"
    ]


def test_a_broken_box_is_not_a_wrong_answer_caught(proved: Path) -> None:
    sandbox = ScriptedSandbox(**{"return 0": RunReport("3", RunStatus.BOX_BROKEN, error="no spare")})
    found = verify(load_bank(proved.parents[1]), sandbox, None, seeds=[0])
    assert rules(found.findings) == ["doubling/wrong/constant_0.py: sandbox"]


def test_a_starter_that_passes_is_a_fault(made_bank: Path, proved: Path) -> None:
    text = (proved / "question.yaml").read_text().replace("  ...", "  return 2 * x")
    (proved / "question.yaml").write_text(text)
    assert rules(verify(load_bank(made_bank), ScriptedSandbox(), None, seeds=[0]).findings) == [
        "doubling/starter: wrong fails"
    ]


def test_a_case_that_is_never_shown_is_a_fault(made_bank: Path, proved: Path) -> None:
    text = (proved / "question.yaml").read_text().replace("hidden-value", "gradient")
    (proved / "question.yaml").write_text(text)
    found = verify(load_bank(made_bank), ScriptedSandbox(), None, seeds=[0])
    assert rules(found.findings) == ["doubling: cases"]


def test_an_unfinished_folder_is_a_fault(made_bank: Path, proved: Path) -> None:
    (made_bank / "basics" / "half_made").mkdir(parents=True)
    found = verify(load_bank(made_bank), ScriptedSandbox(), None, seeds=[0])
    assert rules(found.findings) == ["basics/half_made: unfinished"]


def faults_of(folder: Path) -> list[str]:
    bank = load_bank(folder.parents[1])
    return rules(list(file_findings(bank, bank.questions[folder.name])))


def test_submissions_are_counted_and_headed(proved: Path) -> None:
    assert faults_of(proved) == []
    (proved / "wrong/constant_1.py").write_text("# why: no case\n" + RIGHT)
    assert faults_of(proved) == ["doubling/wrong/constant_1.py: head"]
    (proved / "wrong/constant_1.py").write_text("# caught by: hidden-value\n" + RIGHT)
    assert faults_of(proved) == ["doubling/wrong/constant_1.py: head"]
    (proved / "wrong/constant_1.py").unlink()
    assert faults_of(proved) == ["doubling: submissions"]
    (proved / "right/plus.py").unlink()
    assert faults_of(proved) == ["doubling: submissions"] * 2


def test_the_model_code_is_a_right_submission(proved: Path) -> None:
    (proved / "right/plain.py").write_text("def double(y):\n    return 2 * y\n")
    assert faults_of(proved) == ["doubling: model code"]


def test_the_documented_answer_is_planted(proved: Path) -> None:
    for path in (proved / "wrong").glob("*.py"):
        path.write_text(path.read_text().replace("the documented answer, hard-coded", "a constant"))
    assert faults_of(proved) == ["doubling: submissions"]


def answers(**changes: Any) -> list[dict[str, Any]]:
    verdicts = dict.fromkeys(("chain_rule", "graph", "leaves", "accumulate"), "met")
    kinds = ("strong", "middling", "wrong", "stuffed", "rambling", "off_topic")
    rows = [{"id": kind, "kind": kind, "text": f"Something {kind}.", "verdicts": verdicts} for kind in kinds]
    rows[0].update(changes)
    return rows


def test_prose_questions_need_labelled_answers_of_each_kind(made_bank: Path) -> None:
    folder = write(made_bank, "explained", question())
    assert faults_of(folder) == ["explained: answers"]
    (folder / "answers.yaml").write_text(yaml.safe_dump(answers()))
    assert faults_of(folder) == []
    (folder / "answers.yaml").write_text(yaml.safe_dump(answers(kind="middling")))
    assert faults_of(folder) == ["explained: answers"]
    (folder / "answers.yaml").write_text(yaml.safe_dump(answers(verdicts={})))
    assert faults_of(folder) == ["explained: answers"]


def test_an_answer_that_repeats_a_phrasing_is_a_fault(made_bank: Path) -> None:
    folder = write(
        made_bank, "explained", question(points=[point(n) for n in ("chain_rule", "graph", "leaves", "accumulate")])
    )
    copied = "The chain rule is applied backwards along it. Everything else differs."
    (folder / "answers.yaml").write_text(yaml.safe_dump(answers(text=copied)))
    assert "explained/answers/strong: shared words" in faults_of(folder)
    own = "From the result it walks home and multiplies what each operation knows about itself."
    (folder / "answers.yaml").write_text(yaml.safe_dump(answers(text=own)))
    assert faults_of(folder) == []


def test_uncovered_subjects_are_listed(made_bank: Path) -> None:
    write(made_bank, "explained", question())
    questions = list(load_bank(made_bank).questions.values())
    assert {finding.severity for finding in subject_findings(questions, require_all=False)} == {"warning"}
    missing = [finding.what for finding in subject_findings(questions, require_all=True) if finding.severity == "fault"]
    assert len(missing) == 20
    assert not any("framework-fundamentals#4" in what for what in missing)


def test_near_duplicates_and_overlaps_are_found(made_bank: Path, embedder: RememberingEmbedder) -> None:
    ask = "How does backward compute the gradients of a loss with respect to the parameters?"
    twice = [
        point("one", says="Gradients are added to .grad, not replaced."),
        point("two", says="Gradients are added into .grad instead of replaced."),
        point("three", says="The graph is freed after backward."),
        point("four", says="Only leaves keep a gradient."),
    ]
    write(made_bank, "first", question(ask=ask, points=twice))
    write(made_bank, "second", question(ask=ask + " Explain."))
    write(made_bank, "third", question(ask="What does a DataLoader do?", title="Loading"))
    found = rules(list(duplicate_findings(list(load_bank(made_bank).questions.values()), embedder)))
    assert "first: duplicates" in found
    assert "first: overlap" in found
    assert not any(row.startswith("third: duplicates") for row in found)


def test_the_same_skill_in_the_other_framework_is_no_duplicate(made_bank: Path, embedder: RememberingEmbedder) -> None:
    write(made_bank, "one", question())
    write(made_bank, "other", question(framework="tensorflow"))
    found = rules(list(duplicate_findings(list(load_bank(made_bank).questions.values()), embedder)))
    assert not any("duplicates" in row for row in found)
