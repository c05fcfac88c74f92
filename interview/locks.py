"""One lock for each session, made when it is wanted and dropped when nobody holds or awaits it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from domain import UserError


class Locks:
    """`patience` is how many seconds to wait for a lock before UserError.

    Plain locks, not re-entrant ones: a generator that holds one may be resumed, and closed, by another thread.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._guard = threading.Lock()
        self._locks: dict[str, tuple[threading.Lock, int]] = {}

    @contextlib.contextmanager
    def hold(self, key: str) -> Iterator[None]:
        """Hold the lock of that session. Raises UserError when another holds it for too long."""
        with self._guard:
            lock, users = self._locks.get(key, (threading.Lock(), 0))
            self._locks[key] = (lock, users + 1)
        try:
            if not lock.acquire(timeout=self._patience):
                raise UserError(
                    "This interview is busy in another tab or window. Wait until it has answered there, then reload "
                    "this page; nothing was lost."
                )
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._guard:
                lock, users = self._locks[key]
                if users == 1:
                    del self._locks[key]
                else:
                    self._locks[key] = (lock, users - 1)


class Places:
    """How many steps may be at work at once, in all interviews together; the next one is told so instead of waiting."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._taken = 0

    @contextlib.contextmanager
    def take(self) -> Iterator[None]:
        """Hold a place. Raises UserError when all are taken."""
        with self._guard:
            if self._taken >= self._most:
                raise UserError(
                    f"Viva is full at this moment: {self._taken} answers are being worked on. Send yours again in a "
                    "moment; nothing of this interview was lost."
                )
            self._taken += 1
        try:
            yield
        finally:
            with self._guard:
                self._taken -= 1
