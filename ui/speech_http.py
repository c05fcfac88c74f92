"""The page's speech over plain HTTP: a recording goes up in pieces while somebody speaks, a voice comes down sentence
by sentence.

Everything is under the secret id of an interview. Pieces are 16-bit PCM, mono, as the page's worklet makes them; only
the interviewer's own stored lines can be made to sound, so this is no service that reads anybody's texts.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, Router

from domain import Session, Transcript, UserError
from speech.delivery import advice
from ui.parts import Parts
from ui.rates import LARGEST_RECORDING
from ui.speech import Speech

log = logging.getLogger("viva")
LARGEST_PIECE = 4 << 20  # bytes: 20 s at 96 kHz
FAULT = "Something went wrong on our side, and the log tells more. Try again, or type your answer; it is still there."
TOO_LARGE = f"That file is larger than {LARGEST_RECORDING >> 20} MB. Record the answer in shorter parts, or type it."
_SESSION = re.compile(r"[0-9a-f]{32}")
_NEVER_KEPT = {"Cache-Control": "no-store"}

Handler = Callable[[Request], Awaitable[Response]]


class TooLargeError(Exception):
    """More was sent than is taken."""


def routes(parts: Parts) -> Router:
    """The ASGI app under /speech/. `parts.speech` must be there."""
    own = _Routes(parts)
    recording = "/speech/{session}/recordings/{name}"
    return Router(
        [
            Route("/speech/status", own.guarded(own.status)),
            Route("/speech/warm/{part}", own.guarded(own.warm), methods=["POST"]),
            Route("/speech/{session}/recordings", own.guarded(own.begin), methods=["POST"]),
            Route(recording, own.guarded(own.feed), methods=["POST"]),
            Route(recording, own.guarded(own.cancel), methods=["DELETE"]),
            Route(f"{recording}/finish", own.guarded(own.finish), methods=["POST"]),
            Route("/speech/{session}/file", own.guarded(own.file), methods=["POST"]),
            Route("/speech/{session}/lines", own.guarded(own.lines)),
        ]
    )


class _Routes:
    def __init__(self, parts: Parts) -> None:
        assert parts.speech is not None
        self._parts = parts
        self._speech: Speech = parts.speech

    def guarded(self, handler: Handler) -> Handler:
        """Errors as JSON that the page shows."""

        async def run(request: Request) -> Response:
            try:
                return await handler(request)
            except UserError as error:
                return _error(str(error), 400)
            except LookupError as error:
                return _error(str(error), 404)
            except TooLargeError as error:
                return _error(str(error), 413)
            except ClientDisconnect:
                return Response(status_code=400)
            except Exception:
                log.exception("speech failed")
                return _error(FAULT, 500)

        return run

    async def status(self, _: Request) -> Response:
        """What can be heard and said here."""
        return _json(await run_in_threadpool(self._speech.status))

    async def warm(self, request: Request) -> Response:
        """Begin to load."""
        self._speech.warm(str(request.path_params["part"]))
        return Response(status_code=204)

    async def begin(self, request: Request) -> Response:
        """A new recording."""
        session = await self._session(request)
        name = await run_in_threadpool(self._speech.begin, session, request.query_params.get("agreed", ""))
        return _json({"recording": name})

    async def feed(self, request: Request) -> Response:
        """A piece of a recording: what is recognised so far."""
        import numpy as np

        body = await _body(request, LARGEST_PIECE)
        rate = request.query_params.get("rate", "")
        if not rate.isdecimal() or len(body) % 2:
            raise UserError("That is no piece of a recording.")
        samples = np.frombuffer(body, "<i2")
        session, name = _names(request)
        transcript, silence = await run_in_threadpool(self._speech.feed, session, name, samples, int(rate[:9]))
        return _json({"text": transcript.text, "silence": round(silence, 2)})

    async def finish(self, request: Request) -> Response:
        """The recording is over: its transcript."""
        name, transcript = await run_in_threadpool(self._speech.finish, *_names(request))
        return _json(_told(name, transcript))

    async def cancel(self, request: Request) -> Response:
        """Forget a recording."""
        await run_in_threadpool(self._speech.cancel, *_names(request))
        return Response(status_code=204)

    async def file(self, request: Request) -> Response:
        """A recording in a file: transcripts, one JSON object a line. The file is deleted when they end."""
        session = await self._session(request)
        folder = tempfile.TemporaryDirectory(prefix="viva-recording-")
        path = Path(folder.name) / "recording"
        try:
            size = 0
            with path.open("wb") as out:
                async for piece in request.stream():
                    size += len(piece)
                    if size > LARGEST_RECORDING:
                        raise TooLargeError(TOO_LARGE)
                    out.write(piece)
        except BaseException:
            folder.cleanup()
            raise

        def found() -> Iterator[dict[str, object]]:
            with folder:
                for name, transcript in self._speech.file(session, path, request.query_params.get("agreed", "")):
                    yield _told(name, transcript)

        return _stream(found)

    async def lines(self, request: Request) -> Response:
        """The interviewer's lines to be heard, one sentence a line of JSON."""
        session = await self._session(request)
        start = request.query_params.get("from", "")
        first = int(start) if re.fullmatch(r"-?\d{1,6}", start) else -1

        def found() -> Iterator[dict[str, object]]:
            for turn, sentence in self._speech.lines(session.turns, first):
                if isinstance(sentence, str):
                    yield {"turn": turn, "text": sentence}
                else:
                    yield {"turn": turn, "wav": base64.b64encode(sentence).decode()}
            yield {"until": len(session.turns)}

        return _stream(found)

    async def _session(self, request: Request) -> Session:
        session, _ = _names(request)
        return await run_in_threadpool(lambda: self._parts.service().session(session))


def _names(request: Request) -> tuple[str, str]:
    session = str(request.path_params["session"])
    if not _SESSION.fullmatch(session):
        raise LookupError("There is no interview under this link.")
    return session, str(request.path_params.get("name", ""))


async def _body(request: Request, most: int) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise TooLargeError("That piece of a recording is too large.")
    return bytes(body)


def _told(name: str, transcript: Transcript) -> dict[str, object]:
    delivery = transcript.delivery
    return {
        "id": name,
        "text": transcript.text,
        "final": transcript.final,
        "doubtful": transcript.doubtful,
        "corrections": [[item.heard, item.start, item.end] for item in transcript.corrections],
        "seconds": delivery.seconds if delivery else None,
        "advice": advice(delivery) if delivery else "",
    }


def _stream(found: Callable[[], Iterator[dict[str, object]]]) -> Response:
    """One JSON object a line, as soon as each is there. What goes wrong on the way is the last line."""

    def rows() -> Iterator[str]:
        try:
            for item in found():
                yield json.dumps(item) + "\n"
        except UserError as error:
            yield json.dumps({"error": str(error)}) + "\n"
        except Exception:
            log.exception("speech failed")
            yield json.dumps({"error": FAULT}) + "\n"

    return StreamingResponse(rows(), media_type="application/x-ndjson", headers=_NEVER_KEPT)


def _json(value: Any) -> Response:
    return JSONResponse(value, headers=_NEVER_KEPT)


def _error(message: str, status: int) -> Response:
    return JSONResponse({"error": message}, status, headers=_NEVER_KEPT)
