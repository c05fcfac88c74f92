"""Interviews from the command line.

    python -m interview simulate 300 [--seed 1] [--json]

holds simulated interviews with candidates whose true coverage is known (see `interview.simulate`), with the packaged
bank, the local judge and the sandbox of this machine, and prints how well the scores order the candidates. Returns 1
where an interview did not end, a report could not be made, or somebody who knows nothing gained more than 5 %.

    python -m interview regrade SESSION_ID [--run] [--json]

grades the stored answers of an ended interview again, with today's judge and bank, and keeps that beside the
interview's own results: its report shows both. With --run the submitted code is run again, from the stored seeds. A
language model (VIVA_LLM) judges only where the candidate agreed that their words go to it.

    python -m interview invite BATCH --reader NAME --candidate NAME [--candidate NAME ...] [--questions 3] [--topic T]
    python -m interview override SESSION_ID QUESTION_ID POINT_ID met|not_met|contradicted --by NAME --why TEXT

are for an interviewer, and work only where VIVA_INTERVIEWER_KEY is set: links to the same questions under a fixed plan,
whose candidates are told first who reads the report; and a verdict of the reader's own beside the judge's.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import settings
from domain import (
    Embedder,
    Framework,
    Invitation,
    Judge,
    Level,
    Mode,
    Plan,
    PointReference,
    Question,
    QuestionResult,
    Session,
    StoredEvent,
    UserError,
    Verdict,
)
from interview.simulate import EMPTY, KINDS, Outcome, simulate, spearman

if TYPE_CHECKING:
    from interview.store import SQLiteStore

GAINED = 0.05


class Asked:
    """Chooses the given questions in order."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = questions

    def choose(self, plan: Plan, asked: Sequence[QuestionResult], draw: float) -> tuple[Question, str] | None:  # noqa: ARG002
        """The next one."""
        left = self._questions[len(asked) :]
        return (left[0], "it is next") if left else None


