"""Noise for the bench: a room with other people in it, and recordings in which nobody speaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Samples = npt.NDArray[np.float32]


def pink(size: int, rng: np.random.Generator) -> Samples:
    """Noise whose power falls with frequency, as in rooms and fans; shape (size,), of power 1."""
    import numpy as np

    spectrum = np.fft.rfft(rng.standard_normal(size))
    spectrum /= np.sqrt(np.maximum(np.arange(len(spectrum)), 1))
    return _power_one(np.fft.irfft(spectrum, size).astype(np.float32))


def babble(size: int, voices: Sequence[Samples], rng: np.random.Generator) -> Samples:
    """Other people talking: recordings on top of each other, played backwards so that they hold no words."""
    import numpy as np

    total = np.zeros(size, np.float32)
    for voice in voices:
        total += np.roll(np.resize(voice[::-1], size), int(rng.integers(size)))
    return _power_one(total)


def mixed(speech: Samples, noise: Samples, decibels: float) -> Samples:
    """Speech with noise of that signal-to-noise ratio in dB, measured while somebody speaks."""
    import numpy as np

    loud = speech[np.abs(speech) > 0.02 * np.abs(speech).max()]
    power = float(np.mean(loud**2)) if loud.size else 1.0
    together = speech + noise * np.float32(np.sqrt(power / 10 ** (decibels / 10)))
    return (together / max(1.0, float(np.abs(together).max()))).astype(np.float32)


def without_speech(rate: int, rng: np.random.Generator) -> dict[str, Samples]:
    """Recordings of 6 s to 12 s in which nobody says a word, by name."""
    import numpy as np

    time = np.arange(10 * rate) / rate
    clicks = np.zeros(8 * rate, np.float32)
    for start in rng.integers(0, len(clicks) - rate // 50, 40):
        clicks[start : start + rate // 100] += rng.standard_normal(rate // 100).astype(np.float32)
    breath = pink(8 * rate, rng) * (np.sin(2 * np.pi * 0.3 * np.arange(8 * rate) / rate) > 0.4)
    chord = sum(np.sin(2 * np.pi * pitch * time) for pitch in (220.0, 277.2, 329.6)) * (np.sin(np.pi * time) ** 2)
    cough = pink(6 * rate, rng) * np.exp(-((np.arange(6 * rate) / rate - 2.0) ** 2) / 0.02)
    return {
        "silence": (1e-3 * rng.standard_normal(6 * rate)).astype(np.float32),
        "white noise": (0.05 * rng.standard_normal(12 * rate)).astype(np.float32),
        "room noise": 0.1 * pink(12 * rate, rng),
        "mains hum": (0.1 * np.sin(2 * np.pi * 50 * time) + 0.05 * np.sin(2 * np.pi * 150 * time)).astype(np.float32),
        "typing": 0.3 * clicks,
        "breathing": (0.1 * breath).astype(np.float32),
        "chords": (0.1 * chord).astype(np.float32),
        "a cough": (0.3 * cough).astype(np.float32),
    }


def _power_one(samples: Samples) -> Samples:
    import numpy as np

    return (samples / max(1e-9, float(np.sqrt(np.mean(samples**2))))).astype(np.float32)
