"""An optional login in front of every route: one password for all, or a file of users.

ASGI middleware around everything else, the API and MCP routes included. What is open without a login is the login page
itself, the page's fonts, /healthz (which then says only that the server is up), and the route by which Gradio starts
its own queue. Programs send the password as `Authorization: Bearer PASSWORD`, or `Basic` with a name.

Wrong passwords lock an address out for a while, and a name too, so that one account cannot be tried from many
addresses. Logins are kept in memory: a restart ends them.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from domain import UserError
from ui.rates import Rates, client_of
from ui.text import html

_PAGE = Path(__file__).resolve().parent / "assets" / "login.html"
COOKIE = "viva-login"
KEPT = 12 * 3600  # seconds that a login lasts
MOST_LOGINS = 10_000
OPEN = frozenset({"/login", "/logout", "/gradio_api/startup-events"})
_SCRYPT = {"n": 2**14, "r": 8, "p": 1}
_LOCKED = "Too many wrong passwords. Try again in 15 minutes."
_WRONG = "That is not right. Check the name and the password."


def hashed(password: str, salt: bytes | None = None) -> str:
    """The password as a users file holds it: scrypt:SALT:HASH, both hexadecimal."""
    salt = salt or secrets.token_bytes(16)
    return f"scrypt:{salt.hex()}:{hashlib.scrypt(password.encode(), salt=salt, **_SCRYPT).hex()}"


def read_users(path: Path) -> dict[str, str]:
    """A users file: a line for each, NAME:scrypt:SALT:HASH; # begins a comment. Raises UserError naming the line."""
    users: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The users file {path} cannot be read: {error}.") from None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, _, kept = line.strip().partition(":")
        kind, _, rest = kept.partition(":")
        salt, _, digest = rest.partition(":")
        try:
            fits = (
                kind == "scrypt" and bool(name) and len(bytes.fromhex(salt)) >= 8 and len(bytes.fromhex(digest)) == 64
            )
        except ValueError:
            fits = False
        if not fits:
            raise UserError(f"Line {number} of the users file {path} is not NAME:scrypt:SALT:HASH.")
        users[name] = kept
    if not users:
        raise UserError(f"The users file {path} names nobody, so nobody could log in.")
    return users


class Passwords:
    """Who may come in: whoever knows the one password, or is in the file with theirs."""

    def __init__(self, password: str = "", users: Mapping[str, str] | None = None) -> None:
        self._users = dict(users or {})
        self._password = hashed(password) if password else ""
        self._known: set[bytes] = set()  # digests of what was right already, since scrypt is slow on purpose
        self._key = secrets.token_bytes(32)

    @property
    def named(self) -> bool:
        """Whether a name is asked for."""
        return bool(self._users)

    def right(self, name: str, password: str) -> bool:
        """Whether they may come in. An unknown name takes as long as a known one."""
        seen = hmac.digest(self._key, f"{name}\0{password}".encode(), "sha256")
        if seen in self._known:
            return True
        kept = [self._password] if self._password else []
        kept.append(self._users.get(name, hashed("", b"\0" * 16) if self._users else ""))
        found = [hmac.compare_digest(hashed(password, bytes.fromhex(one.split(":")[1])), one) for one in kept if one]
        right = bool(password) and any(found)
        if right and len(self._known) < MOST_LOGINS:
            self._known.add(seen)
        return right