class Remembering:
    """An embedder that encodes each text once."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return self._inner.name

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors, a row for each text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        made = self._inner.encode(new)
        self._known.update(zip(new, made, strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else made


def summary(outcomes: Sequence[Outcome], seconds: float) -> dict[str, object]:
    """What the interviews showed."""
    by_kind = {}
    for kind in KINDS:
        own = [item for item in outcomes if item.candidate.kind == kind]
        if own:
            scores = [item.score for item in own]
            by_kind[kind] = {
                "interviews": len(own),
                "coverage": round(float(np.mean([item.candidate.coverage for item in own])), 3),
                "score": round(float(np.mean(scores)), 3),
                "lowest": round(min(scores), 3),
                "highest": round(max(scores), 3),
            }
    truth, found = [item.candidate.coverage for item in outcomes], [item.score for item in outcomes]
    knowing = [item for item in outcomes if item.candidate.kind not in EMPTY]
    return {
        "interviews": len(outcomes),
        "ended": sum(item.ended for item in outcomes),
        "spearman": round(spearman(truth, found), 3),
        "spearman_of_those_who_know_something": round(
            spearman([item.candidate.coverage for item in knowing], [item.score for item in knowing]), 3
        ),
        "most_gained_by_nothing": round(
            max((item.score for item in outcomes if item.candidate.kind in EMPTY), default=0.0), 3
        ),
        "seconds_each": round(seconds / max(len(outcomes), 1), 2),
        "kinds": by_kind,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate; 1 where something did not hold."""
    parser = argparse.ArgumentParser(
        prog="python -m interview", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("simulate", help="interviews with candidates whose coverage is known")
    command.add_argument("number", type=int, nargs="?", default=300)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--json", action="store_true")
    command = commands.add_parser("regrade", help="grade a stored interview again, with today's judge and bank")
    command.add_argument("session", metavar="SESSION_ID")
    command.add_argument("--run", action="store_true", help="run the submitted code again, from the stored seeds")
    command.add_argument("--json", action="store_true")
    _interviewer(commands)
    options = parser.parse_args(arguments)
    if options.command != "simulate":
        try:
            if options.command == "regrade":
                return regrade(options.session, options.run, options.json)
            return invite(options) if options.command == "invite" else override(options)
        except UserError as error:
            print(error, file=sys.stderr)
            return 1

    from embed import SentenceEmbedder
    from grader.local import LocalJudge
    from interview.intents import IntentReader
    from interview.service import InterviewService
    from interview.store import SQLiteStore
    from knowledge.questions import load_bank
    from report.build import build
    from report.html import render_html
    from sandbox.backend import Sandbox

    bank, embedder = load_bank(), Remembering(SentenceEmbedder())
    judge, intents, sandbox = LocalJudge(embedder), IntentReader(embedder), Sandbox()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteStore(Path(folder) / "simulated.sqlite3")
        services: list[InterviewService] = []

        def service_for(questions: Sequence[Question]) -> InterviewService:
            services.append(
                InterviewService(
                    store=store,
                    chooser=Asked(questions),
                    judge=judge,
                    sandbox=sandbox,
                    check_path=bank.check_path,
                    topics=dict.fromkeys(bank.topics, ()),
                    intents=intents,
                )
            )
            return services[-1]

        def reported(outcome: Outcome) -> None:
            render_html(build(services[-1].session(outcome.session_id)))

        try:
            for framework in (Framework.PYTORCH, Framework.TENSORFLOW):
                sandbox.prepare(framework)
            outcomes = simulate(options.number, bank, service_for, reported, options.seed)
        finally:
            sandbox.close()
            store.close()
    found = summary(outcomes, time.monotonic() - started)
    print(json.dumps(found, indent=1) if options.json else table(found))
    held = found["ended"] == found["interviews"] and float(str(found["most_gained_by_nothing"])) <= GAINED
    return 0 if held else 1


def _interviewer(commands: Any) -> None:
    """The commands of an interviewer."""
    command = commands.add_parser("invite", help="links to an interview with a fixed plan that you will read")
    command.add_argument("batch", help="a name for the plan that these candidates share")
    command.add_argument("--reader", required=True, help="who reads the report; the candidate is told")
    command.add_argument(
        "--candidate", action="append", required=True, help="your name for a candidate; may be repeated"
    )
    command.add_argument("--questions", type=int, default=3)
    command.add_argument("--framework", type=Framework, choices=list(Framework), default=Framework.BOTH)
    command.add_argument("--level", type=Level, choices=list(Level))
    command.add_argument("--topic", action="append", default=[])
    command.add_argument("--mode", type=Mode, choices=[Mode.PRACTICE, Mode.EXAM], default=Mode.EXAM)
    command.add_argument("--seed", type=int, default=1, help="the same seed chooses the same questions")
    command = commands.add_parser("override", help="note a verdict of your own beside the judge's")
    command.add_argument("session", metavar="SESSION_ID")
    command.add_argument("question", metavar="QUESTION_ID")
    command.add_argument("point", metavar="POINT_ID")
    command.add_argument("verdict", choices=["met", "not_met", "contradicted"])
    command.add_argument("--by", required=True)
    command.add_argument("--why", required=True)


def _for_interviewers() -> tuple[settings.Settings, SQLiteStore]:
    """Settings and store. Raises UserError where no interviewer is provided for."""
    from interview.store import SQLiteStore

    chosen = settings.from_environment()
    if not chosen.interviewer_key:
        raise UserError("This is for interviewers, and off: set VIVA_INTERVIEWER_KEY to switch it on.")
    return chosen, SQLiteStore(chosen.data / "sessions.sqlite3")


def invite(options: argparse.Namespace) -> int:
    """Make sessions for candidates, and print their links."""
    from interview import inviting
    from interview.limits import checked_plan
    from interview.service import MOST_FOLLOW_UPS
    from knowledge.questions import load_bank, with_own

    chosen, store = _for_interviewers()
    try:
        bank = with_own(load_bank(), chosen.bank)
        plan = Plan(options.framework, options.level, tuple(options.topic), "", options.questions, options.mode)
        checked_plan(plan)
        asked = inviting.choose(list(bank.questions.values()), plan, options.seed)
        wanted = [Invitation(options.reader, options.batch, name, plan, asked) for name in options.candidate]
        made = inviting.invite(store, wanted, (("bank", bank.hash[:16]),), MOST_FOLLOW_UPS)
    finally:
        store.close()
    print(f"Questions, in order: {', '.join(asked)}")
    for invitation, session in zip(wanted, made, strict=True):
        print(f"{invitation.candidate}: http://{chosen.host}:{chosen.port}/?session={session.id}")
    return 0


def override(options: argparse.Namespace) -> int:
    """Store a reader's verdict, and print the score that follows."""
    from interview import inviting
    from report.build import build

    _, store = _for_interviewers()
    about = PointReference(options.question, options.point)
    try:
        session = inviting.override(store, options.session, about, Verdict(options.verdict), options.by, options.why)
    finally:
        store.close()
    print(build(session).revised_text)
    return 0


def regrade(session_id: str, run: bool, as_json: bool) -> int:
    """Grade a stored interview again, store that, and print what differs. Raises UserError where it cannot be done."""
    from interview.events import dump, load_all, scrub
    from interview.regrade import Regrader
    from interview.session import advance, fold
    from interview.store import SQLiteStore
    from knowledge.questions import load_bank, with_own
    from report.build import build

    chosen = settings.from_environment()
    path = chosen.data / "sessions.sqlite3"
    if not path.exists():
        raise UserError(f"There are no stored interviews: {path} does not exist. VIVA_DATA names the folder.")
    bank, store = with_own(load_bank(), chosen.bank), SQLiteStore(path)
    sandbox = None
    try:
        events = load_all(store.events(session_id))
        if not events:
            raise UserError("There is no interview with that id. It is the last part of the interview's link.")
        session = fold(session_id, events)
        if run:
            from sandbox.backend import Sandbox

            sandbox = Sandbox(require=chosen.sandbox_require, tf_python=chosen.tf_python)
        again = Regrader(_judge(chosen, session), bank.questions.get, bank.hash[:16], bank.check_path, sandbox)
        event = scrub(again.regrade(session, time.time()))
        session, _ = advance(session, event)
        store.append(session_id, StoredEvent(len(events), event.kind, dump(event), event.at))
    finally:
        if sandbox is not None:
            sandbox.close()
        store.close()
    found = build(session).regrades[-1]
    if as_json:
        print(json.dumps(dataclasses.asdict(found), indent=1, ensure_ascii=False))
        return 0
    print(f"{found.judge}, bank {found.bank}: {found.text}")
    for item in found.questions:
        for row in item.differences:
            print(f"  question {item.question}: {row.before} -> {row.after}: {row.says}")
    return 0


def _judge(chosen: settings.Settings, session: Session) -> Judge:
    """The judge that this installation has for this candidate's words."""
    from embed import SentenceEmbedder
    from grader.local import LocalJudge

    local = LocalJudge(SentenceEmbedder(chosen.embeddings))
    if not chosen.llm or session.agreed(chosen.llm) is not True:
        return local
    from grader.llm_judge import LLMJudge
    from llm import chat_model
    from spending import DailyTokens

    daily = DailyTokens(chosen.llm_daily_tokens, chosen.data / "llm-tokens.json")
    model = chat_model(chosen.llm, chosen.llm_base_url, chosen.llm_timeout, chosen.llm_key, daily)
    return LLMJudge(model, fallback=local)


def table(found: dict[str, object]) -> str:
    """The summary as text."""
    kinds = found["kinds"]
    assert isinstance(kinds, dict)
    rows = [f"{'candidates':<12}{'number':>7}{'knows':>8}{'scored':>8}{'lowest':>8}{'highest':>9}"]
    rows += [
        f"{kind:<12}{row['interviews']:>7}{row['coverage']:>8.2f}{row['score']:>8.2f}{row['lowest']:>8.2f}{row['highest']:>9.2f}"
        for kind, row in kinds.items()
    ]
    rows.append(f"ended in a report: {found['ended']} of {found['interviews']}, {found['seconds_each']} s each")
    rows.append(
        f"Spearman between true coverage and score: {found['spearman']} (of those who know something: "
        f"{found['spearman_of_those_who_know_something']}; the aim is .95)"
    )
    rows.append(f"most that somebody who knows nothing gained: {found['most_gained_by_nothing']}")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
