"""The login stands in front of every route there is, locks out who guesses, and tells nobody more than it must."""

from __future__ import annotations

import base64
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gradio.routes import App
from starlette.routing import Mount
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from domain import UserError
from ui.http import middleware
from ui.loading import Loading
from ui.login import COOKIE, OPEN, Passwords, hashed, read_users
from ui.page import Page
from ui.parts import Facts, Parts

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "correct horse"


def _no_service() -> Any:
    raise UserError("not in this test")


def _parts() -> Parts:
    return Parts(_no_service, lambda: Facts("a judge", None, 30), Loading([]), {})


def _app(passwords: Passwords | None, **more: Any) -> Any:
    """The app as app.py launches it, with the MCP routes on too."""
    around = middleware(_parts(), "'self'", passwords, **more)
    return App.create_app(Page(_parts()).blocks, app_kwargs={"middleware": around}, mcp_server=True)


@pytest.fixture(scope="module")
def app() -> Any:
    return _app(Passwords(PASSWORD))


@pytest.fixture
def client(app: Any) -> TestClient:
    # Each test comes from an address of its own, so that none is locked out by another.
    number = _app_addresses.pop()
    return TestClient(app, client=(f"192.0.2.{number}", 1234), follow_redirects=False)


_app_addresses = list(range(1, 255))


def _routes(routes: Any, prefix: str = "") -> Iterator[tuple[str, set[str]]]:
    for route in routes:
        path = prefix + str(getattr(route, "path", ""))
        if isinstance(route, Mount):
            yield path + "/", {"GET", "POST"}
            yield from _routes(route.routes or [], path)
        elif hasattr(route, "original_router"):  # FastAPI keeps what is included as one route
            yield from _routes(route.original_router.routes, prefix + route.include_context.prefix)
        else:
            yield path, set(getattr(route, "methods", None) or {"GET"})


def test_every_route_asks_for_the_login(app: Any, client: TestClient) -> None:
    seen = 0
    session = "0" * 32
    ours = ["/session/" + session + name for name in ("/state.json", "/report.html", "/session.json")]
    ours += ["/gradio_api/mcp/", "/gradio_api/mcp/sse", "/gradio_api/mcp/http/"]  # mounted where that package is there
    routes = [*_routes(app.routes), *((path, {"GET", "POST"}) for path in ours), ("/no/such/path", {"GET", "POST"})]
    for path, methods in routes:
        filled = path.replace("{", "").replace("}", "").replace(":path", "")
        if filled in OPEN:
            continue
        for method in methods:
            answer = client.request(method, filled)
            assert answer.status_code == 401, f"{method} {filled}: {answer.status_code}"
            seen += 1
    assert seen > 60, "the routes of Gradio, its API and MCP were found"
    with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect("/any"):
        pass
    assert refused.value.code == 1008


def test_what_is_open_tells_nothing(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok", "login": "needed for more"}
    assert client.get("/viva/icon.svg").status_code == 200
    answer = client.get("/", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    page = client.get("/login")
    assert page.status_code == 200
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]


def test_the_password_opens_it_for_the_page_and_for_programs(client: TestClient) -> None:
    for header in (f"Bearer {PASSWORD}", "Basic " + base64.b64encode(f"me:{PASSWORD}".encode()).decode()):
        assert client.get("/config", headers={"Authorization": header}).status_code == 200
    answer = client.post("/login", data={"password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    for word in (COOKIE, "HttpOnly", "SameSite=Lax", "Max-Age"):
        assert word in cookie
    assert PASSWORD not in cookie
    assert client.get("/config").status_code == 200
    client.get("/logout")
    assert client.get("/config").status_code == 401


def test_wrong_passwords_lock_the_address_out_and_no_other(app: Any, client: TestClient) -> None:
    for _ in range(5):
        assert client.post("/login", data={"password": "guess"}).status_code == 401
    for attempt in (
        client.post("/login", data={"password": PASSWORD}),
        client.get("/config", headers={"Authorization": f"Bearer {PASSWORD}"}),
    ):
        assert attempt.status_code == 429, "also the right one, now"
    other = TestClient(app, client=("198.51.100.9", 1), follow_redirects=False)
    assert other.post("/login", data={"password": PASSWORD}).status_code == 303


def test_guessing_by_header_locks_out_too(client: TestClient) -> None:
    for _ in range(5):
        assert client.get("/config", headers={"Authorization": "Bearer guess"}).status_code == 401
    assert client.get("/config", headers={"Authorization": f"Bearer {PASSWORD}"}).status_code == 429


def test_another_site_cannot_post_the_form(client: TestClient) -> None:
    answer = client.post("/login", data={"password": PASSWORD}, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


def test_users_of_a_file(tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "user_line.py"), "ada"],
        input="engine 1843\n", capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    file = tmp_path / "users"
    file.write_text(f"# who may come in\n{made}")
    passwords = Passwords(users=read_users(file))
    assert passwords.right("ada", "engine 1843")
    for name, password in (("ada", "engine"), ("bob", "engine 1843"), ("", "engine 1843"), ("ada", ""), ("bob", "")):
        assert not passwords.right(name, password), (name, password)
    for bad in ("ada:engine 1843\n", "ada:scrypt:zz:zz\n", "\n# nobody\n"):
        file.write_text(bad)
        with pytest.raises(UserError, match="users file"):
            read_users(file)
    assert hashed("same") != hashed("same"), "salted"


def test_too_much_and_too_often_is_refused() -> None:
    app = _app(None)
    client = TestClient(app, client=("192.0.2.200", 1))
    assert client.post("/gradio_api/upload", content=b"x", headers={"Content-Length": str(9 << 20)}).status_code == 413
    codes = [client.post("/gradio_api/queue/join", json={}).status_code for _ in range(310)]
    assert codes[-1] == 429
    assert 429 not in codes[:250]
    assert client.get("/healthz").status_code == 200, "looking does not count"
    assert TestClient(app, client=("192.0.2.201", 1)).post("/gradio_api/queue/join", json={}).status_code != 429


def test_behind_a_proxy_only_the_address_that_it_added_counts() -> None:
    app = _app(Passwords(PASSWORD), behind_proxy=True)
    client = TestClient(app, client=("10.0.0.1", 1), follow_redirects=False)
    for number in range(5):
        forwarded = {"X-Forwarded-For": f"203.0.113.{number}, 198.51.100.7"}
        client.post("/login", data={"password": "guess"}, headers=forwarded)
    right = {"password": PASSWORD}
    assert client.post("/login", data=right, headers={"X-Forwarded-For": "1.1.1.1, 198.51.100.7"}).status_code == 429
    assert client.post("/login", data=right, headers={"X-Forwarded-For": "198.51.100.8"}).status_code == 303
