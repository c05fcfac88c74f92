"""What files and embeddings show of the bank's fitness: quotas, heads of submissions, shared words, duplicates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import yaml

from domain import Embedder, Framework, Kind, Proof, Question, UserError
from knowledge.questions import Bank, LabelledAnswer
from knowledge.words import sentences, words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SUBJECTS = Path(__file__).resolve().parent / "subjects.yaml"
LEAST_RIGHT, LEAST_WRONG, LEAST_ANSWERS = 2, 5, 6
MOST_SHARED = 0.6  # of an answer sentence's content words with one accepted phrasing of the same point
LEAST_CONTENT = 4  # content words: a shorter sentence cannot be told apart from a copy
NEAR_QUESTIONS = 0.9  # cosine similarity of two questions' wording, above which they are the same question
NEAR_POINTS = 0.86  # cosine similarity of two points' `says` in one question
DOCUMENTED = re.compile(r"hard.?coded|documented", re.IGNORECASE)
_CAUGHT = re.compile(r"#\s*caught by:\s*([a-z0-9]+(?:-[a-z0-9]+)*)\s*$")
_WHY = re.compile(r"#\s*why:\s*\S")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. `where` is a question id, a file of it, or "bank"."""

    where: str
    rule: str
    what: str
    severity: Literal["fault", "warning"] = "fault"


# ------------------------------------------------------------------------------------------ what files show


def caught_by(path: Path) -> tuple[str, str]:
    """The case that must catch a wrong submission, and what is wrong with its head ("" for nothing).

    Where a submission ends the run before any case, its first line names the status instead: crashed, timed-out.
    """
    first, second, *_ = [*path.read_text(encoding="utf-8").splitlines(), "", ""]
    match = _CAUGHT.match(first)
    if not match:
        return "", "its first line must be `# caught by: case-name`"
    return match[1], "" if _WHY.match(second) else "its second line must be `# why: …`"


def _bare(code: str) -> str:
    return "\n".join(line.rstrip() for line in code.strip().splitlines())


def file_findings(bank: Bank, question: Question) -> Iterator[Finding]:
    """Submissions and labelled answers: there, enough of them, and well-formed."""
    right, wrong = (bank.submissions(question.id, kind) for kind in ("right", "wrong"))
    if question.check:
        if len(right) < LEAST_RIGHT:
            yield Finding(question.id, "submissions", f"needs {LEAST_RIGHT} right submissions, has {len(right)}")
        if len(wrong) < LEAST_WRONG:
            yield Finding(question.id, "submissions", f"needs {LEAST_WRONG} wrong submissions, has {len(wrong)}")
        if _bare(question.model_code) not in {_bare(path.read_text(encoding="utf-8")) for path in right}:
            yield Finding(question.id, "model code", "model_code is none of the right submissions")
        if not any(DOCUMENTED.search(path.stem + path.read_text(encoding="utf-8")[:400]) for path in wrong):
            yield Finding(question.id, "submissions", "no wrong submission is the hard-coded documented answer")
    for path in wrong:
        _case, fault = caught_by(path)
        if fault:
            yield Finding(f"{question.id}/wrong/{path.name}", "head", fault)
    try:
        answers = bank.answers(question.id)
    except UserError as error:
        yield Finding(question.id, "answers", str(error))
        return
    if not any(point.proof is Proof.SAID for point in question.points):
        return
    prose = question.kind in (Kind.EXPLAIN, Kind.DESIGN)
    if len(answers) < LEAST_ANSWERS:
        what = f"needs {LEAST_ANSWERS} labelled answers, has {len(answers)}"
        yield Finding(question.id, "answers", what, "fault" if prose else "warning")
    if answers and prose and len({answer.kind for answer in answers}) < 6:
        yield Finding(question.id, "answers", "needs each kind: strong, middling, wrong, stuffed, rambling, off_topic")
    yield from shared_words(question, answers)


def unfinished_findings(bank: Bank) -> Iterator[Finding]:
    """Folders without question.yaml, which the bank loads without."""
    for folder in bank.unfinished:
        name = folder.relative_to(bank.folder).as_posix()
        yield Finding(name, "unfinished", "there is no question.yaml; write it, or remove the folder")


def shared_words(question: Question, answers: Iterable[LabelledAnswer]) -> Iterator[Finding]:
    """Sentences of labelled answers that repeat an accepted phrasing: such an answer proves nothing about a judge."""
    for answer in answers:
        for sentence in sentences(answer.text):
            content = set(words(sentence))
            if len(content) < LEAST_CONTENT:
                continue
            for point in question.points:
                for phrasing in point.accepts:
                    share = len(content & set(words(phrasing))) / len(content)
                    if share > MOST_SHARED:
                        what = (
                            f"shares {share:.0%} of its content words with a phrasing of {point.id}: “{sentence:.80}”"
                        )
                        yield Finding(f"{question.id}/answers/{answer.id}", "shared words", what)


def subjects(path: Path = SUBJECTS) -> dict[str, str]:
    """The subjects that the bank shall cover: their ids, as `sources` name them, and short names."""
    return {row["id"]: row["name"] for row in yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)}


def subject_findings(questions: Iterable[Question], require_all: bool) -> Iterator[Finding]:
    """Subjects that no question's sources name."""
    covered = {source for question in questions for source in question.sources}
    for subject, name in subjects().items():
        if subject not in covered:
            severity: Literal["fault", "warning"] = "fault" if require_all else "warning"
            yield Finding("bank", "subjects", f"nothing on {subject} ({name})", severity)


# ----------------------------------------------------------------------------------- what embeddings show


def _close(vectors: npt.NDArray[np.float32], least: float) -> Iterator[tuple[int, int, float]]:
    likeness = vectors @ vectors.T
    for one, other in combinations(range(len(vectors)), 2):
        if likeness[one, other] >= least:
            yield one, other, float(likeness[one, other])


def duplicate_findings(questions: Sequence[Question], embedder: Embedder) -> Iterator[Finding]:
    """Questions that ask the same, and points of one question that say the same."""
    asked = embedder.encode([f"{question.title}. {question.ask[:1000]}" for question in questions])
    for one, other, likeness in _close(asked, NEAR_QUESTIONS):
        first, second = questions[one], questions[other]
        # The same skill in the other framework is wanted, and its wording is near by nature.
        if {first.framework, second.framework} != {Framework.PYTORCH, Framework.TENSORFLOW}:
            yield Finding(first.id, "duplicates", f"asks nearly the same as {second.id} (similarity {likeness:.2f})")
    points = [(question, point) for question in questions for point in question.points]
    vectors = embedder.encode([point.says for _, point in points])
    start = 0
    for question in questions:
        count = len(question.points)
        for one, other, likeness in _close(vectors[start : start + count], NEAR_POINTS):
            pair = f"{question.points[one].id} and {question.points[other].id}"
            yield Finding(question.id, "overlap", f"points {pair} say nearly the same (similarity {likeness:.2f})")
        start += count
