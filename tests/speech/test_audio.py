"""Recordings as browsers and phones make them are decoded; whatever is none gets a sentence that says so."""

from __future__ import annotations

import wave
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import pytest

from domain import UserError
from speech.audio import RATE, Resampler, decode, resample

FORMATS = [
    ("webm", "libopus", 48_000),  # Chromium, Firefox
    ("webm", "libopus", 8_000),
    ("ogg", "libopus", 48_000),
    ("wav", "pcm_s16le", 8_000),
    ("wav", "pcm_s16le", 44_100),
    ("wav", "pcm_f32le", 96_000),
    ("mp3", "libmp3lame", 44_100),
    ("ipod", "aac", 48_000),  # m4a
    ("mp4", "aac", 44_100),  # Safari
    ("adts", "aac", 44_100),
    ("flac", "flac", 96_000),
]


def tone(seconds: float, rate: int, pitch: float = 440.0) -> npt.NDArray[np.float32]:
    return (0.3 * np.sin(2 * np.pi * pitch * np.arange(int(seconds * rate)) / rate)).astype(np.float32)


def record(path: Path, container: str, codec: str, rate: int, samples: npt.NDArray[np.float32], channels: int) -> Path:
    """Write samples with a real encoder."""
    layout = "mono" if channels == 1 else "stereo"
    with av.open(str(path), "w", format=container) as file:
        stream: Any = file.add_stream(codec, rate=rate, layout=layout)
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(np.stack([samples] * channels)), format="fltp", layout=layout
        )
        frame.sample_rate = rate
        for piece in (frame, None):
            for packet in stream.encode(piece):
                file.mux(packet)
    return path


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize(("container", "codec", "rate"), FORMATS)
def test_every_format_becomes_16_khz_mono(tmp_path: Path, container: str, codec: str, rate: int, channels: int) -> None:
    path = record(tmp_path / "blob", container, codec, rate, tone(2.0, rate), channels)
    samples = decode(path)
    assert samples.dtype == np.float32 and samples.ndim == 1
    assert 2.0 <= len(samples) / RATE < 2.1
    assert float(np.abs(samples).max()) <= 1
    spectrum = np.abs(np.fft.rfft(samples[RATE // 2 : RATE // 2 + RATE]))
    assert abs(int(spectrum.argmax()) - 440) <= 1


def test_a_cut_off_upload_gives_what_was_recorded(tmp_path: Path) -> None:
    whole = record(tmp_path / "a.webm", "webm", "libopus", 48_000, tone(4.0, 48_000), 1).read_bytes()
    part = tmp_path / "part.webm"
    part.write_bytes(whole[: len(whole) // 2])
    assert 1.0 < len(decode(part)) / RATE < 3.5


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"This is a text file, renamed to answer.webm.\n" * 20, "not a recording"),
        (b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "not a recording"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "not a recording"),
        (b"\x1a\x45\xdf\xa3" + bytes(400), "not a recording"),
        (b"RIFF\x00\x00\x00\x00WAVE" + b"x" * 200, "not a recording"),
        (b"\x00\x00\x00\x20ftypisom" + bytes(100), "not a recording"),
        (b"OggS" + b"\x7f" * 500, "not a recording"),
        (b"\xff\xfb" + b"text that begins like an MP3 " * 10, "not a recording"),
    ],
)
def test_what_is_no_recording_is_refused_in_a_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "answer.webm"
    path.write_bytes(content)
    with pytest.raises(UserError, match=says):
        decode(path)


def test_pictures_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is gone"):
        decode(tmp_path / "nothing.wav")
    silent_film = tmp_path / "film.mp4"
    with av.open(str(silent_film), "w", format="mp4") as file:
        stream: Any = file.add_stream("mpeg4", rate=10)
        stream.width = stream.height = 16
        frame = av.VideoFrame.from_ndarray(np.zeros((16, 16, 3), np.uint8), format="rgb24")
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            file.mux(packet)
    with pytest.raises(UserError, match="not a recording"):
        decode(silent_film)


def wav(path: Path, samples: npt.NDArray[np.float32], rate: int = RATE) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return path


def test_a_muted_microphone_is_told_from_a_silent_room(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="muted"):
        decode(wav(tmp_path / "muted.wav", np.zeros(3 * RATE, np.float32)))
    room = np.random.default_rng(0).normal(0, 1e-3, 3 * RATE).astype(np.float32)
    assert len(decode(wav(tmp_path / "room.wav", room))) == 3 * RATE


def test_a_slip_of_the_finger_is_too_short(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="too short"):
        decode(wav(tmp_path / "short.wav", tone(0.1, RATE)))


def test_a_recording_that_is_too_long_is_refused_before_it_is_all_decoded(tmp_path: Path) -> None:
    path = wav(tmp_path / "long.wav", np.tile(tone(1.0, 8_000), 21 * 60), 8_000)
    with pytest.raises(UserError, match="longer than 20 minutes"):
        decode(path)
    assert len(decode(path, longest=22 * 60)) == 21 * 60 * RATE


def test_not_a_number_in_a_recording_of_floats_is_no_sound(tmp_path: Path) -> None:
    path = record(tmp_path / "nan.wav", "wav", "pcm_f32le", RATE, np.full(RATE, np.nan, np.float32), 1)
    with pytest.raises(UserError):
        decode(path)


@pytest.mark.parametrize("rate", [8_000, 44_100, 48_000, 96_000])
def test_pieces_resampled_one_by_one_are_the_whole(rate: int) -> None:
    whole = tone(1.0, rate)
    pieces = Resampler()
    joined = np.concatenate([*(pieces.feed(part, rate) for part in np.array_split(whole, 7)), pieces.rest()])
    assert len(joined) == pytest.approx(RATE, abs=64)
    np.testing.assert_allclose(joined, resample(whole, rate), atol=1e-3)


def test_integers_and_stereo_from_a_browser_are_scaled_and_mixed() -> None:
    stereo = np.stack([np.full(100, 16_384), np.full(100, -16_384)], axis=1).astype(np.int16)
    np.testing.assert_allclose(Resampler().feed(stereo, RATE), np.zeros(100))
    np.testing.assert_allclose(Resampler().feed(stereo[:, 0], RATE), np.full(100, 0.5))


def test_a_rate_that_no_microphone_has_is_refused() -> None:
    with pytest.raises(UserError, match="samples a second"):
        Resampler().feed(np.zeros(10, np.int16), 100)
