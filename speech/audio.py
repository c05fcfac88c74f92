"""Recordings as browsers and phones make them, decoded to what a recogniser wants: 16 kHz, mono, float32.

PyAV brings its own decoders, so no ffmpeg is needed. A recording is hostile input: the container is recognised by its
first bytes and no other demuxer is tried (a playlist could name other files), it is read through an open file and not
a path, and decoding stops at the longest recording that is taken, whatever the header says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domain import UserError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RATE = 16_000  # samples a second, what Whisper was trained on
SHORTEST = 0.3  # seconds; less is a slip of the finger
LONGEST = 20 * 60.0  # seconds
SILENT = 1e-4  # peak of a recording that holds nothing but the noise of rounding; full scale is 1
_SAMPLES_A_BLOCK = 1 << 19
_RATES = (8_000, 192_000)

NOT_AUDIO = (
    "That file is not a recording that can be read. WebM, Ogg, WAV, MP3, M4A and FLAC can be; "
    "record again, or type the answer."
)
EMPTY = "The recording is empty: nothing came from the microphone. Check that it is not muted, and record again."
TOO_LONG = f"The recording is longer than {LONGEST / 60:.0f} minutes. Record the answer in shorter parts."
TOO_SHORT = "The recording is too short to hold a word. Record again, and stop when you have finished speaking."


def container(head: bytes) -> str:
    """The demuxer for a file that begins with these bytes (16 are enough), or "" where it is none of ours."""
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "matroska"  # WebM, of Chromium and Firefox
    if head.startswith(b"OggS"):
        return "ogg"
    if head.startswith((b"RIFF", b"RF64")) and head[8:12] == b"WAVE":
        return "wav"
    if head[4:8] == b"ftyp":
        return "mp4"  # Safari
    if head.startswith(b"fLaC"):
        return "flac"
    if head.startswith(b"ID3"):
        return "mp3"
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0:
        return "aac"
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0:
        return "mp3"
    return ""


def decode(recording: Path, longest: float = LONGEST) -> npt.NDArray[np.float32]:
    """The samples of a recording: float32 in [-1, 1], shape (samples,), 16 kHz, channels mixed to one.

    Raises UserError where it is empty, silent from a muted microphone, shorter than .3 s, longer than `longest`
    seconds, or no audio that can be read.
    """
    import numpy as np

    try:
        with recording.open("rb") as file:
            head = file.read(16)
            if not head:
                raise UserError(EMPTY)
            demuxer = container(head)
            if not demuxer:
                raise UserError(NOT_AUDIO)
            file.seek(0)
            blocks = _blocks(file, demuxer, longest)
    except FileNotFoundError:
        raise UserError("The recording is gone. Record again, or type the answer.") from None
    samples = np.concatenate(blocks) if blocks else np.zeros(0, np.float32)
    if not samples.size:
        raise UserError(EMPTY)
    if samples.size < SHORTEST * RATE:
        raise UserError(TOO_SHORT)
    peak = float(np.abs(samples).max())
    if not peak >= SILENT:  # also where a header promises floats and the data is none
        raise UserError(EMPTY)
    return samples / np.float32(peak) if peak > 1 else samples


class Resampler:
    """Brings a recording that arrives in pieces to 16 kHz, mono, float32, as `decode` gives it."""

    def __init__(self) -> None:
        self._rate = 0
        self._made: Any = None

    def feed(self, samples: npt.NDArray[np.generic], rate: int) -> npt.NDArray[np.float32]:
        """The next piece, shape (samples,) or (samples, channels), signed integers or floats; it may be empty.

        Raises UserError for a rate that no microphone has.
        """
        import av
        import numpy as np

        if not _RATES[0] <= rate <= _RATES[1]:
            raise UserError(f"A recording at {rate} samples a second cannot be used: from 8,000 to 192,000 can.")
        floats = samples.astype(np.float32)
        if samples.dtype.kind == "i":
            floats /= 2.0 ** (8 * samples.dtype.itemsize - 1)
        if floats.ndim == 2:
            floats = floats.mean(axis=1, dtype=np.float32)
        if rate == RATE or not floats.size:
            return floats
        if rate != self._rate:
            self._rate, self._made = rate, av.AudioResampler(format="fltp", layout="mono", rate=RATE)
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(floats[None, :]), format="fltp", layout="mono")
        frame.sample_rate = rate
        return _joined(self._made.resample(frame))

    def rest(self) -> npt.NDArray[np.float32]:
        """What the filter still holds. Nothing may be fed afterwards."""
        made, self._made = self._made, None
        return _joined(made.resample(None) if made else [])


def resample(samples: npt.NDArray[np.generic], rate: int) -> npt.NDArray[np.float32]:
    """A whole recording of raw samples at 16 kHz, mono, float32; see `Resampler`."""
    import numpy as np

    resampler = Resampler()
    return np.concatenate([resampler.feed(samples, rate), resampler.rest()])


def _joined(frames: Sequence[Any]) -> npt.NDArray[np.float32]:
    import numpy as np

    return np.concatenate([np.zeros(0, np.float32), *(frame.to_ndarray()[0] for frame in frames)])


def _blocks(file: object, demuxer: str, longest: float) -> list[npt.NDArray[np.float32]]:
    """Decoded blocks of an open file. A damaged packet is passed over, as a browser's player does."""
    import av

    blocks: list[npt.NDArray[np.float32]] = []
    taken = 0
    try:
        with av.open(file, mode="r", format=demuxer, metadata_errors="ignore") as source:
            if not source.streams.audio:
                raise UserError(NOT_AUDIO)
            stream = source.streams.audio[0]
            resampler = av.AudioResampler(format="fltp", layout="mono", rate=RATE)
            fifo = av.AudioFifo()
            for packet in source.demux(stream):
                try:
                    frames = packet.decode()
                except av.error.InvalidDataError:
                    continue
                for frame in frames:
                    frame.pts = None  # a browser's timestamps jump where the person paused
                    fifo.write(frame)
                    if fifo.samples >= _SAMPLES_A_BLOCK:
                        blocks.extend(part.to_ndarray()[0] for part in resampler.resample(fifo.read()))
                    taken += frame.samples
                    if taken > longest * frame.sample_rate:
                        raise UserError(TOO_LONG)
            for rest in (fifo.read(), None):
                if rest is not None or taken:
                    blocks.extend(part.to_ndarray()[0] for part in resampler.resample(rest))
    except (av.error.FFmpegError, ValueError):
        if not taken:
            raise UserError(NOT_AUDIO) from None
    return blocks
