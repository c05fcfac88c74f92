"""The bank: one folder a question, read and checked into `domain.Question` values.

    knowledge/bank/<topic>/<question_id>/question.yaml   always
                                         check.py        code and debug questions
                                         right/*.py      submissions that the check accepts
                                         wrong/*.py      submissions that it refuses, each naming the case
                                         answers.yaml    labelled answers

All faults are collected, and one UserError names file, line, field and reason of each. A folder without question.yaml
is unfinished: the bank loads without it and names it, and `verify` calls it a fault. Loading runs no check.py.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from domain import Question, UserError, Verdict
from knowledge.schema import (
    IDENTIFIER,
    PATTERNS,
    AnswerFile,
    AnswerKind,
    Fault,
    Location,
    QuestionFile,
    answer_faults,
    question_faults,
)

BANK = Path(__file__).resolve().parent / "bank"
LARGEST_FILE = 1 << 20  # bytes; a longer file in the bank is a mistake
_SKIPPED = ("__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache")
_ANSWERS = TypeAdapter(list[AnswerFile])


@dataclass(frozen=True)
class LabelledAnswer:
    """An answer with the verdict that each said point deserves, to measure and guard judges with."""

    id: str
    kind: AnswerKind
    text: str
    verdicts: Mapping[str, Verdict]


@dataclass(frozen=True)
class Bank:
    """All questions, by id. `hash` is the SHA-256 of every file of their folders: names and content.

    `unfinished` holds the folders that were left out because they have no question.yaml. `own` maps the ids of the
    operator's own questions to the folder of their bank.
    """

    folder: Path
    questions: dict[str, Question]
    hash: str
    unfinished: tuple[Path, ...] = ()
    own: Mapping[str, Path] = field(default_factory=dict)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that have questions, sorted."""
        return tuple(sorted({question.topic for question in self.questions.values()}))

    def _place(self, question_id: str) -> Path:
        question = self.questions[question_id]
        return self.own.get(question_id, self.folder) / question.topic / question.id

    def check_path(self, question_id: str) -> Path | None:
        """The question's check.py, or None where it has none. Raises KeyError for an unknown id."""
        return self.folder / self.questions[question_id].check if self.questions[question_id].check else None

    def submissions(self, question_id: str, kind: Literal["right", "wrong"]) -> tuple[Path, ...]:
        """The question's right or wrong submissions, sorted by name. Raises KeyError for an unknown id."""
        return tuple(sorted((self._place(question_id) / kind).glob("*.py")))

    def answers(self, question_id: str) -> tuple[LabelledAnswer, ...]:
        """The labelled answers, empty where there is no file. Raises UserError where it is broken."""
        path = self._place(question_id) / "answers.yaml"
        if not path.is_file():
            return ()
        question = self.questions[question_id]
        rows: list[AnswerFile] = read_as(path, _ANSWERS.validate_python, lambda found: answer_faults(found, question))
        return tuple(LabelledAnswer(row.id, row.kind, row.text, dict(row.verdicts)) for row in rows)


