"""Speaking and listening, as the page uses them: recordings under way, transcripts that were given, models loaded late.

Nothing is loaded before somebody touches the microphone or switches the voice on. Audio is held only while it is being
recognised. Transcripts are remembered here until they are sent, so that no browser decides which of its words were
misheard.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from domain import (
    Answer,
    Dictation,
    Question,
    Recogniser,
    Session,
    Speaker,
    Transcript,
    Turn,
    TurnKind,
    UserError,
    Voice,
)
from speech.sent import answer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

log = logging.getLogger("viva")
MOST_RECORDINGS = 12  # at once, in all interviews
PATIENCE = 12.0  # seconds that the end of the process waits for a model at work
IDLE = 90.0  # seconds without a piece of audio after which a recording is given up
_SESSIONS_REMEMBERED, _TRANSCRIPTS_REMEMBERED = 400, 60
GONE = "This recording is not known to the server any more."
BUSY = "Too many people are speaking to this server just now. Try again in a moment, or type your answer."
AGREE = "Say first whether your recording may be sent to {}."


@dataclass
class _Recording:
    session_id: str
    dictation: Dictation
    used: float


class Speech:
    """Listens and speaks for all interviews. Safe to use from many threads.

    `recogniser` or `voice` is None where the settings say so, and `off` tells why. With `browser_voice` the lines go
    to the browser as text, and it reads them with a voice of its own. `terms` gives the words that an answer to a
    question is likely to bring, `split` a Markdown text as sentences to be said.
    """

    def __init__(
        self,
        recogniser: Recogniser | None,
        voice: Voice | None,
        *,
        browser_voice: bool = False,
        off: tuple[str, str] = ("", ""),
        terms: Callable[[Question], Sequence[str]],
        split: Callable[[str], Sequence[str]],
    ) -> None:
        self._recogniser, self._voice = recogniser, voice
        self._browser_voice, self._off = browser_voice, off
        self._terms, self._split = terms, split
        self._lock = threading.Lock()
        self._recordings: dict[str, _Recording] = {}
        self._given: OrderedDict[str, OrderedDict[str, Transcript]] = OrderedDict()
        self._warmed: dict[str, threading.Thread] = {}

    # ------------------------------------------------------------------------------------- what is on

    def listening_off(self) -> str:
        """Why nothing can be recognised and what would switch it on, or ""."""
        return self._recogniser.unavailable() if self._recogniser else self._off[0]

    def speaking_off(self) -> str:
        """Why nothing is read aloud and what would switch it on, or ""."""
        if self._browser_voice:
            return ""
        return self._voice.unavailable() if self._voice else self._off[1]

    @property
    def sends_to(self) -> str:
        """The host that recordings are sent to, or ""."""
        return self._recogniser.sends_to if self._recogniser else ""

    def status(self) -> dict[str, object]:
        """What the page's script has to know."""
        return {
            "listening": {"off": self.listening_off(), "sends_to": self.sends_to},
            "speaking": {"off": self.speaking_off(), "browser": self._browser_voice},
        }

    def about(self) -> str:
        """In plain words: who listens, who speaks, and what happens to a recording."""
        if self._recogniser is None or (off := self.listening_off()):
            listens = f"Recording is off. {off if self._recogniser else self._off[0]}"
        else:
            where = f" Recordings are sent to {self.sends_to}, once you agree." if self.sends_to else ""
            listens = (
                f"Your words are recognised by {self._recogniser.name}.{where} You see the text, and may correct it, "
                "before it is sent; the audio is dropped once it is written down. Words that may have been misheard "
                "are never held against you."
            )
        off = self.speaking_off()
        voice = "your browser's own voice" if self._browser_voice else self._voice.name if self._voice else ""
        speaks = (
            f"Reading aloud is off. {off}" if off else f"Questions are read aloud by {voice}, once you switch it on."
        )
        return f"{listens} {speaks}"

    def warm(self, part: str) -> None:
        """Begin to load the model that listens ("listen") or speaks ("speak"), in the background, once."""
        model = {"listen": self._recogniser, "speak": self._voice}.get(part)
        with self._lock:
            if model is None or part in self._warmed:
                return

            def load() -> None:
                try:
                    model.load()
                except UserError as error:
                    log.warning("speech: %s", error)
                except Exception:
                    log.exception("loading what should %s failed", part)

            self._warmed[part] = threading.Thread(target=load, name=f"viva-{part}", daemon=True)
            self._warmed[part].start()

    def close(self) -> None:
        """Give up what is under way. A model at work when the interpreter ends would bring the process down, so this
        waits a little for it."""
        with self._lock:
            recordings, self._recordings = list(self._recordings.values()), {}
            loading = list(self._warmed.values())
        for recording in recordings:
            recording.dictation.cancel()
        until = time.monotonic() + PATIENCE
        for thread in loading:
            thread.join(max(0.0, until - time.monotonic()))
        if loading and self._recogniser is not None and not self.listening_off():
            # A recogniser takes one thing at a time, so once it answers it is at work no more.
            last = threading.Thread(target=self._recogniser.load, daemon=True)
            last.start()
            last.join(max(0.0, until - time.monotonic()))

    # ------------------------------------------------------------------------------------- listening

    def begin(self, session: Session, agreed: str = "") -> str:
        """Begin a recording on the session's question; its id. `agreed` is the host that the person lets it be sent
        to. One recording a session: an earlier one is given up. Raises UserError where nothing can be recognised."""
        recogniser = self._listener(agreed)
        with self._lock:
            for name, old in list(self._recordings.items()):
                if old.session_id == session.id or time.monotonic() - old.used > IDLE:
                    self._recordings.pop(name).dictation.cancel()
            if len(self._recordings) >= MOST_RECORDINGS:
                raise UserError(BUSY)
            name = secrets.token_hex(8)
            self._recordings[name] = _Recording(session.id, recogniser.listen(self._likely(session)), time.monotonic())
        return name

    def feed(self, session_id: str, name: str, samples: npt.NDArray[np.generic], rate: int) -> tuple[Transcript, float]:
        """Take a piece of a recording; what is recognised so far, and seconds since a voice was heard."""
        dictation = self._recording(session_id, name).dictation
        return dictation.feed(samples, rate), dictation.silence

    def finish(self, session_id: str, name: str) -> tuple[str, Transcript]:
        """The transcript of a recording that is over, and the id under which it is remembered."""
        recording = self._recording(session_id, name)
        try:
            transcript = recording.dictation.finish()
        finally:
            with self._lock:
                self._recordings.pop(name, None)
        return self._remember(session_id, transcript), transcript

    def cancel(self, session_id: str, name: str) -> None:
        """Forget a recording, if it is there."""
        with self._lock:
            found = self._recordings.get(name)
            if found is None or found.session_id != session_id:
                return
            del self._recordings[name]
        found.dictation.cancel()

    def file(self, session: Session, path: Path, agreed: str = "") -> Iterator[tuple[str, Transcript]]:
        """Partial transcripts of a recording in a file, each with the id "", and last the final one with its id."""
        for transcript in self._listener(agreed).transcribe(path, self._likely(session)):
            yield self._remember(session.id, transcript) if transcript.final else "", transcript

    def sent(self, session_id: str, text: str, names: Sequence[str]) -> Answer:
        """The answer that was sent, with what is known of how these transcripts went into it."""
        with self._lock:
            given = self._given.get(session_id) or OrderedDict()
            found = [given[name] for name in dict.fromkeys(names) if name in given]
        return answer(text, found)

    def _listener(self, agreed: str) -> Recogniser:
        if self._recogniser is None or self.listening_off():
            raise UserError(self.listening_off())
        if self.sends_to and agreed != self.sends_to:
            raise UserError(AGREE.format(self.sends_to))
        return self._recogniser

    def _likely(self, session: Session) -> Sequence[str]:
        return self._terms(session.current.question) if session.current else ()

    def _recording(self, session_id: str, name: str) -> _Recording:
        with self._lock:
            found = self._recordings.get(name)
            if found is None or found.session_id != session_id:
                raise LookupError(GONE)
            found.used = time.monotonic()
            return found

    def _remember(self, session_id: str, transcript: Transcript) -> str:
        if not transcript.text:
            return ""
        name = secrets.token_hex(8)
        with self._lock:
            given = self._given.setdefault(session_id, OrderedDict())
            self._given.move_to_end(session_id)
            given[name] = transcript
            while len(given) > _TRANSCRIPTS_REMEMBERED:
                given.popitem(last=False)
            while len(self._given) > _SESSIONS_REMEMBERED:
                self._given.popitem(last=False)
        return name

    # ------------------------------------------------------------------------------------- speaking

    def lines(self, turns: Sequence[Turn], start: int) -> Iterator[tuple[int, str | bytes]]:
        """What the interviewer said from turn `start` on, to be heard: pairs of turn id and a sentence, as a WAV file
        or, for the browser's own voice, as words. A negative `start` means: since the candidate's last words."""
        if off := self.speaking_off():
            raise UserError(off)
        if start < 0:
            start = max((turn.id + 1 for turn in turns if turn.speaker is Speaker.CANDIDATE), default=0)
        for turn in turns[start:]:
            greets = turn.kind is TurnKind.GREETING and len(turns) > turn.id + 1  # it asks for what is settled by now
            if turn.speaker is Speaker.INTERVIEWER and not greets:
                said: Iterator[str | bytes]
                said = iter(self._split(turn.text)) if self._voice is None else iter(self._voice.say(turn.text))
                for sentence in said:
                    yield turn.id, sentence
