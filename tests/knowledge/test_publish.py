"""A draft becomes a question of the operator's own bank only when it keeps every rule, and never brings a program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from domain import UserError
from knowledge.__main__ import main
from knowledge.ingest import DocumentIngester
from knowledge.publish import publish, read_draft, slug_of, write_drafts
from knowledge.questions import load_bank, with_own
from tests.knowledge import documents as made
from tests.knowledge import making


def complete(folder: Path, slug: str = "how_gradients", **changes: Any) -> Path:
    """A draft that a person completed."""
    place = folder / slug
    place.mkdir(parents=True)
    data = making.question(sources=["document:notes.md"], **changes) | {"draft": "notes.md"}
    data["points"][0]["passage"] = "As it stood there."
    (place / "draft.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    return place


def test_a_raw_draft_is_written_whole_and_told_what_it_lacks(tmp_path: Path) -> None:
    drafts = DocumentIngester().ingest("notes.md", made.markdown()).drafts
    written = write_drafts(tmp_path / "drafts", drafts)
    assert sorted(path.name for path in (tmp_path / "drafts").iterdir()) == sorted(path.name for path in written)
    text = (written[0] / "draft.yaml").read_text()
    assert "draft: notes.md" in text
    assert "passage: " in text
    with pytest.raises(UserError) as error:
        publish(written, tmp_path / "bank")
    for told in ("points: 4 to 9", "misconceptions: needs at least 2", "why: is missing"):
        assert told in str(error.value)
    assert not (tmp_path / "bank").exists()


def test_a_complete_draft_is_published_and_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft, own = complete(tmp_path), tmp_path / "own"
    assert main(["publish", str(draft), "--to", str(own), "--topic", "autograd"]) == 0
    assert "wrote" in capsys.readouterr().out
    text = (own / "autograd" / "how_gradients" / "question.yaml").read_text()
    assert "passage" not in text
    assert "draft" not in text
    packaged = load_bank(only=["grad_at"])
    bank = with_own(packaged, own)
    assert set(bank.questions) == {"grad_at", "how_gradients"}
    assert bank.check_path("how_gradients") is None
    assert bank.answers("how_gradients") == ()
    assert bank.hash != packaged.hash
    with pytest.raises(UserError, match="already"):
        publish([draft], own)


def test_a_program_beside_a_draft_is_an_error(tmp_path: Path) -> None:
    for name in ("check.py", "right", "notes.txt"):
        place = complete(tmp_path / name)
        (place / name).mkdir() if name == "right" else (place / name).write_text("import os")
        with pytest.raises(UserError, match=r"beside draft\.yaml; a draft is"):
            read_draft(place)


@pytest.mark.parametrize("changes", [{"check": "x.py"}, {"kind": "code"}, {"points": [making.point(proof="check")]}])
def test_what_needs_a_program_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        publish([complete(tmp_path, **changes)], tmp_path / "own")
    assert not (tmp_path / "own").exists()


def test_names_lead_nowhere_else(tmp_path: Path) -> None:
    outside = complete(tmp_path / "outside")
    (tmp_path / "linked").symlink_to(outside)
    odd = complete(tmp_path, slug="Odd-Name")
    for place, told in ((tmp_path / "linked", "no draft.yaml"), (odd, "lower_case"), (tmp_path / "absent", "no draft")):
        with pytest.raises(UserError, match=told):
            publish([place], tmp_path / "own")
    for topic in ("../up", "a/b", "Odd"):
        with pytest.raises(UserError, match="topic"):
            publish([outside], tmp_path / "own", topic)
    assert slug_of("../../etc/Passwd & co", set()) == "etc_passwd_co"
    assert slug_of("日本語", {"question"}) == "question_2"


def test_the_operators_bank_brings_no_program_and_no_id_twice(tmp_path: Path) -> None:
    bank = load_bank(only=["grad_at"])
    own = tmp_path / "own"
    making.write(own, "checked", making.code_question(), check="def check(box, rng): ...")
    with pytest.raises(UserError, match="packaged bank alone"):
        with_own(bank, own)
    other = tmp_path / "other"
    making.write(other, "grad_at", making.question())
    with pytest.raises(UserError, match="has a question 'grad_at' too"):
        with_own(bank, other)
    assert with_own(bank, None) is bank


def test_titles_with_anything_in_them_make_folders(tmp_path: Path) -> None:
    drafts = DocumentIngester().ingest("notes.md", made.markdown()).drafts
    odd = [replace(drafts[0], title=title) for title in ("../../x", "$(touch y)", "a" * 300, "", "a" * 300)]
    written = write_drafts(tmp_path, odd)
    assert len(written) == 5
    assert all(path.parent == tmp_path for path in written)


def test_ingest_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.md").write_bytes(made.markdown())
    assert main(["ingest", str(tmp_path / "notes.md"), "--out", str(tmp_path / "drafts")]) == 0
    assert "notes.md: 2 questions" in capsys.readouterr().out
    assert main(["ingest", str(tmp_path / "notes.md"), "--json"]) == 0
    assert '"draft": "notes.md"' in capsys.readouterr().out
    assert main(["ingest", str(tmp_path / "absent.md")]) == 2
    assert main(["ingest", str(tmp_path / "notes.md"), "--llm"]) == 2
