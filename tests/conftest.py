"""What tests of several parts share: one browser a test process, since Playwright runs once in each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's chromium, without any traffic of its own. Its absence fails the tests, unless VIVA_NO_BROWSER=1."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None and os.environ.get("VIVA_NO_BROWSER") == "1":
        pytest.skip("VIVA_NO_BROWSER=1 leaves the browser tests out")
    if path is None:
        pytest.fail("Chromium is not installed: apt-get install chromium (or set VIVA_NO_BROWSER=1 to leave these out)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()
