"""The store: what it keeps, and what it says when its place fails. SQLite's own errors, made to happen for real."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from domain import Store, StoredEvent, UserError
from interview.store import SCHEMA, SQLiteStore


def event(number: int, data: str = "{}", at: float = 1.0) -> StoredEvent:
    """An event."""
    return StoredEvent(number, "said", data, at)


def test_it_keeps_events_in_order_and_apart(tmp_path: Path) -> None:
    store: Store = SQLiteStore(tmp_path / "sub" / "a.db")
    for number in (0, 1, 2):
        store.append("a", event(number, f'"{number}é"'))
    store.append("b", event(0))
    assert [item.data for item in SQLiteStore(tmp_path / "sub" / "a.db").events("a")] == ['"0é"', '"1é"', '"2é"']
    assert store.events("c") == []
    store.delete("a")
    assert store.events("a") == []
    assert len(store.events("b")) == 1


def test_it_is_durable_by_its_settings(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "a.db")
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_number_is_given_once_also_between_threads(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "a.db")
    refused: list[str] = []
    start = threading.Barrier(8)

    def write(who: int) -> None:
        start.wait()
        for number in range(20):
            try:
                store.append("a", event(number, str(who)))
            except UserError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=write, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [item.number for item in store.events("a")] == list(range(20))
    assert len(refused) == 7 * 20
    assert "another tab" in refused[0]


def test_old_sessions_are_purged_by_their_last_event(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "a.db")
    store.append("old", event(0, at=10.0))
    store.append("alive", event(0, at=10.0))
    store.append("alive", event(1, at=30.0))
    assert store.purge(older_than=20.0) == 1
    assert store.events("old") == []
    assert len(store.events("alive")) == 2


def test_a_locked_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = SQLiteStore(path, patience=0.05)
    store.append("a", event(0))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(UserError, match="another process keeps it locked"):
        store.append("a", event(1))
    assert len(store.events("a")) == 1
    with pytest.raises(UserError, match="another process keeps it locked"):
        SQLiteStore(path, patience=0.05)
    other.execute("ROLLBACK")
    store.append("a", event(1))
    other.close()


def test_a_full_disk_is_told_and_what_was_stored_is_safe(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "a.db")
    store.append("a", event(0))
    store._connection.execute("PRAGMA max_page_count = 4")
    with pytest.raises(UserError, match="disk is full"):
        store.append("a", event(1, "x" * 100_000))
    assert [item.number for item in store.events("a")] == [0]
    store._connection.execute("PRAGMA max_page_count = 1000000")
    store.append("a", event(1))


def test_a_newer_store_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    SQLiteStore(path).append("a", event(0))
    with sqlite3.connect(path) as other:
        other.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    other.close()
    with pytest.raises(UserError, match="newer version"):
        SQLiteStore(path)
    assert sqlite3.connect(path).execute("SELECT count(*) FROM events").fetchone() == (1,)


def test_another_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_text("my diary, not a database, " * 100)
    with pytest.raises(UserError, match="not an interview store"):
        SQLiteStore(path)
    assert path.read_text().startswith("my diary")


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.db").mkdir()
    with pytest.raises(UserError, match="VIVA_DATA"):
        SQLiteStore(tmp_path / "a.db")
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="VIVA_DATA"):
        SQLiteStore(tmp_path / "file" / "a.db")


def test_a_place_that_may_only_be_read_is_told(tmp_path: Path) -> None:
    """Opened by a user without rights, in a forked process, since root may write everywhere."""
    folder = tmp_path / "data"
    path = folder / "a.db"
    SQLiteStore(path).append("a", event(0))
    folder.chmod(0o555)
    path.chmod(0o444)
    for parent in (tmp_path, *tmp_path.parents[:3]):  # pytest's own folders, which are its user's alone
        parent.chmod(parent.stat().st_mode | 0o055)
    receive, send = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
            SQLiteStore(path)
            os.write(send, b"it opened")
        except UserError as error:
            os.write(send, str(error).encode())
        finally:
            os._exit(0)
    os.close(send)
    os.waitpid(child, 0)
    told = os.read(receive, 10_000).decode()
    os.close(receive)
    assert "may only be read" in told or "cannot be opened" in told
    assert "VIVA_DATA" in told
