"""Answering aloud in a real browser: its microphone is fed from a file that the tests synthesise, what it plays is
recognised back, and whatever fails says so and leaves the answer as it was."""

from __future__ import annotations

import base64
import io
import re
import shutil
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserType, Page, expect

from speech.engines import recogniser
from speech.voice import HibariVoice, join
from tests.conftest import ARGUMENTS, NAMES
from tests.loopback_speech import serve_speech
from tests.ui.serving import Server, embedding
from tests.ui.visitor import Visitor

pytestmark = pytest.mark.timeout(900)
PATIENCE = 400_000  # milliseconds; recognising shares the processors with the page and with other tests
LOADING = 600.0  # seconds, at most, until the models of the page no longer share the processors with recognising
RATE = 48_000
SAID = "Gradients accumulate in the leaf tensors."
# What is played, kept by the page itself: the sounds themselves, not what was asked of the server.
KEEP_SOUNDS = """(() => {
  window.sounds = []; window.ended = 0;
  const make = URL.createObjectURL, play = HTMLMediaElement.prototype.play, made = new Map();
  URL.createObjectURL = (blob) => { const url = make.call(URL, blob); made.set(url, blob); return url; };
  HTMLMediaElement.prototype.play = function () {
    const blob = made.get(this.src);
    if (blob) window.sounds.push(blob);
    this.addEventListener("ended", () => { window.ended += 1; }, { once: true });
    return play.call(this);
  };
  window.soundBytes = async () => Promise.all(window.sounds.map((blob) => new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.split(",")[1]); reader.readAsDataURL(blob);
  })));
})()"""

Microphone = Callable[..., Visitor]


