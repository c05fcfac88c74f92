"""Work that a person waits for, and may stop: a run in the sandbox, a judgement by a language model.

The work goes on in a thread of its own, because neither a box nor a chat model can be interrupted from outside; when
it is stopped, nobody waits for it any more and its outcome is dropped. Each kind of work ends by a limit of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


class WaitCancelledError(Exception):
    """The person stopped it."""


@dataclass
class _Wait:
    since: float
    changed: threading.Event = field(default_factory=threading.Event)
    cancelled: bool = False


class Waits:
    """What is being waited for, by session. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waits: dict[str, _Wait] = {}

    def do(self, key: str, work: Callable[[], T]) -> T:
        """The outcome of the work, or what it raises. Raises WaitCancelledError when it was stopped meanwhile."""
        wait, future = _Wait(time.monotonic()), Future[T]()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001  (raised again by whoever waits)
                future.set_exception(error)
            wait.changed.set()

        with self._lock:
            self._waits[key] = wait
        try:
            threading.Thread(target=run, name="viva work", daemon=True).start()
            wait.changed.wait()
        finally:
            with self._lock:
                if self._waits.get(key) is wait:
                    del self._waits[key]
        if wait.cancelled and not future.done():
            raise WaitCancelledError
        return future.result()

    def cancel(self, key: str) -> bool:
        """Stop waiting; whether there was anything to stop."""
        with self._lock:
            wait = self._waits.get(key)
            if wait is None:
                return False
            wait.cancelled = True
        wait.changed.set()
        return True

    def since(self, key: str) -> tuple[float, int] | None:
        """Seconds that this session waits so far, and how many others began to wait before it; None when it does not
        wait."""
        with self._lock:
            wait = self._waits.get(key)
            if wait is None:
                return None
            return time.monotonic() - wait.since, sum(other.since < wait.since for other in self._waits.values())