class Login:
    """The middleware. Without passwords it lets everybody through."""

    def __init__(
        self,
        app: ASGIApp,
        passwords: Passwords | None = None,
        behind_proxy: bool = False,
        embedded: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app, self._passwords, self._behind_proxy, self._embedded = app, passwords, behind_proxy, embedded
        self._clock = clock
        self._lock = threading.Lock()
        self._logins: dict[str, float] = {}
        self._failures = Rates(burst=5, per_second=1 / 900, clock=clock)
        self._locked: dict[str, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, ask for the password, or refuse."""
        if self._passwords is None or scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            if self._has_cookie(scope):
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
            return
        response = await self._answer(Request(scope, receive), str(scope["path"]))
        await (response or self._app)(scope, receive, send)

    async def _answer(self, request: Request, path: str) -> Response | None:
        """What to answer in place of the app, or None to let it through."""
        if path == "/login":
            return await self._login(request)
        if path == "/logout":
            return self._logout(request)
        if path in OPEN or path.startswith("/viva/") or self._has_cookie(request.scope):
            return None
        if path == "/healthz":
            return JSONResponse({"status": "ok", "login": "needed for more"}, headers={"Cache-Control": "no-store"})
        name, password = _authorization(request.headers.get("authorization", ""))
        client = client_of(request.scope, self._behind_proxy)
        if password:
            if self._is_locked(client, name):
                return Response(_LOCKED, 429, {"Retry-After": "900"}, "text/plain")
            if await self._right(client, name, password):
                return None
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            return RedirectResponse("/login", 303, {"Cache-Control": "no-store"})
        return Response("Log in first.", 401, {"WWW-Authenticate": 'Bearer realm="Viva"'}, "text/plain")

    async def _login(self, request: Request) -> Response:
        assert self._passwords is not None
        if request.method in ("GET", "HEAD"):
            return self._page("")
        origin = urlsplit(request.headers.get("origin", "")).netloc
        if request.method != "POST" or (origin and origin != request.headers.get("host", "")):
            return Response("Log in on the page itself.", 403, media_type="text/plain")
        client = client_of(request.scope, self._behind_proxy)
        try:
            sent = parse_qs((await _body(request)).decode("utf-8", "replace"))
        except ClientDisconnect:
            return Response(status_code=400)
        name, password = sent.get("name", [""])[0], sent.get("password", [""])[0]
        if self._is_locked(client, name):
            return self._page(_LOCKED, 429)
        if not await self._right(client, name, password):
            return self._page(_LOCKED if self._is_locked(client, name) else _WRONG, 401)
        token = secrets.token_urlsafe(32)
        with self._lock:
            now = self._clock()
            self._logins = {one: until for one, until in self._logins.items() if until > now}
            if len(self._logins) >= MOST_LOGINS:
                self._logins.pop(next(iter(self._logins)))
            self._logins[token] = now + KEPT
        response = RedirectResponse("/", 303, {"Cache-Control": "no-store"})
        secure = "https" in (request.url.scheme, request.headers.get("x-forwarded-proto", ""))
        # In a frame of another site only a cookie that is Secure, SameSite=None and Partitioned is sent at all.
        framed = "; SameSite=None; Partitioned" if secure and self._embedded else "; SameSite=Lax"
        cookie = f"{COOKIE}={token}; Path=/; HttpOnly; Max-Age={KEPT}{framed}{'; Secure' if secure else ''}"
        response.headers.append("set-cookie", cookie)
        return response

    def _logout(self, request: Request) -> Response:
        with self._lock:
            self._logins.pop(request.cookies.get(COOKIE, ""), None)
        response = RedirectResponse("/login", 303, {"Cache-Control": "no-store"})
        response.delete_cookie(COOKIE)
        return response

    def _has_cookie(self, scope: Scope) -> bool:
        cookies = Request({**scope, "type": "http"}).cookies
        with self._lock:
            return self._logins.get(cookies.get(COOKIE, ""), 0.0) > self._clock()

    async def _right(self, client: str, name: str, password: str) -> bool:
        assert self._passwords is not None
        if await run_in_threadpool(self._passwords.right, name, password[:1000]):
            return True
        for key in (f"client {client}", *([f"name {name}"] if self._passwords.named else [])):
            self._failures.allow(key)
            if not self._failures.has(key):
                with self._lock:
                    self._locked = {one: until for one, until in self._locked.items() if until > self._clock()}
                    self._locked[key] = self._clock() + 900
        return False

    def _is_locked(self, client: str, name: str) -> bool:
        with self._lock:
            return any(self._locked.get(key, 0.0) > self._clock() for key in (f"client {client}", f"name {name}"))

    def _page(self, told: str, status: int = 200) -> Response:
        assert self._passwords is not None
        name = (
            '<label>Name<input name="name" autocomplete="username" required></label>' if self._passwords.named else ""
        )
        said = f'<p role="alert">{html(told)}</p>' if told else ""
        page = _PAGE.read_text(encoding="utf-8").replace("{said}", said).replace("{name}", name)
        return HTMLResponse(page, status, {"Cache-Control": "no-store"})


async def _body(request: Request) -> bytes:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > 4000:
            return b""
    return body


def _authorization(header: str) -> tuple[str, str]:
    """(name, password) of an Authorization header; empty where there is none that can be read."""
    kind, _, value = header.partition(" ")
    if kind.lower() == "bearer":
        return "", value.strip()
    if kind.lower() == "basic":
        try:
            name, _, password = base64.b64decode(value.strip(), validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return "", ""
        return name, password
    return "", ""
