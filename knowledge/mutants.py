"""Measures the checks by mutation: what share of one-edit mutants of right submissions they refuse.

A mutant that survives is either equivalent (no input tells it from the original), and then `mutants.yaml` of its
question says why, or it shows what the check does not look at. Each survivor is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from domain import Question, RunStatus, SandboxBackend, Submission, UserError
from knowledge.mutate import Mutant, mutants
from knowledge.questions import Bank, shown
from knowledge.verify import framework_of

EXPLAINED = "mutants.yaml"
WANTED = 0.95  # of the mutants that are not equivalent


@dataclass(frozen=True)
class Tried:
    """One mutant and what became of it. `why` explains a survivor that is equivalent; `seeds` is how many it met."""

    question_id: str
    file: str
    mutant: Mutant
    killed: bool
    seeds: int
    why: str = ""


@dataclass(frozen=True)
class Share:
    """How one question's check did. Every count is of mutants."""

    question_id: str
    made: int
    killed: int
    equivalent: int

    @property
    def killed_share(self) -> float:
        """Killed, of those that are not equivalent; 1 where there is none."""
        left = self.made - self.equivalent
        return self.killed / left if left else 1.0


def explanations(bank: Bank, question: Question) -> dict[tuple[str, str, str], str]:
    """Why which survivor is equivalent, by file, line and edit. Raises UserError for a file of another form."""
    path = bank.folder / question.topic / question.id / EXPLAINED
    if not path.is_file():
        return {}
    try:
        rows: Any = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) or []
        return {(row["file"], row["line"], row["edit"]): str(row["why"]) for row in rows}
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise UserError(f"{shown(path)}: must be a list of mappings with file, line, edit and why ({error}).") from None


def _even(all_of: Sequence[Mutant], most: int) -> list[Mutant]:
    """At most `most` of them, evenly spread; 0 means all."""
    if not most or len(all_of) <= most:
        return list(all_of)
    return [all_of[index * len(all_of) // most] for index in range(most)]


def _killed(sandbox: SandboxBackend, question: Question, check: Path | None, mutant: Mutant, seed: int) -> bool:
    report = sandbox.run(Submission(mutant.code, framework_of(question), check, seed))
    if report.status is RunStatus.BOX_BROKEN:
        raise UserError(f"{question.id}: the box broke, which says nothing about the check: {report.error:.200}")
    return not report.passed


def try_mutants(
    bank: Bank,
    sandbox: SandboxBackend,
    questions: Iterable[Question],
    seeds: Sequence[int] = (0, 1, 2),
    jobs: int = 2,
    most: int = 0,
    progress: Callable[[Tried], None] | None = None,
) -> Iterator[Tried]:
    """Run the mutants of every right submission, each until a seed kills it. Raises UserError for a broken box."""

    def attempt(job: tuple[Question, str, Mutant, str]) -> Tried:
        question, file, mutant, why = job
        check = bank.check_path(question.id)
        for number, seed in enumerate(seeds, 1):
            if _killed(sandbox, question, check, mutant, seed):
                return Tried(question.id, file, mutant, True, number)
        return Tried(question.id, file, mutant, False, len(seeds), why)

    planned = []
    for question in questions:
        if not question.check:
            continue
        why = explanations(bank, question)
        for path in bank.submissions(question.id, "right"):
            for mutant in _even(list(mutants(path.read_text(encoding="utf-8"))), most):
                planned.append((question, path.name, mutant, why.get((path.name, mutant.line, mutant.edit), "")))
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        for tried in pool.map(attempt, planned):
            if progress:
                progress(tried)
            yield tried


def shares(tried: Iterable[Tried]) -> list[Share]:
    """The figures of each question, in the order that they were tried. An explained mutant that was killed all the
    same counts as killed."""
    counts: dict[str, list[int]] = {}
    for one in tried:
        count = counts.setdefault(one.question_id, [0, 0, 0])
        count[0] += 1
        count[1] += one.killed
        count[2] += bool(one.why) and not one.killed
    return [Share(question_id, *count) for question_id, count in counts.items()]
