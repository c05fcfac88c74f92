"""Whole interviews with the real bank, index, judge and sandbox: they end in a report, and scores order candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from domain import Answer, Embedder, Framework, Phase, Question, TurnKind, Verdict
from grader.local import LocalJudge
from interview.intents import IntentReader
from interview.service import InterviewService
from interview.simulate import EMPTY, Outcome, simulate, spearman
from interview.store import SQLiteStore
from knowledge.choose import QuestionChooser
from knowledge.index import QuestionIndex
from knowledge.questions import Bank
from report.build import build
from report.html import render_html
from sandbox.backend import Sandbox
from tests.interview.holding import real_service, right, strong, wrong
from tests.interview.making import last

NOTHING = "I have nothing to add to that."


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """The sandbox of this machine."""
    made = Sandbox(spares=1)
    made.prepare(Framework.PYTORCH)
    yield made
    made.close()


def test_an_interview_from_free_words_to_a_report(
    tmp_path: Path, bank: Bank, embedder: Embedder, sandbox: Sandbox
) -> None:
    index = QuestionIndex(bank, embedder, tmp_path / "index")
    held = InterviewService(
        store=SQLiteStore(tmp_path / "a.db"),
        chooser=QuestionChooser(bank, index),
        judge=LocalJudge(embedder),
        sandbox=sandbox,
        check_path=bank.check_path,
        topics=dict.fromkeys(bank.topics, ()),
        intents=IntentReader(embedder),
        draw=lambda: 0.0,
    )
    session = last(held.say(held.create().id, Answer("one question: what does autograd record, in pytorch?")))
    assert session.current is not None
    question = session.current.question
    assert question.topic == "autograd"
    session = last(held.say(session.id, Answer("Can I get a hint?")))
    assert session.turns[-1].kind is TurnKind.HINT
    session = last(held.submit(session.id, wrong(bank, question.id, "zeros")))
    run = session.results[0].runs[0]
    assert not run.passed
    assert any(not case.passed for case in run.cases)
    session = last(held.submit(session.id, right(bank, question.id)))
    assert session.results[0].runs[1].passed
    assert session.turns[-1].kind is TurnKind.FOLLOW_UP
    session = last(held.say(session.id, Answer(strong(bank, question.id))))
    if session.phase is Phase.ANSWERING:
        assert session.turns[-1].point_id
        session = last(held.say(session.id, Answer(NOTHING)))
    assert session.phase is Phase.ENDED
    for item in session.results[0].scores:
        if item.verdict is Verdict.MET:
            assert item.evidence
    html = render_html(build(session))
    assert question.title in html
    assert held.session(session.id) == session
    assert build(held.import_session(held.export(session.id))).overall == build(session).overall


def test_a_dozen_candidates_are_ordered_by_what_they_know(
    tmp_path: Path, bank: Bank, embedder: Embedder, sandbox: Sandbox
) -> None:
    """Simulated interviews, as `python -m interview simulate` holds hundreds of: each ends in a report, the scores
    order the candidates, and nobody gains anything by knowing nothing."""
    store, held = SQLiteStore(tmp_path / "a.db"), []

    def service_for(questions: Sequence[Question]) -> InterviewService:
        held.append(real_service(store, bank, embedder, sandbox, questions))
        return held[-1]

    def reported(outcome: Outcome) -> None:
        assert render_html(build(held[-1].session(outcome.session_id)))

    outcomes = simulate(12, bank, service_for, reported, seed=7)
    assert all(item.ended for item in outcomes)
    truth, found = [item.candidate.coverage for item in outcomes], [item.score for item in outcomes]
    assert spearman(truth, found) >= 0.9, sorted(zip(truth, found, strict=True))
    for item in outcomes:
        if item.candidate.kind in EMPTY:
            assert item.score <= 0.05, item
