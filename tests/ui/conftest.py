"""One server and one browser for all tests of the page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from knowledge.questions import Bank, load_bank
from tests.ui.serving import Server, free_port
from tests.ui.visitor import Visitor


@pytest.fixture(scope="session")
def bank() -> Bank:
    """The bank that the server asks from."""
    return load_bank()


@pytest.fixture(scope="session")
def space() -> str:
    """host:port of the page that may embed Viva: another host name, so another site to the browser."""
    return f"localhost:{free_port()}"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, space: str) -> Iterator[Server]:
    """A server for all tests, each of which has interviews of its own."""
    running = Server(tmp_path_factory.mktemp("viva") / "data", {"VIVA_FRAME_ANCESTORS": f"'self' http://{space}"})
    running.start()
    yield running
    assert running.stop() == 0, running.log()


@pytest.fixture
def visitor(browser: Browser, server: Server) -> Iterator[Visitor]:
    """Somebody at a desktop."""
    person = Visitor(browser, server.url)
    yield person
    person.close()


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where screenshots go: VIVA_SCREENSHOTS, or the test's own folder."""
    folder = Path(os.environ.get("VIVA_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
