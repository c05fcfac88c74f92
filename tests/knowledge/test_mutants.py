"""Mutation: every mutant is one edit away and compiles; survivors are named; the real sandbox kills what is wrong."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import yaml

from domain import Case, RunReport, RunStatus, UserError
from knowledge.__main__ import main
from knowledge.mutants import explanations, shares, try_mutants
from knowledge.mutate import mutants
from knowledge.questions import load_bank
from tests.knowledge.test_verify import ScriptedSandbox, proved

__all__ = ["proved"]

SOURCE = '''
def step(x, rate=0.5):
    """One step, 2 of 3."""
    total = x.detach().sum()
    if total > 1 and rate:
        total -= rate * x
    return -total
'''


def _edits(source: str) -> set[str]:
    return {mutant.edit for mutant in mutants(source)}


@pytest.mark.parametrize(
    "edit",
    [
        "0.5 -> 1.0",
        "x.detach() -> x",
        "x.detach().sum() -> x.detach().mean()",
        "total > 1 -> total >= 1",
        "total > 1 and rate -> total > 1 or rate",
        "total > 1 and rate -> total > 1",
        "1 -> 2",
        "1 -> 0",
        "total -= rate * x -> pass",
        "total -= rate * x -> total += rate * x",
        "rate * x -> rate / x",
        "-total -> total",
    ],
)
def test_an_edit_of_each_kind_is_made(edit: str) -> None:
    assert edit in _edits(SOURCE)


def test_each_mutant_compiles_differs_and_occurs_once() -> None:
    found = list(mutants(SOURCE))
    codes = {mutant.code for mutant in found}
    assert len(codes) == len(found)
    assert ast.unparse(ast.parse(SOURCE)) not in codes
    for mutant in found:
        compile(mutant.code, "mutant", "exec")
        assert mutant.line == SOURCE.splitlines()[mutant.number - 1].strip()


def test_docstrings_annotations_imports_and_modules_stay() -> None:
    source = 'import torch\n\ndef f(x: "1") -> int:\n    "2"\n    return torch.tensor(x)\n'
    assert _edits(source) == set()


def test_decorators_keywords_and_conditions_are_mutated() -> None:
    source = "@torch.no_grad()\ndef f(x):\n    while not done(x, dim=-1):\n        x += 1\n    return x if x else y\n"
    edits = _edits(source)
    assert {"not done(x, dim=-1) -> done(x, dim=-1)", "done(x, dim=-1) -> done(x)", "x if x else y -> y"} <= edits
    assert any(edit.startswith("@torch.no_grad()") for edit in edits)


def test_shares_by_hand(proved: Path, made_bank: Path) -> None:
    bank = load_bank(made_bank)
    passes = RunReport("1", RunStatus.OK, (Case("hidden-value", "value", True),))
    sandbox = ScriptedSandbox(**{"x - x": passes})
    tried = list(try_mutants(bank, sandbox, bank.questions.values(), seeds=(0, 1)))
    # Of `2 * x`: 2 / x, 3 * x and 1 * x; of `x + x`: x - x, which the scripted check lets pass on both seeds.
    assert [(one.mutant.edit, one.killed, one.seeds) for one in tried] == [
        ("2 * x -> 2 / x", True, 1),
        ("2 -> 3", True, 1),
        ("2 -> 1", True, 1),
        ("x + x -> x - x", False, 2),
    ]
    (share,) = shares(tried)
    assert (share.made, share.killed, share.equivalent, share.killed_share) == (4, 3, 0, 0.75)


def test_an_explained_survivor_is_left_out(proved: Path, made_bank: Path) -> None:
    row = {"file": "plus.py", "line": "return x + x", "edit": "x + x -> x - x", "why": "for the sake of the test"}
    (proved / "mutants.yaml").write_text(yaml.safe_dump([row]))
    bank = load_bank(made_bank)
    passes = RunReport("1", RunStatus.OK, (Case("hidden-value", "value", True),))
    tried = list(try_mutants(bank, ScriptedSandbox(**{"x - x": passes}), bank.questions.values(), seeds=(0,)))
    (share,) = shares(tried)
    assert (share.equivalent, share.killed_share) == (1, 1.0)
    assert tried[-1].why == "for the sake of the test"


def test_a_broken_explanation_and_a_broken_box_are_said(proved: Path, made_bank: Path) -> None:
    bank = load_bank(made_bank)
    broken = RunReport("1", RunStatus.BOX_BROKEN, error="no memory")
    with pytest.raises(UserError, match="the box broke"):
        list(try_mutants(bank, ScriptedSandbox(**{"def": broken}), bank.questions.values(), seeds=(0,)))
    (proved / "mutants.yaml").write_text("- {file: plus.py}\n")
    with pytest.raises(UserError, match=r"mutants\.yaml: must be a list"):
        explanations(bank, bank.questions["doubling"])


def test_the_real_check_of_a_real_question_kills_its_mutants(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "grad_at", "--most", "4", "--seeds", "1"]) == 0
    assert "1.000" in capsys.readouterr().out