class _Loader(yaml.CSafeLoader):
    """The safe C loader, which also refuses a key that stands twice in one mapping."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is not text", key_node.start_mark)
        if key in seen:
            raise yaml.constructor.ConstructorError(None, None, f"key {key!r} stands twice", key_node.start_mark)
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def shown(path: Path) -> str:
    """The path as a person would type it here: relative to the working folder where that is shorter."""
    relative = os.path.relpath(path)
    return relative if not relative.startswith("..") else str(path)


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise UserError(f"{shown(path)}: is larger than {LARGEST_FILE} bytes.")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{shown(path)}: is not UTF-8 text (byte {error.start}).") from None
    except OSError as error:
        raise UserError(f"{shown(path)}: cannot be read: {error.strerror}.") from None


def _parse(path: Path, text: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 (a subclass of the safe loader)
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise UserError(f"{shown(path)}{line}: is not the YAML that is expected: {error.problem}.") from None
    except yaml.YAMLError as error:
        raise UserError(f"{shown(path)}: is not YAML: {error}.") from None


def _line(text: str, location: Location) -> int | None:
    """The 1-based line of the field, or of the nearest thing above it that is there."""
    node = yaml.compose(text, Loader=yaml.CSafeLoader)
    line = None
    for step in location:
        found = None
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == step:
                    line, found = key.start_mark.line + 1, value
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            found = node.value[step]
            line = found.start_mark.line + 1
        if found is None:
            break
        node = found
    return line


def _field(location: Location, data: Any) -> str:
    """`points[2] (chain_rule).accepts`: the place, with the id of the list item where it has one."""
    name, here = "", data
    for step in location:
        if isinstance(step, int):
            here = here[step] if isinstance(here, list) and step < len(here) else None
            item = here.get("id") if isinstance(here, dict) else None
            name += f"[{step}]" + (f" ({item})" if isinstance(item, str) else "")
        else:
            here = here.get(step) if isinstance(here, dict) else None
            name += f".{step}" if name else step
    return name or "the whole file"


def _reason(row: ErrorDetails) -> str:
    if row["type"] == "missing":
        return "is missing"
    if row["type"] == "extra_forbidden":
        return "is not a known key"
    message = row["msg"][:1].lower() + row["msg"][1:]
    if row["type"] == "string_pattern_mismatch":
        message = PATTERNS.get(row["ctx"]["pattern"], message)
    given = row["input"]
    return f"{message}, here {given!r:.80}" if isinstance(given, str | int | float | bool) else message


def _message(path: Path, text: str, data: Any, faults: Iterable[Fault]) -> str:
    lines = []
    for fault in faults:
        line = _line(text, fault.location)
        place = f"{shown(path)}:{line}" if line else shown(path)
        lines.append(f"{place}: {_field(fault.location, data)}: {fault.reason}.")
    return "\n".join(lines)


def read_as(path: Path, validate: Callable[[Any], Any], rules: Callable[[Any], Iterable[Fault]]) -> Any:
    """A YAML file as what `validate` makes of it. Raises UserError with file, line, field and reason of every fault."""
    text = _read(path)
    data = _parse(path, text)
    try:
        model = validate(data)
    except ValidationError as error:
        faults = [Fault(row["loc"], _reason(row)) for row in error.errors()]
        raise UserError(_message(path, text, data, faults)) from None
    if found := list(rules(model)):
        raise UserError(_message(path, text, data, found))
    return model


def read_question(folder: Path, bank: Path = BANK) -> Question:
    """Read one question's folder. Raises UserError naming file, line, field and reason of every fault."""
    for what, name in (("question id", folder.name), ("topic", folder.parent.name)):
        if not IDENTIFIER.fullmatch(name):
            raise UserError(f"{shown(folder)}: the {what} {name!r} must be lower_case_with_underscores.")
    path = folder / "question.yaml"
    if not path.is_file():
        raise UserError(f"{shown(folder)}: there is no question.yaml. Write it, or remove the folder.")
    check = folder / "check.py"
    if not path.resolve().is_relative_to(bank.resolve()) or not check.resolve().is_relative_to(bank.resolve()):
        raise UserError(f"{shown(folder)}: leads outside the bank.")
    has_check = check.is_file()
    model: QuestionFile = read_as(
        path, QuestionFile.model_validate, lambda question: question_faults(question, has_check)
    )
    return model.value(folder.name, folder.parent.name, check.relative_to(bank).as_posix() if has_check else "")


def _folders(bank: Path) -> list[Path]:
    if not bank.is_dir():
        raise UserError(f"{shown(bank)}: there is no such folder of questions.")
    return [
        folder
        for topic in sorted(bank.iterdir())
        if topic.is_dir() and topic.name not in _SKIPPED and not topic.name.startswith(".")
        for folder in sorted(topic.iterdir())
        if folder.is_dir() and folder.name not in _SKIPPED and not folder.name.startswith(".")
    ]


def _hash(bank: Path, folders: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                content = path.read_bytes()
                digest.update(f"{path.relative_to(bank).as_posix()}\0{len(content)}\0".encode())
                digest.update(content)
    return digest.hexdigest()


def load_bank(folder: Path = BANK, only: Collection[str] = ()) -> Bank:
    """Read the bank; with `only`, just the questions of these ids. Raises UserError listing every fault found.

    A folder without question.yaml is left out, and is an error only where it is asked for by its id.
    """
    folder = Path(folder)
    places = [place for place in _folders(folder) if not only or place.name in only]
    folders = [place for place in places if only or (place / "question.yaml").is_file()]
    questions: dict[str, Question] = {}
    faults = [
        f"There is no question {name!r} in {shown(folder)}."
        for name in only
        if name not in {place.name for place in places}
    ]
    for place in folders:
        try:
            question = read_question(place, folder)
        except UserError as error:
            faults.append(str(error))
            continue
        if question.id in questions:
            faults.append(f"{shown(place)}: the id {question.id!r} is taken by topic {questions[question.id].topic!r}.")
        questions[question.id] = question
    if faults:
        raise UserError("\n".join(faults))
    return Bank(folder, questions, _hash(folder, folders), tuple(place for place in places if place not in folders))


def with_own(bank: Bank, folder: Path | None) -> Bank:
    """The bank, with the questions of the operator's own folder beside it (None or absent: the bank as it is).

    Only the packaged bank brings programs: a check.py in the other, like an id that both have, raises UserError.
    """
    if folder is None:
        return bank
    added = load_bank(folder)
    programs = sorted(folder.rglob("*.py"))
    if programs:
        raise UserError(f"{shown(programs[0])}: checks are loaded from the packaged bank alone. Take it away.")
    twice = sorted(added.questions.keys() & bank.questions.keys())
    if twice:
        raise UserError(f"{shown(folder)}: the packaged bank has a question {twice[0]!r} too. Rename the folder.")
    digest = hashlib.sha256(f"{bank.hash}{added.hash}".encode()).hexdigest()
    return replace(
        bank, questions=bank.questions | added.questions, hash=digest, own=dict.fromkeys(added.questions, folder)
    )