def _file(path: Path, *, said: str = "", noise: float = 0.0, seconds: float = 0.0) -> Path:
    """A microphone's WAV: half a second of silence, then what is said or noise, then silence for a long time."""
    samples = np.zeros(0, np.int16)
    if said:
        whole, _ = join(list(HibariVoice().say(said)))
        with wave.open(io.BytesIO(whole), "rb") as spoken:
            samples = np.repeat(np.frombuffer(spoken.readframes(spoken.getnframes()), "<i2"), 2)  # 24 to 48 kHz
    if noise:
        random = np.random.default_rng(0)
        burst = random.normal(0, noise, int(seconds * RATE)) * np.hanning(int(seconds * RATE))
        samples = (burst * 32767).clip(-32768, 32767).astype(np.int16)
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(
            np.concatenate([np.zeros(RATE // 2, np.int16), samples, np.zeros(120 * RATE, np.int16)]).tobytes()
        )
    return path


@pytest.fixture
def microphone(browser: Browser, server: Server, tmp_path: Path) -> Iterator[Microphone]:
    """Gives a visitor whose microphone hears a WAV file; None for a machine without one."""
    opened: list[Visitor] = []
    browsers: list[Browser] = []
    kind: BrowserType = browser.browser_type
    path = next(filter(None, map(shutil.which, NAMES)))

    def visitor(hears: Path | None, *, allowed: bool = True, url: str = server.url) -> Visitor:
        device = ["--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={hears}%noloop"]
        asked = ["--use-fake-ui-for-media-stream"] if allowed else ["--deny-permission-prompts"]
        running = kind.launch(executable_path=path, args=[*ARGUMENTS, *asked, *(device if hears else [])])
        browsers.append(running)
        person = Visitor(running, url)
        opened.append(person)
        if allowed:
            person.context.grant_permissions(["microphone"])
        person.context.add_init_script(KEEP_SOUNDS)
        person.page.set_default_timeout(PATIENCE)
        person.page.emulate_media(reduced_motion="reduce")  # nothing to paint while it is being recognised
        return person

    yield visitor
    for person in opened:
        person.close()
    for running in browsers:
        running.close()


def _record(page: Page) -> None:
    page.locator("#record").click()
    page.wait_for_function("document.querySelector('#viva-speech').dataset.phase === 'recording'")


def _recorded(page: Page, seconds: float) -> None:
    """Record until the server has this much, and stop; wait until it is written down, or could not be."""
    _record(page)
    page.wait_for_function("(s) => window.vivaSpeech.seconds() >= s", arg=seconds)
    page.locator("#record").click()
    page.wait_for_function("['idle', 'failed'].includes(document.querySelector('#viva-speech').dataset.phase)")


def _at_a_question(person: Visitor, typed: str = "What I have typed so far") -> Page:
    person.open()
    person.start(framework="PyTorch", topic="Autograd", questions=2)
    person.page.locator("#answer textarea").fill(typed)
    return person.page


def _heard(sound: bytes, folder: Path) -> list[str]:
    """The words of a sound that was played."""
    (folder / "played.wav").write_bytes(sound)
    text = list(recogniser().transcribe(folder / "played.wav"))[-1].text
    return re.findall(r"[a-z]+", text.lower())


def test_record_correct_send_and_hear_the_next_question(
    microphone: Microphone, server: Server, tmp_path: Path, pictures: Path
) -> None:
    server.wait_until_loaded(LOADING)
    person = microphone(_file(tmp_path / "said.wav", said=SAID))
    page = _at_a_question(person, "First of all:")
    box = page.locator("#answer textarea")
    _recorded(page, 4.0)
    expect(box).to_have_value(re.compile(r"^First of all: .*accumulate.*tensors", re.IGNORECASE))
    expect(page.locator("#viva-speech")).to_contain_text("Correct them where they were misheard")
    page.screenshot(path=pictures / "transcript.png")

    corrected = re.sub("accumulates?", "add up", box.input_value(), flags=re.IGNORECASE)
    box.fill(corrected)
    page.locator("#read-aloud").click()
    page.wait_for_function("window.sounds.length > 0")
    person.press("send")
    expect(page.locator("#chat .message.user").last).to_contain_text("add up")
    expect(box).to_have_value("")
    expect(page.locator("#viva-speech")).to_be_hidden()

    before = page.evaluate("window.sounds.length")
    messages = person.messages.count()
    person.press("skip")
    page.wait_for_function("(n) => window.sounds.length > n", arg=before)
    words = _heard(base64.b64decode(page.evaluate("window.soundBytes()")[before]), tmp_path)
    shown = " ".join(person.messages.all_inner_texts()[messages:]).lower()
    assert words
    assert sum(word in shown for word in words) >= 0.7 * len(words), (words, shown)

    person.finish()
    stored = httpx.get(f"{person.url}/session/{person.session}/session.json", timeout=60.0).json()
    answer = next(event["answer"] for event in stored["events"] if event["kind"] == "said")
    assert "accumulate" in answer["spoken"][0]["text"].lower(), "what was recognised is kept beside what was sent"
    assert answer["text"] == corrected
    assert answer["edited"] is True
    assert answer["seconds"] >= 4
    assert not person.foreign
    assert not person.errors


@pytest.mark.parametrize(
    ("hears", "seconds", "says"),
    [(0.0, 1.5, "nothing came from the microphone"), (0.08, 3.0, "No words were heard")],
    ids=["muted", "a cough"],
)
def test_a_recording_without_words(
    microphone: Microphone, tmp_path: Path, hears: float, seconds: float, says: str
) -> None:
    person = microphone(_file(tmp_path / "noise.wav", noise=hears, seconds=2.0))
    page = _at_a_question(person)
    _recorded(page, seconds)
    expect(page.locator("#viva-speech .bad")).to_contain_text(says)
    expect(page.locator("#answer textarea")).to_have_value("What I have typed so far")


def test_a_microphone_that_is_denied_or_absent(microphone: Microphone, tmp_path: Path) -> None:
    for person, says in (
        (microphone(_file(tmp_path / "said.wav"), allowed=False), "did not allow the microphone"),
        (microphone(None), "No microphone was found"),
    ):
        page = _at_a_question(person)
        page.locator("#record").click()
        expect(page.locator("#viva-speech .bad")).to_contain_text(says)
        person.press("send")
        expect(page.locator("#chat .message.user").last).to_contain_text("What I have typed so far")


def test_a_frame_without_the_microphone_offers_a_tab_of_its_own(
    microphone: Microphone, server: Server, space: str
) -> None:
    person = microphone(None)
    with embedding(space, server.url) as outer:
        person.page.goto(outer)
        inside = person.page.frame_locator("iframe")
        inside.locator("#start").click()
        inside.locator("#record").click()
        expect(inside.locator("#viva-speech .bad")).to_contain_text("embedded")
        expect(inside.get_by_role("link", name="Open Viva in its own tab")).to_have_attribute(
            "href", re.compile(r"\?session=[0-9a-f]{32}")
        )


def test_a_recording_in_a_file(visitor: Visitor, server: Server, tmp_path: Path) -> None:
    server.wait_until_loaded(LOADING)
    page = _at_a_question(visitor)
    text = tmp_path / "notes.webm"
    text.write_text("This is no recording.")
    page.locator("#speech-file").set_input_files(text)
    expect(page.locator("#viva-speech .bad")).to_contain_text("not a recording that can be read")
    expect(page.locator("#answer textarea")).to_have_value("What I have typed so far")
    spoken, _ = join(list(HibariVoice().say(SAID)))
    (tmp_path / "said.wav").write_bytes(spoken)
    page.locator("#speech-file").set_input_files(tmp_path / "said.wav")
    expect(page.locator("#answer textarea")).to_have_value(re.compile("so far .*accumulate", re.IGNORECASE))


def test_a_service_that_fails_is_told_after_it_was_agreed_to(
    microphone: Microphone, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with serve_speech(b"broken", 500) as service:
        host = "127.0.0.1"
        running = Server(
            tmp_path_factory.mktemp("endpoint") / "data", {"VIVA_SPEECH_BASE_URL": service.url, "VIVA_VOICE": "off"}
        )
        running.start()
        try:
            person = microphone(_file(tmp_path / "said.wav", said=SAID), url=running.url)
            page = _at_a_question(person)
            page.locator("#record").click()
            expect(page.locator("#viva-speech")).to_contain_text(f"Your recording would be sent to {host}")
            assert service.keys == [], "nothing was sent"
            page.get_by_role("button", name="Agree and record").click()
            page.wait_for_function("window.vivaSpeech.seconds() >= 4")
            page.locator("#record").click()
            expect(page.locator("#viva-speech .bad")).to_contain_text(f"{host} could not recognise the recording (500")
            assert service.keys, "it was asked"
            expect(page.get_by_role("button", name="Try again")).to_be_visible()
            expect(page.locator("#answer textarea")).to_have_value("What I have typed so far")
            page.locator("#read-aloud").click()
            expect(page.locator("#viva-reading-off")).to_contain_text("VIVA_VOICE")
            page.goto(f"{running.url}/#about")
            expect(page.locator("#tab-about")).to_contain_text(f"Recordings are sent to {host}, once you agree")
        finally:
            running.stop()
