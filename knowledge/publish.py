"""The operator's way of a draft into a bank: `ingest --out` writes it down, a person completes it, `publish` proves it.

    FOLDER/<slug>/draft.yaml        question.yaml, plus `draft` (the document) and each point's `passage`

A draft is data. Its folder holds draft.yaml and nothing else, so that no check can come with it. Published is what
keeps every rule of the bank, into a folder shaped like the bank: all drafts of a call, or none.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from domain import Question, UserError
from knowledge.drafts import TOPIC
from knowledge.questions import read_as, shown
from knowledge.schema import IDENTIFIER, DraftFile, QuestionFile, question_faults

NAME = "draft.yaml"
_HEAD = """\
# A draft, made from {document}. Complete it: small points with three ways of saying each, misconceptions with their
# corrections, two hints, why it matters, keywords and symptoms; check every fact. Then
#     python -m knowledge publish {slug} --to FOLDER --topic TOPIC
"""


def slug_of(title: str, taken: set[str]) -> str:
    """A folder's name for a title, not among those taken."""
    spelled = "_".join(re.findall(r"[a-z0-9]+", title.lower()))[:48].strip("_")
    base = re.sub(r"^[^a-z]+", "", spelled) or "question"
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name


def write_drafts(folder: Path, questions: Sequence[Question]) -> list[Path]:
    """Write each draft into a new folder of its own under `folder`, which may exist: all of them, or none.

    Raises UserError where the place cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = {path.name for path in folder.iterdir()}
        with tempfile.TemporaryDirectory(dir=folder, prefix=".drafts-") as made:
            for question in questions:
                slug = slug_of(question.title, taken)
                taken.add(slug)
                place = Path(made) / slug
                place.mkdir()
                text = _HEAD.format(document=" ".join(question.draft.split()), slug=slug)
                (place / NAME).write_text(text + _yaml(_as_draft(question)), encoding="utf-8")
            return _moved(Path(made), folder)
    except OSError as error:
        raise UserError(f"The drafts cannot be written into {folder}: {error.strerror}.") from None


def read_draft(folder: Path) -> DraftFile:
    """A draft from its folder. Raises UserError naming file, line, field and reason of each fault, or what is there
    and must not be."""
    folder = Path(folder)
    path = folder / NAME
    if folder.is_symlink() or path.is_symlink() or not path.is_file():
        raise UserError(f"{shown(folder)}: there is no {NAME} in it.")
    others = sorted(other.name for other in folder.iterdir() if other.name != NAME)
    if others:
        programs = [name for name in others if name.endswith(".py") or name in ("right", "wrong")]
        why = "a draft is data, and checks are loaded from the packaged bank alone" if programs else "a draft is one"
        raise UserError(f"{shown(folder)}: holds {', '.join(others[:5])} beside {NAME}; {why}. Take it away.")
    if not IDENTIFIER.fullmatch(folder.name):
        raise UserError(f"{shown(folder)}: the folder's name must be lower_case_with_underscores: it becomes the id.")
    draft: DraftFile = read_as(path, DraftFile.model_validate, lambda draft: question_faults(draft, has_check=False))
    return draft


def publish(folders: Sequence[Path], to: Path, topic: str = "") -> list[Path]:
    """Write completed drafts into the bank folder `to`, under the topic given or else each draft's own.

    Raises UserError listing every fault of every draft, or where a question of that id is there; then nothing is left.
    """
    if topic and not IDENTIFIER.fullmatch(topic):
        raise UserError(f"The topic must be lower_case_with_underscores, and is {topic!r}.")
    drafts: dict[str, DraftFile] = {}
    faults: list[str] = []
    for folder in folders:
        try:
            draft = read_draft(folder)
        except UserError as error:
            faults.append(str(error))
            continue
        if folder.name in drafts or any(to.glob(f"*/{folder.name}")):
            faults.append(f"{shown(folder)}: there is a question {folder.name!r} already. Rename the folder.")
        drafts[folder.name] = draft
    if faults:
        raise UserError("\n".join(faults))
    try:
        to.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=to, prefix=".published-") as made:
            for name, draft in drafts.items():
                place = Path(made) / name
                place.mkdir()
                (place / "question.yaml").write_text(_yaml(_as_question(draft)), encoding="utf-8")
            shelf = to / (topic or TOPIC)
            shelf.mkdir(exist_ok=True)
            return _moved(Path(made), shelf)
    except OSError as error:
        raise UserError(f"The questions cannot be written into {to}: {error.strerror}.") from None


def _moved(made: Path, to: Path) -> list[Path]:
    """Move what was made in one go: where one fails, those that went before are taken back."""
    done: list[Path] = []
    try:
        for path in sorted(made.iterdir()):
            done.append(path.rename(to / path.name))
    except OSError:
        for path in done:
            shutil.rmtree(path, ignore_errors=True)
        raise
    return done


def _as_draft(question: Question) -> dict[str, Any]:
    data = asdict(question)
    for left_out in ("id", "topic", "check", "errata", "clarifications"):
        del data[left_out]
    data["sources"] = [f"document:{'_'.join(question.draft.split())}"]
    for point in data["points"]:
        for left_out in ("cases", "sources", "proof"):
            del point[left_out]
    return {"draft": data.pop("draft"), **data}


def _as_question(draft: DraftFile) -> dict[str, Any]:
    data = draft.model_dump(mode="json", exclude_defaults=True)
    data.pop("draft", None)
    for point in data["points"]:
        point.pop("passage", None)
    return {name: data[name] for name in QuestionFile.model_fields if name in data}


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks, so that a person can edit them."""


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)
_Dumper.add_multi_representer(tuple, lambda dumper, value: dumper.represent_list(value))


def _yaml(data: dict[str, Any]) -> str:
    plain = {name: value.value if hasattr(value, "value") else value for name, value in data.items()}
    return yaml.dump(plain, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=118)
