"""A candidate's own documents in an interview: they live and go with its session, and are never more than data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from domain import Answer, JudgedBy, Mode, Phase, Plan, PointScore, Question, Session, UserError, Verdict
from grader.drafts import tempered
from grader.local import LocalJudge
from interview.events import load_all
from interview.service import InterviewService
from interview.session import fold
from interview.store import SQLiteStore
from knowledge.choose import QuestionChooser
from knowledge.index import QuestionIndex
from knowledge.ingest import DocumentIngester
from knowledge.questions import Bank
from report.build import build
from report.html import render_html
from report.json import render_json
from report.markdown import render_markdown
from tests.interview.conftest import RememberingEmbedder
from tests.interview.making import explain, last, service

NOTES = b"""# Notes

Prose that asks nothing, and yet says that momentum averages the gradients of several steps.

## Why does PyTorch need zero_grad?

Gradients are added to what .grad holds. Without zero_grad the next step uses the sum of both passes.

## What is a leaf tensor?

A leaf tensor was made by the user and not by an operation. Its gradient is kept after the backward pass.
"""


def served(path: Path, **changes: object) -> InterviewService:
    return service(path, ingester=DocumentIngester(), **changes)  # type: ignore[arg-type]


def begun(held: InterviewService, **plan: object) -> Session:
    session = held.upload("", "notes.md", NOTES)
    return last(held.begin(session.id, Plan(**{"questions": 2, "drafts": True, **plan})))  # type: ignore[arg-type]


def test_an_upload_is_asked_about_in_its_own_session_and_goes_with_it(tmp_path: Path) -> None:
    held, store = served(tmp_path / "a.db"), SQLiteStore(tmp_path / "a.db")
    session = held.upload("", "notes.md", NOTES)
    assert [draft.title for draft in session.drafts] == ["Why does PyTorch need zero_grad?", "What is a leaf tensor?"]
    assert "momentum averages" in session.passages[0].text
    assert fold(session.id, load_all(store.events(session.id))) == session
    other = held.create()
    assert held.session(other.id).drafts == ()
    with pytest.raises(UserError, match="no question of your documents"):
        last(held.begin(other.id, Plan(drafts=True)))
    session = last(held.begin(session.id, Plan(questions=2, drafts=True)))
    assert "from your document notes.md; its rubric is a draft" in session.turns[-1].text
    assert "stands in your document notes.md" in session.results[0].why_chosen
    assert any("nobody has reviewed them" in notice for notice in session.notices)
    for _ in range(2):
        session = last(held.finish_question(session.id))
    assert session.phase is Phase.ENDED
    assert {result.question.draft for result in session.results} == {"notes.md"}
    store.delete(session.id)
    with pytest.raises(UserError, match="no interview"):
        held.session(session.id)
    assert NOTES[60:90] not in (tmp_path / "a.db").read_bytes() or store.events(session.id) == []


def test_what_is_dropped_is_not_asked(tmp_path: Path) -> None:
    held = served(tmp_path / "a.db")
    session = held.upload("", "notes.md", NOTES)
    session = held.drop(session.id, [session.drafts[0].id])
    assert [draft.title for draft in session.drafts] == ["What is a leaf tensor?"]
    session = held.upload(session.id, "notes.md", NOTES)
    assert len(session.drafts) == 2, "the same document again replaces what it gave before"
    assert held.drop(session.id, document_names=["notes.md"]).passages == ()
    with pytest.raises(UserError, match="no question of your documents"):
        last(held.begin(session.id, Plan(drafts=True)))


def test_documents_come_before_the_interview_and_are_for_practice(tmp_path: Path) -> None:
    held = served(tmp_path / "a.db")
    with pytest.raises(UserError, match="practice"):
        begun(held, mode=Mode.EXAM)
    session = begun(held)
    with pytest.raises(UserError, match="has begun"):
        held.upload(session.id, "more.md", NOTES)
    with pytest.raises(UserError, match="has begun"):
        held.drop(session.id, ["x"])
    with pytest.raises(UserError, match="reads no documents"):
        service(tmp_path / "b.db").upload("", "notes.md", NOTES)


def test_a_bad_document_leaves_nothing_behind(tmp_path: Path) -> None:
    made: list[str] = []

    def new_id() -> str:
        made.append("x")
        return f"{len(made):032x}"

    held = served(tmp_path / "a.db", new_id=new_id)
    with pytest.raises(UserError, match="is not a PDF"):
        held.upload("", "notes.pdf", NOTES)
    assert made == [], "not even a session"
    session = held.upload("", "notes.md", NOTES)
    with pytest.raises(UserError, match="is not a PDF"):
        held.upload(session.id, "other.pdf", NOTES)
    assert held.session(session.id) == session


def test_a_file_cannot_bring_a_draft_with_a_check(tmp_path: Path) -> None:
    held = served(tmp_path / "a.db")
    data = json.loads(held.export(begun(held).id))
    assert [event["kind"] for event in data["events"]][:3] == ["created", "uploaded", "planned"]
    assert held.import_session(json.dumps(data).encode()).drafts
    for change in ({"check": "autograd/grad_at/check.py"}, {"id": "grad_at"}, {"draft": ""}):
        broken = json.loads(json.dumps(data))
        broken["events"][1]["drafts"][0] |= change
        with pytest.raises(UserError, match="data only"):
            held.import_session(json.dumps(broken).encode())


def test_drafts_never_reach_the_bank_or_its_index(tmp_path: Path, bank: Bank, embedder: RememberingEmbedder) -> None:
    one = Bank(bank.folder, {"grad_at": bank.questions["grad_at"]}, "")
    held = served(tmp_path / "a.db", chooser=QuestionChooser(one, QuestionIndex(one, embedder, tmp_path / "index")))
    begun(held)
    assert list(one.questions) == ["grad_at"]
    session = last(held.begin(held.create().id, Plan(questions=1, focus="Why does PyTorch need zero_grad?")))
    assert session.results[0].question.draft == ""


def test_every_report_calls_a_draft_a_draft(tmp_path: Path) -> None:
    held = served(tmp_path / "a.db")
    session = last(held.stop(begun(held).id))
    report = build(session)
    for text in (render_html(report), render_markdown(report), render_json(report)):
        assert "Draft rubric" in text
        assert "notes.md" in text.replace("\\", "")
    session = last(held.finish_question(begun(held).id))
    assert any("Draft rubric, made from notes.md" in turn.text for turn in session.turns)


# ------------------------------------------------------------------------------------------------ verdicts on drafts


@pytest.fixture(scope="module")
def zero_grad() -> Question:
    return DocumentIngester().ingest("notes.md", NOTES).drafts[0]


def judged(path: Path, embedder: RememberingEmbedder, text: str) -> dict[str, Verdict]:
    held = served(path, judge=LocalJudge(embedder), draw=lambda: 0.0)
    session = begun(held, questions=1)
    assert session.results[0].question.title.startswith("Why does PyTorch")
    session = last(held.say(session.id, Answer(text)))
    return {item.point_id: item.verdict for item in session.results[0].scores}


def test_the_local_judge_credits_what_the_document_says_in_other_words(
    tmp_path: Path, embedder: RememberingEmbedder
) -> None:
    text = (
        "Because gradients accumulate: they are added to whatever .grad holds already. So without zero_grad the next "
    )
    text += "step would use the sum of the two passes."
    assert set(judged(tmp_path / "a.db", embedder, text).values()) == {Verdict.MET}


@pytest.mark.parametrize(
    "text",
    [
        "I like to cook pasta with my friends at the weekend.",
        "Gradients are not added to what .grad holds. Without zero_grad the next step does not use any sum.",
        "zero_grad gradients grad sum passes step added holds",
    ],
    ids=["off topic", "denied", "keywords"],
)
def test_the_local_judge_credits_nothing_else_and_contradicts_nothing(
    text: str, tmp_path: Path, embedder: RememberingEmbedder
) -> None:
    found = set(judged(tmp_path / "a.db", embedder, text).values())
    assert Verdict.MET not in found
    assert Verdict.CONTRADICTED not in found


def test_a_draft_is_less_certain(zero_grad: Question) -> None:
    by = JudgedBy("local")
    name = zero_grad.points[0].id
    contradicted = PointScore(name, Verdict.CONTRADICTED, "x", by, confidence=0.9, correction="y")
    doubtful = PointScore(name, Verdict.NOT_MET, "x", by, confidence=0.6)
    sure = PointScore(name, Verdict.NOT_MET, "x", by, confidence=0.95)
    found = [tempered(zero_grad, [item], [])[0] for item in (contradicted, doubtful, sure)]
    assert [item.verdict for item in found] == [Verdict.NOT_MET, Verdict.UNGRADED, Verdict.NOT_MET]
    assert found[0].correction == ""
    reviewed = replace(explain(), draft="")
    for item in (contradicted, doubtful, sure):
        assert tempered(reviewed, [replace(item, point_id="moon")], [])[0].verdict is item.verdict
