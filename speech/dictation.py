"""Recognising a recording while it is being made, so that a long answer is nearly there when the person stops.

Pieces are fed as they come from the microphone and only added up; a thread of its own looks for a pause and recognises
what came before it. A pause never ends the recording: it is only a good place to cut. At the end just the rest since
the last cut has to be recognised.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

from domain import Transcript, UserError
from speech.audio import EMPTY, LONGEST, RATE, SILENT, TOO_LONG, Resampler
from speech.hearing import Hearing
from speech.stretches import Stretch, stretches, voiced
from speech.words import Engine

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_LEAST = 6.0  # seconds of new audio before it is worth recognising: each try costs as much as 30 s do
_SETTLED = 0.6  # seconds of silence that make a pause
_ABANDONED = 120.0  # seconds without a new piece after which nothing is looked at any more
_MOST = 24.0  # seconds of new audio that are recognised also without a pause


_running: weakref.WeakSet[LiveDictation] = weakref.WeakSet()


@atexit.register
def _stop() -> None:
    """End what is still listening: a model must not be at work when the interpreter goes."""
    for dictation in list(_running):
        dictation.cancel()
        dictation.join()


class LiveDictation:
    """Implements domain.Dictation. `feed` and `finish` are called by one thread at a time."""

    def __init__(self, engine: Engine, terms: Sequence[str] = ()) -> None:
        import numpy as np

        self._hearing = Hearing(engine, terms)
        self._resampler = Resampler()
        self._samples = np.zeros(0, np.float32)  # everything so far
        self._settled = 0  # samples up to here were recognised
        self._voiced: list[Stretch] = []  # of what was recognised
        self._heard_until = 0  # where a voice was last heard, in samples
        self._partial = Transcript("", engine=engine.name, final=False)
        self._failure: Exception | None = None
        self._over = False
        self._changed = threading.Condition()
        self._worker = threading.Thread(target=self._work, name="dictation", daemon=True)
        _running.add(self)
        self._worker.start()

    def feed(self, samples: npt.NDArray[np.generic], rate: int) -> Transcript:
        """Take the next piece of the recording and return what is recognised so far, at once.

        Raises UserError where the recording gets too long (what was said so far can still be finished) or the engine
        failed.
        """
        import numpy as np

        piece = self._resampler.feed(samples, rate)
        with self._changed:
            if self._failure:
                raise self._failure
            if len(self._samples) + len(piece) > LONGEST * RATE:
                raise UserError(TOO_LONG)
            self._samples = np.concatenate([self._samples, piece])
            self._changed.notify_all()
            return self._partial

    @property
    def silence(self) -> float:
        """Seconds since a voice was last heard, or since the beginning, as far as the recording was looked at."""
        with self._changed:
            return (len(self._samples) - self._heard_until) / RATE

    def finish(self) -> Transcript:
        """The final transcript. Waits for what is still to be recognised; it is "" where nobody spoke.

        Raises UserError where the recording is empty or the engine failed.
        """
        import numpy as np

        with self._changed:
            self._over = True
            self._changed.notify_all()
        self._worker.join()
        if self._failure:
            raise self._failure
        samples = np.concatenate([self._samples, self._resampler.rest()])
        if not samples.size or float(np.abs(samples).max()) < SILENT:
            raise UserError(EMPTY)
        self._recognise(samples[self._settled :], self._settled)
        return self._hearing.transcript(self._voiced, len(samples))

    def cancel(self) -> None:
        """Stop and forget the recording."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def join(self) -> None:
        """Wait until nothing is being recognised any more, after `cancel`."""
        self._worker.join()

    def _work(self) -> None:
        """Recognise what lies before a pause, as often as there is one, until the recording is over."""
        looked = 0
        try:
            while True:
                with self._changed:
                    while not self._over and len(self._samples) - looked < RATE:
                        if not self._changed.wait(_ABANDONED):
                            return  # the page was closed; `finish` would still recognise the rest
                    if self._over:
                        return
                    looked = len(self._samples)
                    new = self._samples[self._settled :]
                self._look(new)
        except Exception as error:  # noqa: BLE001 - told to whoever feeds or finishes
            with self._changed:
                self._failure = error

    def _look(self, new: npt.NDArray[np.float32]) -> None:
        """Look at what was not recognised yet, and recognise it up to a pause where there is one."""
        parts = voiced(new)
        if parts:
            self._heard_until = self._settled + parts[-1].end
        cut = _cut(parts, new)
        if not cut:
            return
        self._recognise(new[:cut], self._settled)
        with self._changed:
            self._settled += cut
            self._partial = self._hearing.transcript(final=False)

    def _recognise(self, samples: npt.NDArray[np.float32], offset: int) -> None:
        parts = voiced(samples)
        for stretch in stretches(parts, len(samples)):
            self._hearing.hear(samples, stretch, offset)
        self._voiced += [Stretch(part.start + offset, part.end + offset) for part in parts]


def _cut(parts: Sequence[Stretch], new: npt.NDArray[np.float32]) -> int:
    """Where to cut new samples with these voiced parts: in the middle of the last pause, or 0 for not yet."""
    size = len(new)
    if not parts:
        return size - RATE if size > _LEAST * RATE else 0  # silence is passed over, but for a word that begins now
    starts = [*(part.start for part in parts[1:]), size]
    pauses = [(one.end, start) for one, start in zip(parts, starts, strict=True) if start - one.end >= _SETTLED * RATE]
    end, start = pauses[-1] if pauses else (0, 0)
    if end >= _LEAST * RATE:
        return min((end + start) // 2, end + RATE)
    return _quietest(new) if size >= _MOST * RATE else 0


def _quietest(new: npt.NDArray[np.float32]) -> int:
    """The quietest fifth of a second of the last 8 s: where to cut when nobody pauses."""
    import numpy as np

    frame = RATE // 50
    first = len(new) - 8 * RATE
    tail = new[first : first + 7 * RATE]
    power = (tail[: len(tail) // frame * frame].reshape(-1, frame) ** 2).mean(axis=1)
    smooth = np.convolve(power, np.ones(10), mode="valid")
    return first + int(smooth.argmin() + 5) * frame
