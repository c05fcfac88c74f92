"""What loads behind the page."""

from __future__ import annotations

import threading

from domain import UserError
from ui.loading import Loading, Step
from ui.words import loading_line


def _broken() -> None:
    raise UserError("the model <b> is absent")


def _faulty() -> None:
    raise KeyError("a secret detail")


def test_steps_run_in_order_once_and_only_after_begin() -> None:
    made: list[str] = []
    loading = Loading([Step("one", lambda: made.append("one")), Step("two", lambda: made.append("two"))])
    assert loading.state().waiting == ("one", "two")
    loading.begin()
    loading.begin()
    assert loading.wait(10)
    assert made == ["one", "two"]
    assert loading.state().done == ("one", "two")
    assert loading.state().complete
    assert loading_line(loading.state()) == ""


def test_what_is_at_work_is_named_first() -> None:
    go = threading.Event()
    loading = Loading([Step("the model", lambda: go.wait(10)), Step("the index", lambda: None)])
    loading.begin()
    assert "Loading the model, then the index" in loading_line(loading.state())
    go.set()
    assert loading.wait(10)


def test_a_failed_step_is_told_and_the_rest_still_loads() -> None:
    loading = Loading([Step("the model", _broken), Step("the box", _faulty), Step("the index", lambda: None)])
    loading.begin()
    assert loading.wait(10)
    state = loading.state()
    assert state.done == ("the index",)
    assert state.failed[0] == ("the model", "the model <b> is absent")
    assert "a secret detail" not in state.failed[1][1]
    assert "&lt;b&gt;" in loading_line(state)


def test_it_begins_by_itself_when_nobody_comes() -> None:
    loading = Loading([Step("one", lambda: None)])
    loading.begin_after(0.01)
    assert loading.wait(10)
