"""Words leave for a language model only where the candidate agreed, and a model that takes long can be stopped."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from domain import Answer, Phase, UserError
from interview.service import InterviewService
from tests.interview.making import WordJudge, code, last, service
from tests.interview.test_service import started


def test_no_words_leave_without_consent(tmp_path: Path) -> None:
    model, local = WordJudge(), WordJudge()
    held = service(tmp_path / "a.db", judge=model, local=local, provider="openai:some-model")
    session = started(held)
    assert session.agreed("openai:some-model") is None
    session = last(held.say(session.id, Answer("moon")))
    assert (len(model.calls), len(local.calls)) == (0, 1), "nobody was asked yet"
    assert held.consent(session.id, False).agreed("openai:some-model") is False
    session = last(held.say(session.id, Answer("sun")))
    assert (len(model.calls), len(local.calls)) == (0, 2)
    assert held.consent(session.id, True).agreed("openai:some-model") is True
    last(held.submit(session.id, "x = 1"))
    last(held.say(session.id, Answer("carry")))
    assert len(model.calls) == 1


def test_consent_is_to_one_provider_and_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    held = service(path, provider="openai:some-model")
    session = held.consent(started(held).id, True)
    assert service(path).session(session.id) == session
    other = service(path, provider="anthropic:other-model")
    assert other.session(session.id).agreed("anthropic:other-model") is None


def test_a_judge_that_is_stopped_leaves_it_to_the_local_one(tmp_path: Path) -> None:
    asked, go = threading.Event(), threading.Event()

    def hang() -> None:
        asked.set()
        go.wait(60)

    held = service(tmp_path / "a.db", judge=WordJudge(before=hang), local=WordJudge(), provider="openai:some-model")
    session = held.consent(started(held).id, True)
    ended: list[Phase] = []
    step = threading.Thread(target=lambda: ended.append(last(held.say(session.id, Answer("moon, sun, wind"))).phase))
    step.start()
    assert asked.wait(60)
    waits = held.waiting(session.id)
    assert waits is not None
    assert waits[1] == 0
    assert held.cancel(session.id)
    step.join(60)
    go.set()
    assert ended == [Phase.ANSWERING]
    score = held.session(session.id).results[0].score
    assert score is not None
    assert score.earned == 6


def _asking_for_code(tmp_path: Path) -> tuple[InterviewService, str]:
    held = service(tmp_path / "a.db", [code()])
    return held, started(held).id


def test_a_trial_stores_nothing_and_shows_visible_cases_only(tmp_path: Path) -> None:
    held, session_id = _asking_for_code(tmp_path)
    before = held.session(session_id)
    run = held.try_code(session_id, "def twice(x):\n    return x + x\n")
    assert run.cases == (), "this box has hidden cases only"
    assert held.session(session_id) == before
    for nothing in ("", " \n"):
        with pytest.raises(UserError, match="no code"):
            held.try_code(session_id, nothing)
    last(held.stop(session_id))
    with pytest.raises(UserError, match="no open question"):
        held.try_code(session_id, "x = 1")


def test_a_deleted_interview_is_gone(tmp_path: Path) -> None:
    held, session_id = _asking_for_code(tmp_path)
    held.delete(session_id)
    for call in (held.session, held.delete):
        with pytest.raises(UserError, match="no interview under this link"):
            call(session_id)
