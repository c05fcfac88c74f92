"""Code that is only tried: run against the visible cases of its question, as often as one likes.

A trial is no part of the interview: nothing of it is stored, it uses up no submission, and it gives no verdict. It
ends with the visible case, so that a submission never sees a hidden input in a trial. A question without a check
just runs the code.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from domain import Phase, RunReport, RunStatus, SandboxBackend, Session, Submission, UserError
from interview.blocks import framework_of
from interview.limits import checked_code
from interview.waiting import WaitCancelledError, Waits

_CLOSED = "There is no open question to try code on."


class Trials:
    """Tries code. `check_path` gives a question's check.py, or None; `draw` a number in [0, 1) for the seed."""

    def __init__(
        self, sandbox: SandboxBackend, check_path: Callable[[str], Path | None], draw: Callable[[], float], waits: Waits
    ) -> None:
        self._sandbox, self._check_path, self._draw, self._waits = sandbox, check_path, draw, waits

    def run(self, session: Session, code: str) -> RunReport:
        """The run with its visible cases. Raises UserError without an open question or code, and when stopped."""
        result = session.current
        if result is None or session.phase is not Phase.ANSWERING:
            raise UserError(_CLOSED)
        if self._waits.since(session.id) is not None:
            raise UserError("The last run is still going on. Wait for it, or stop it.")
        question = result.question
        check = self._check_path(question.id) if question.check else None
        submission = Submission(
            checked_code(code), framework_of(code, question), check, int(self._draw() * 2**32), visible_only=True
        )
        try:
            run = self._waits.do(session.id, lambda: self._sandbox.run(submission))
        except WaitCancelledError:
            raise UserError("You stopped the run. Nothing of it was kept.") from None
        except UserError as error:
            run = RunReport(secrets.token_hex(8), RunStatus.BOX_BROKEN, error=str(error))
        return replace(run, cases=tuple(case for case in run.cases if case.visible))
