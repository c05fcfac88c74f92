"""The part of the page that is plain HTTP: what stands around Gradio's app, /healthz, fonts, and downloads.

It is ASGI middleware, so that the app is still launched by Gradio itself. Nothing is served from a folder: /viva/ knows
a fixed list of files, and /session/ builds what it sends from the stored session whose secret id is in the path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from domain import Phase, ReportFile, UserError
from ui.endpoints import NAMES
from ui.login import Login, Passwords
from ui.parts import Parts
from ui.rates import Limits
from ui.speech_http import routes
from ui.theme import files

_STATE = re.compile(r"/session/([0-9a-f]{32})/state\.json")
_DOWNLOAD = re.compile(r"/session/([0-9a-f]{32})/(report\.[a-z]{2,8}|session\.json)")
# Gradio's ways to call a handler by its name; the page itself calls them by number, through the queue.
_BY_NAME = tuple(f"{prefix}/{way}/" for prefix in ("", "/gradio_api") for way in ("call", "run", "api"))
_NAMED = re.compile(rf"(?:/gradio_api)?/call/(?:v2/)?(?:{'|'.join(NAMES)})(?:/[0-9a-f]{{32}})?")
_EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), payment=(), usb=()",
}


def content_security_policy(frame_ancestors: str) -> str:
    """The policy of the page: its own origin and nothing else. Gradio's page needs inline scripts, and eval for the
    functions that components run in the browser."""
    return "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "media-src 'self' blob:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "frame-src 'self'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            f"frame-ancestors {frame_ancestors}",
        )
    )


def health(parts: Parts) -> dict[str, Any]:
    """What /healthz tells: nothing about any session."""
    facts, state = parts.facts(), parts.loading.state()
    sandbox = facts.sandbox
    return {
        "status": "degraded" if state.failed else "loading" if state.waiting else "ok",
        "loaded": list(state.done),
        "loading": list(state.waiting),
        "failed": [{"what": name, "why": reason} for name, reason in state.failed],
        "judge": facts.judge,
        "sandbox": None if sandbox is None else {"level": sandbox.level, "sentence": sandbox.sentence},
        "questions": facts.questions,
    }


class Headers:
    """ASGI middleware: the security headers, on every answer. `frame_ancestors` says who may embed the page, in CSP
    syntax."""

    def __init__(self, app: ASGIApp, frame_ancestors: str) -> None:
        self._app = app
        self._headers = {**_EVERYWHERE, "Content-Security-Policy": content_security_policy(frame_ancestors)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and put the headers on the answer."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
            await send(message)

        await self._app(scope, receive, sending if scope["type"] == "http" else send)


class Front:
    """ASGI middleware: answers what is ours, and passes on the rest."""

    def __init__(self, app: ASGIApp, parts: Parts) -> None:
        self._app = app
        self._parts = parts
        self._speech = routes(parts) if parts.speech else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on."""
        if self._speech is not None and scope["type"] == "http" and str(scope["path"]).startswith("/speech/"):
            await self._speech(scope, receive, send)
            return
        found = self._find(str(scope["path"])) if scope["type"] == "http" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        response = await run_in_threadpool(found)
        await response(scope, receive, send)

    def _find(self, path: str) -> Callable[[], Response] | None:
        if path == "/healthz":
            return lambda: _json(health(self._parts))
        if path.startswith(_BY_NAME) and not _NAMED.fullmatch(path):
            return lambda: Response("There is no such endpoint.", status_code=404, media_type="text/plain")
        if path.startswith("/viva/"):
            return lambda: _file(path.removeprefix("/viva/"))
        if state := _STATE.fullmatch(path):
            return lambda: self._state(state[1])
        if path.startswith("/session/"):
            return lambda: self._download(path)
        return None

    def _state(self, session_id: str) -> Response:
        """Where an interview stands, for a page that looks whether it is still up to date. Nothing of its content."""
        try:
            service = self._parts.service()
            session = service.session(session_id)
        except UserError as error:
            return Response(str(error), status_code=404, media_type="text/plain", headers={"Cache-Control": "no-store"})
        waits = service.waiting(session_id)
        plan, score = session.plan, session.overall
        return _json(
            {
                "turns": len(session.turns),
                "phase": session.phase.value,
                "plan": " · ".join(
                    (plan.framework.value, plan.level.value if plan.level else "any level", *plan.topics)
                ),
                "mode": plan.mode.value,
                "asked": len(session.results),
                "of": plan.questions,
                "created": session.created_at,
                "ended": session.ended_at,
                "score": score.value if score is not None and session.phase is Phase.ENDED else None,
                "waits": None if waits is None else {"seconds": waits[0], "ahead": waits[1]},
            }
        )

    def _download(self, path: str) -> Response:
        wanted = _DOWNLOAD.fullmatch(path)
        if wanted is None:
            return Response("There is no such file.", status_code=404, media_type="text/plain")
        session_id, name = wanted.groups()
        try:
            service = self._parts.service()
            if name == "session.json":
                file = ReportFile(name, "application/json", service.export(session_id))
            else:
                make = self._parts.reports.get(name.rpartition(".")[2])
                if make is None:
                    return Response("There is no report in that format.", status_code=404, media_type="text/plain")
                file = make(service.session(session_id))
        except UserError as error:
            return Response(str(error), status_code=404, media_type="text/plain")
        headers = {"Content-Disposition": f'attachment; filename="viva-{name}"', "Cache-Control": "no-store"}
        return Response(file.content, media_type=file.media_type, headers=headers)


def _json(value: dict[str, Any]) -> Response:
    return Response(json.dumps(value, indent=1), media_type="application/json", headers={"Cache-Control": "no-store"})


def _file(name: str) -> Response:
    found = files().get(name)
    if found is None:
        return Response("There is no such file.", status_code=404, media_type="text/plain")
    return Response(found[1], media_type=found[0], headers={"Cache-Control": "public, max-age=604800"})


def middleware(
    parts: Parts, frame_ancestors: str, passwords: Passwords | None = None, behind_proxy: bool = False
) -> list[Middleware]:
    """Everything around Gradio's app, outermost first."""
    embedded = frame_ancestors.strip() not in ("'self'", "'none'")
    return [
        Middleware(Headers, frame_ancestors=frame_ancestors),
        Middleware(Limits, behind_proxy=behind_proxy),
        Middleware(Login, passwords=passwords, behind_proxy=behind_proxy, embedded=embedded),
        Middleware(Front, parts=parts),
    ]
