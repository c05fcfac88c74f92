"""The log of every interview in one SQLite file.

WAL, so that reading never waits for writing; `synchronous=FULL`, so that an event that was acted on outlives a power
cut and not only a killed process (a few milliseconds an event, where a person takes seconds). The primary key
(session, number) makes it impossible for two tabs or two processes to write two histories of one session.

A place that cannot be used raises UserError with what is wrong and what to do; nothing is ever started afresh in
place of a file that cannot be read.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from domain import StoredEvent, UserError

SCHEMA = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS events (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
"""


class SQLiteStore:
    """Implements domain.Store in a file. Safe to use from several threads, and from several processes at once.

    `patience` is how many seconds to wait while another process writes.
    """

    def __init__(self, path: Path | str, patience: float = 5.0) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        with self._explained("opened"):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UserError(
                    f"The data folder {self.path.parent} cannot be made: {error.strerror}. {_PLACE}"
                ) from None
            self._connection = sqlite3.connect(
                self.path, timeout=patience, check_same_thread=False, isolation_level=None
            )
        try:
            self._prepare()
        except UserError:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        with self._explained("opened"):
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version > SCHEMA:
                raise UserError(
                    f"{self.path} was written by a newer version of Viva (its version is {version}, this one knows "
                    f"{SCHEMA}). Run the newer version, or set VIVA_DATA to another folder; nothing was changed."
                )
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute("BEGIN IMMEDIATE")  # also finds out now whether the place can be written
            self._connection.execute(_TABLES)
            self._connection.execute(f"PRAGMA user_version={SCHEMA}")
            self._connection.execute("COMMIT")

    def append(self, session_id: str, event: StoredEvent) -> None:
        """Store the event durably. Raises UserError when that number exists already, or the place fails."""
        row = (session_id, event.number, event.kind, event.data, event.at)
        with self._lock, self._explained("written"):
            try:
                self._connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)
            except sqlite3.IntegrityError:
                raise UserError(
                    "This interview went on in another tab or window. Reload the page to see where it stands; "
                    "what you just sent was not taken in."
                ) from None

    def events(self, session_id: str) -> list[StoredEvent]:
        """The session's log in order; empty when there is no such session."""
        query = "SELECT number, kind, data, at FROM events WHERE session = ? ORDER BY number"
        with self._lock, self._explained("read"):
            return [StoredEvent(*row) for row in self._connection.execute(query, (session_id,))]

    def holding(self, kind: str) -> list[str]:
        """The ids of the sessions whose log holds an event of that kind, in the order in which it came."""
        query = "SELECT session FROM events WHERE kind = ? ORDER BY at, session"
        with self._lock, self._explained("read"):
            return list(dict.fromkeys(row[0] for row in self._connection.execute(query, (kind,))))

    def delete(self, session_id: str) -> None:
        """Forget the session."""
        with self._lock, self._explained("written"):
            self._connection.execute("DELETE FROM events WHERE session = ?", (session_id,))

    def purge(self, older_than: float) -> int:
        """Forget every session whose last event is older than this moment (seconds since the epoch). Returns how
        many sessions went."""
        old = "SELECT session FROM events GROUP BY session HAVING max(at) < ?"
        with self._lock, self._explained("written"):
            (count,) = self._connection.execute(f"SELECT count(*) FROM ({old})", (older_than,)).fetchone()  # noqa: S608
            self._connection.execute(f"DELETE FROM events WHERE session IN ({old})", (older_than,))  # noqa: S608
        return int(count)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _explained(self, doing: str) -> contextlib.AbstractContextManager[None]:
        return explained(self.path, doing)


@contextlib.contextmanager
def explained(path: Path, doing: str) -> Iterator[None]:
    """Turns SQLite's errors into what a person can act on."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise UserError(f"The interview store {path} cannot be {doing}: {_reason(error)}") from error


_PLACE = "Set VIVA_DATA to a folder that can be written."
_REASONS = {
    sqlite3.SQLITE_BUSY: "another process keeps it locked. Close that process, or try again in a moment.",
    sqlite3.SQLITE_LOCKED: "another process keeps it locked. Close that process, or try again in a moment.",
    sqlite3.SQLITE_FULL: "the disk is full. Free some space and try again; what was stored before is safe.",
    sqlite3.SQLITE_READONLY: f"it may only be read. {_PLACE}",
    sqlite3.SQLITE_CANTOPEN: f"it cannot be opened. {_PLACE}",
    sqlite3.SQLITE_PERM: f"access is denied. {_PLACE}",
    sqlite3.SQLITE_IOERR: "the disk reports an error. Check the disk; what was stored before is safe.",
    sqlite3.SQLITE_NOTADB: f"it is not an interview store of Viva. Move it away, or set VIVA_DATA. {_PLACE}",
    sqlite3.SQLITE_CORRUPT: "it is damaged. Move it away and restore a copy; Viva never overwrites it.",
}


def _reason(error: sqlite3.DatabaseError) -> str:
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    return _REASONS.get(primary, f"{error}.") if primary is not None else f"{error}."
