"""How often: token buckets, by client address and by session, with a bound on how many are remembered."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REMEMBERED = 10_000  # buckets; the one that was used longest ago goes first
LARGEST_BODY = 8 << 20  # bytes of one request; what may be uploaded is bounded further by Gradio and by each reader
LARGEST_RECORDING = 120 << 20  # bytes of a recording in a file
_SLOW_DOWN = "Too many requests from your address. Wait a few seconds, then go on; nothing was lost."
_TOO_LARGE = "That is too large. At most 6 MB can be uploaded."


@dataclass
class _Bucket:
    left: float
    at: float


class Rates:
    """A bucket for each key: `burst` at once, then `per_second`. Safe to use from many threads."""

    def __init__(self, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst, self._per_second, self._clock = burst, per_second, clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def allow(self, key: str) -> bool:
        """Take one from the key's bucket; whether there was one."""
        now = self._clock()
        with self._lock:
            bucket = self._buckets.pop(key, None) or _Bucket(self._burst, now)
            self._buckets[key] = bucket
            if len(self._buckets) > REMEMBERED:
                self._buckets.popitem(last=False)
            bucket.left = min(self._burst, bucket.left + (now - bucket.at) * self._per_second)
            bucket.at = now
            if bucket.left < 1:
                return False
            bucket.left -= 1
            return True

    def has(self, key: str) -> bool:
        """Whether there is one left, without taking it."""
        with self._lock:
            bucket = self._buckets.get(key)
            if bucket is None:
                return True
            return min(self._burst, bucket.left + (self._clock() - bucket.at) * self._per_second) >= 1


def client_of(scope: MutableMapping[str, object], behind_proxy: bool) -> str:
    """The address of whoever asks. Behind a proxy, the last one that it forwarded for: earlier ones can be made up."""
    if behind_proxy:
        headers = scope.get("headers")
        assert isinstance(headers, list | tuple)
        forwarded = [value.decode("latin-1") for name, value in headers if name == b"x-forwarded-for"]
        if forwarded and (last := forwarded[-1].rpartition(",")[2].strip()):
            return str(last)
    client = scope.get("client")
    return str(client[0]) if isinstance(client, list | tuple) else ""


class Limits:
    """ASGI middleware: how often an address may send something, and how much at once.

    Only requests that make the server work count: whatever is posted, reports, and searches; not the page's files.
    """

    def __init__(self, app: ASGIApp, behind_proxy: bool = False, rates: Rates | None = None) -> None:
        self._app, self._behind_proxy = app, behind_proxy
        self._rates = rates or Rates(burst=300, per_second=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse what is too much, and pass on the rest."""
        if scope["type"] != "http" or not self._counts(scope):
            await self._app(scope, receive, send)
            return
        if not self._rates.allow(client_of(scope, self._behind_proxy)):
            refusal = Response(_SLOW_DOWN, 429, {"Retry-After": "5"}, "text/plain")
            await refusal(scope, receive, send)
            return
        recording = str(scope["path"]).startswith("/speech/") and str(scope["path"]).endswith("/file")
        most = LARGEST_RECORDING if recording else LARGEST_BODY
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > most:
            await Response(_TOO_LARGE, 413, media_type="text/plain")(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            # Without a length that was told, the body is cut where it becomes too large, as if the client had gone.
            return message if received <= most else {"type": "http.disconnect"}

        await self._app(scope, counted, send)

    def _counts(self, scope: Scope) -> bool:
        return scope["method"] not in ("GET", "HEAD", "OPTIONS") or str(scope["path"]).startswith("/session/")
