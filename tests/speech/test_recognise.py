"""A spoken answer becomes the words that were said, and silence becomes none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hibari.tts import write_wav

from speech.recognise import SpeechRecogniser

TERMS = ("autograd", "requires_grad", "leaf tensor", "gradients")


def test_a_spoken_answer_is_recognised(recogniser: SpeechRecogniser, answer_wav: Path) -> None:
    *partial, final = recogniser.transcribe(answer_wav, TERMS)
    assert final.final and not any(item.final for item in partial)
    said = final.text.lower()
    assert all(word in said for word in ("gradients accumulate", "leaf tensors", "autograd record", "operations"))
    assert "base" in final.engine
    assert all(0 <= start < end <= len(final.text) for start, end in final.doubtful)


def test_noise_and_silence_hold_no_words(recogniser: SpeechRecogniser, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name, samples in (
        ("hiss", 0.02 * rng.standard_normal(24_000 * 4)),
        ("nearly silent", 0.0004 * rng.standard_normal(24_000 * 2)),
    ):
        path = tmp_path / f"{name}.wav"
        write_wav(str(path), samples.astype(np.float32), 24_000)
        assert [item.text for item in recogniser.transcribe(path, TERMS)] == [""], name
