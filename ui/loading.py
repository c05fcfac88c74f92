"""What loads behind the page: heavy parts, made one after the other in one thread, once the page is up."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from domain import UserError

log = logging.getLogger("viva")


@dataclass(frozen=True)
class Step:
    """One thing to load: what the page calls it, and what makes it."""

    name: str
    make: Callable[[], object]


@dataclass(frozen=True)
class LoadState:
    """Names of what is loaded, and of what is still to come (first the one at work); `failed` pairs name and reason."""

    done: tuple[str, ...]
    waiting: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]

    @property
    def complete(self) -> bool:
        """Whether nothing is left to load, failed or not."""
        return not self.waiting


class Loading:
    """Runs the steps in the background, in order, after `begin`. A failed step is told and does not stop the rest."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = tuple(steps)
        self._lock = threading.Lock()
        self._done: list[str] = []
        self._failed: list[tuple[str, str]] = []
        self._started = False
        self._finished = threading.Event()

    def begin(self) -> None:
        """Start once; later calls do nothing."""
        with self._lock:
            if self._started:
                return
            self._started = True
        threading.Thread(target=self._run, name="viva-loading", daemon=True).start()

    def begin_after(self, seconds: float) -> None:
        """Start after a while, for a page that nobody opens."""
        timer = threading.Timer(seconds, self.begin)
        timer.daemon = True
        timer.start()

    def _run(self) -> None:
        for step in self._steps:
            reason = ""
            try:
                step.make()
            except UserError as error:
                reason = str(error)
            except Exception:
                log.exception("loading %s failed", step.name)
                reason = "a fault of ours, written to the log"
            with self._lock:
                if reason:
                    self._failed.append((step.name, reason))
                else:
                    self._done.append(step.name)
        self._finished.set()

    def wait(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds; whether everything was tried by then."""
        return self._finished.wait(timeout)

    def state(self) -> LoadState:
        """Where it stands."""
        with self._lock:
            over = {*self._done, *(name for name, _ in self._failed)}
            waiting = tuple(step.name for step in self._steps if step.name not in over)
            return LoadState(tuple(self._done), waiting, tuple(self._failed))
