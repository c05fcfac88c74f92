"""A ceiling on what a language model may cost in a day, in tokens. The count outlives a restart."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

from domain import UserError


class SpentError(UserError):
    """The day's tokens are used up; the model is not called."""


class DailyTokens:
    """Counts tokens by UTC day. Safe to use from many threads.

    `limit` is the most tokens of a day, 0 for no limit; `file` keeps the count. A file that cannot be read counts as
    a spent day: the ceiling must hold when in doubt.
    """

    def __init__(self, limit: int, file: Path, clock: Callable[[], float] = time.time) -> None:
        self.limit = limit
        self._file = file
        self._clock = clock
        self._lock = threading.Lock()

    def _today(self) -> str:
        return time.strftime("%Y-%m-%d", time.gmtime(self._clock()))

    def _used(self) -> int:
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            return int(kept["tokens"]) if kept["day"] == self._today() else 0
        except FileNotFoundError:
            return 0
        except (OSError, ValueError, KeyError, TypeError):
            return self.limit

    def used(self) -> int:
        """Tokens of today so far."""
        with self._lock:
            return self._used()

    def check(self) -> None:
        """Raise SpentError when nothing is left of today's tokens."""
        if self.limit and self.used() >= self.limit:
            raise SpentError(
                f"the day's {self.limit} tokens are used up; VIVA_LLM_DAILY_TOKENS sets how many there are, and at "
                "midnight UTC there are new ones"
            )

    def add(self, tokens: int) -> None:
        """Count tokens that were used. A count that cannot be written raises OSError."""
        if not self.limit:
            return
        with self._lock:
            kept = {"day": self._today(), "tokens": self._used() + max(0, tokens)}
            fresh = self._file.with_suffix(".new")
            fresh.write_text(json.dumps(kept), encoding="utf-8")
            fresh.replace(self._file)
