"""The server behind the page: headers, /healthz, what it refuses, and what it survives."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from knowledge.questions import Bank
from tests.ui.serving import ROOT, Server, environment
from tests.ui.visitor import Visitor
from ui.endpoints import NAMES

USER = 1000


@pytest.mark.parametrize("path", ["/", "/healthz", "/config", "/gradio_api/info", "/no/such/page", "/viva/icon.svg"])
def test_every_answer_carries_the_security_headers(server: Server, path: str) -> None:
    headers = httpx.get(server.url + path).headers
    policy = {
        name: value
        for name, _, value in (part.strip().partition(" ") for part in headers["content-security-policy"].split(";"))
    }
    ancestors = policy.pop("frame-ancestors")
    assert ancestors.startswith("'self' http://localhost:")
    assert policy["default-src"] == "'self'"
    assert policy["object-src"] == "'none'"
    assert not any(word in value for value in policy.values() for word in ("http:", "https:", "*")), "no other origin"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_health_tells_what_is_loaded(server: Server) -> None:
    told = server.wait_until_loaded()
    assert told["status"] == "ok"
    assert told["loaded"] == ["the questions and the sandbox", "the embedding model", "the index of questions"]
    sandbox = told["sandbox"]
    assert isinstance(sandbox, dict)
    assert sandbox["level"] in {"L0", "L1", "L2", "L3"}
    assert sandbox["sentence"]
    assert "local" in str(told["judge"])


def test_no_handler_of_the_page_is_public_and_none_takes_a_verdict(server: Server) -> None:
    page = httpx.get(f"{server.url}/config").json()
    kinds = {component["id"]: component["type"] for component in page["components"]}
    for dependency in page["dependencies"]:
        if dependency["api_name"] in NAMES:  # for programs: tests/ui/test_endpoints.py
            continue
        assert dependency["api_visibility"] == "private"
        taken = [kinds[number] for number in dependency["inputs"]]
        assert not {"chatbot", "state", "json", "html"} & set(taken), "history and results never come from a browser"


def test_no_private_handler_can_be_called_by_name(server: Server) -> None:
    page = httpx.get(f"{server.url}/config").json()
    names = {dependency["api_name"] for dependency in page["dependencies"]}
    for name in names - set(NAMES):
        answer = httpx.post(f"{server.url}/gradio_api/call/{name}", json={"data": []})
        assert answer.status_code >= 400, name


@pytest.mark.parametrize(
    "path",
    [
        f"/session/{'0' * 32}/report.html",
        f"/session/{'0' * 32}/session.json",
        "/session/../../etc/passwd",
        "/session/short/report.html",
        "/viva/../app.py",
        "/viva/viva.css",
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/file=app.py",
        "/gradio_api/file=data/sessions.sqlite3",
        "/monitoring",
    ],
)
def test_nothing_else_is_served(server: Server, path: str) -> None:
    answer = httpx.get(server.url + path)
    assert answer.status_code >= 400, answer.text[:200]
    assert "root:" not in answer.text


@pytest.fixture(scope="module")
def plain() -> Iterator[Server]:
    """A server as in the container: a plain user (where we are root and can be another), a checkout that it cannot
    write, no new namespaces, nothing writable but the data folder."""
    # pytest's own folders may be entered by one user only.
    with tempfile.TemporaryDirectory(prefix="viva-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        data = folder / "data"
        data.mkdir()
        conditions: tuple[str, ...] = ()
        if os.geteuid() == 0:
            os.chown(data, USER, USER)
            conditions = (
                sys.executable,
                "-m",
                "tests.sandbox.conditions",
                "--user",
                str(USER),
                "--no-namespaces",
                "--",
            )
        server = Server(data, {"PYTHONDONTWRITEBYTECODE": "1"}, before=conditions)
        server.start()
        yield server
        server.stop()


def test_as_a_plain_user_with_a_read_only_checkout(browser: Browser, bank: Bank, plain: Server) -> None:
    person = Visitor(browser, plain.url)
    try:
        question = person.start_with_code(bank)
        result = person.submit(bank.submissions(question.id, "right")[0].read_text())
        expect(result.locator(".viva-mark.bad")).to_have_count(0)
        expect(result.locator(".viva-mark.good").first).to_be_visible()
        expect(person.page.locator("#viva-facts")).to_contain_text("isolation L")
    finally:
        person.close()


def test_killed_in_the_middle_it_goes_on_where_it_was(browser: Browser, bank: Bank, plain: Server) -> None:
    person = Visitor(browser, plain.url)
    try:
        question = person.start_with_code(bank)
        person.submit(bank.submissions(question.id, "wrong")[0].read_text())
        link, shown = person.page.url, person.messages.all_inner_texts()
        plain.kill()
        plain.start()
        person.page.goto(link)
        expect(person.messages).to_have_count(len(shown))
        assert person.messages.all_inner_texts() == shown
        result = person.submit(bank.submissions(question.id, "right")[0].read_text())
        expect(result.locator(".verdict")).to_contain_text("cases passed")
        expect(result.locator(".viva-mark.bad")).to_have_count(0)
    finally:
        person.close()


def _run(data: str, port: int, extra: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    chosen = environment(Path(data), port, extra)
    return subprocess.run([sys.executable, "app.py"], cwd=ROOT, env=chosen, capture_output=True, text=True, timeout=60)


def test_a_port_in_use_is_told_with_what_to_do(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = _run(str(tmp_path), port)
    assert ended.returncode == 2
    assert f"port {port}" in ended.stderr
    assert "VIVA_PORT=" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_an_unwritable_data_folder_is_told(tmp_path: Path) -> None:
    ended = _run("/proc/viva", 0)
    assert ended.returncode == 2
    assert "/proc/viva" in ended.stderr
    assert "VIVA_DATA=" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_setting_at_fault_is_told(tmp_path: Path) -> None:
    ended = _run(str(tmp_path), 0, {"VIVA_PORT": "http"})
    assert ended.returncode == 2
    assert "VIVA_PORT" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_nothing_heavy_is_imported_before_the_page() -> None:
    code = (
        "import sys, app, ui.page, ui.http, ui.theme; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    listed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    heavy = {
        "torch",
        "tensorflow",
        "keras",
        "transformers",
        "sentence_transformers",
        "faiss",
        "langchain",
        "langchain_core",
    }
    assert not heavy & set(listed.stdout.split())
