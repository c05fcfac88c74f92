"""faster-whisper: Whisper in CTranslate2, on this machine.

The decoding is greedy-free and draws nothing: beam search at temperature 0, so that the same recording always gives
the same words. Whisper is known to invent text where nobody speaks and to run in circles; the caller therefore hands
over stretches in which a voice was detected, and what repeats itself or has no acoustic support is dropped here.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from domain import UserError
from speech.prompt import prompt
from speech.weights import ABSENT, packaged
from speech.words import Word

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BEAM = 5
_MOST_REPEATED = 2.4  # how well a text may compress before it must be a loop; Whisper's own threshold
_NO_SPEECH, _LOW = 0.6, -1.0  # a stretch this probably silent, with words this unlikely (mean log), holds none


class WhisperEngine:
    """Implements words.Engine. `model` is "" for the packaged weights, or the name or folder of a faster-whisper model.

    Safe to share between threads: one stretch is recognised at a time.
    """

    def __init__(self, model: str = "", beam: int = BEAM) -> None:
        self._wanted = model
        self._beam = beam
        self._model: Any = None
        self._device = ""
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The engine, its weights and where they run."""
        found = packaged(self._wanted)
        weights = found.name if found else self._wanted or "without weights"
        where = "this machine's GPU" if self._device == "cuda" else "this machine"
        return f"faster-whisper {weights} ({where})"

    @property
    def sends_to(self) -> str:
        """Nowhere: audio stays on this machine."""
        return ""

    def unavailable(self) -> str:
        """Why it cannot recognise, or "". Loads nothing."""
        return "" if self._wanted or packaged() else ABSENT

    def load(self) -> None:
        """Load the weights now. Raises UserError where they cannot be had."""
        with self._lock:
            self._load()

    def hear(self, samples: npt.NDArray[np.float32], terms: Sequence[str], before: str) -> list[Word]:
        """The words of a stretch of speech. Raises UserError where the weights cannot be had."""
        with self._lock:
            segments, _ = self._load().transcribe(
                samples,
                language="en",
                beam_size=self._beam,
                temperature=0.0,
                initial_prompt=prompt(terms, before),
                condition_on_previous_text=False,
                word_timestamps=True,
            )
            return [
                Word(word.word, word.start, word.end, word.probability)
                for segment in segments
                if segment.compression_ratio <= _MOST_REPEATED
                and not (segment.no_speech_prob > _NO_SPEECH and segment.avg_logprob < _LOW)
                for word in segment.words or ()
            ]

    def _load(self) -> Any:
        if self._model is None:
            import ctranslate2

            devices = ["cuda", "cpu"] if ctranslate2.get_cuda_device_count() else ["cpu"]
            for device in devices:
                try:
                    self._model = self._on(device)
                    self._device = device
                    break
                except (RuntimeError, ValueError) as error:
                    # A GPU whose libraries are missing shows only when it is used.
                    if device == devices[-1]:
                        raise UserError(f"The speech model cannot be used on this machine: {error}") from error
        return self._model

    def _on(self, device: str) -> Any:
        import numpy as np
        from faster_whisper import WhisperModel

        threads = min(4, len(os.sched_getaffinity(0)))
        kind = "float16" if device == "cuda" else "int8"
        chosen = packaged(self._wanted)
        if chosen:
            model = WhisperModel(
                chosen.name, device=device, compute_type=kind, cpu_threads=threads, files=dict(chosen.read())
            )
        elif not self._wanted:
            raise UserError(ABSENT)
        else:
            try:
                model = WhisperModel(self._wanted, device=device, compute_type=kind, cpu_threads=threads)
            except (OSError, ValueError) as error:
                raise UserError(f"The speech model {self._wanted!r} cannot be loaded: {error}") from error
        model.transcribe(np.zeros(16_000, np.float32), language="en")  # a missing GPU library shows here
        return model
