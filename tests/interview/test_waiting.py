"""Work that a person waits for and may stop."""

from __future__ import annotations

import threading

import pytest

from interview.waiting import WaitCancelledError, Waits


def test_the_outcome_or_the_error_of_the_work_comes_back() -> None:
    waits = Waits()
    assert waits.do("a", lambda: 3) == 3
    with pytest.raises(KeyError, match="x"):
        waits.do("a", lambda: dict[str, int]()["x"])
    assert waits.since("a") is None


def test_stopped_work_is_not_waited_for_and_others_are_counted() -> None:
    waits, go, started = Waits(), threading.Event(), threading.Semaphore(0)
    ended: list[str] = []

    def work() -> str:
        started.release()
        go.wait(30)
        return "done"

    def wait_for(key: str) -> None:
        try:
            ended.append(waits.do(key, work))
        except WaitCancelledError:
            ended.append("stopped")

    threads = [threading.Thread(target=wait_for, args=(key,)) for key in ("first", "second")]
    for thread in threads:
        thread.start()
        started.acquire()
    second = waits.since("second")
    assert second is not None
    assert second[1] == 1, "one began before it"
    assert not waits.cancel("third")
    assert waits.cancel("first")
    threads[0].join(30)
    assert ended == ["stopped"]
    go.set()
    threads[1].join(30)
    assert ended == ["stopped", "done"]
