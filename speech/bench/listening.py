"""How well speech is recognised: synthetic speakers say the bench's sentences, with noise and without.

Everything goes the way of a real answer: a WAV file, decoded, with the question's own terms, corrected.
"""

from __future__ import annotations

import resource
import time
import wave
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from domain import Recogniser, Transcript
from speech.bench.measures import doubt, errors, occurrences, recalled, spelled
from speech.bench.noise import babble, mixed, pink, without_speech
from speech.bench.speakers import RATE, SPEAKERS, Speaker, Speakers

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Samples = npt.NDArray[np.float32]

SENTENCES = Path(__file__).with_name("sentences.yaml")
LEVELS = (None, 20.0, 10.0)  # dB of signal to noise; None is without
TermsOf = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Spoken:
    """Sentences of one answer to a question, and the field's terms in them."""

    question: str
    sentences: tuple[str, ...]
    terms: tuple[str, ...]
    held_out: bool


@dataclass
class Tally:
    """Sums over recordings: word errors of words said, terms recognised of terms said."""

    wrong: int = 0
    words: int = 0
    recognised: int = 0
    terms: int = 0
    missed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    doubt: tuple[int, int, int, int] = (0, 0, 0, 0)

    def add(self, spoken: Spoken, heard: str, doubtful: Sequence[tuple[int, int]] = ()) -> None:
        """Count one recording: what was heard of it, and the spans of that which are doubtful."""
        said, found = spelled(" ".join(spoken.sentences)), spelled(heard)
        one, two, three, four = map(sum, zip(self.doubt, doubt(said, heard, doubtful), strict=True))
        self.doubt = (one, two, three, four)
        self.wrong += errors(said, found)
        self.words += len(said)
        for term, (recognised, often) in recalled(spoken.terms, found).items():
            self.recognised += recognised
            self.terms += often
            if recognised < often:
                self.missed[term] += often - recognised

    def figures(self) -> dict[str, float]:
        """WER and term recall, in [0, 1] and 3 decimals."""
        return {
            "wer": round(self.wrong / max(1, self.words), 3),
            "terms": round(self.recognised / max(1, self.terms), 3),
        }


def answers() -> list[Spoken]:
    """What the bench has said to it."""
    return [
        Spoken(
            row["question"],
            tuple(item["say"] for item in row["sentences"]),
            tuple(term for item in row["sentences"] for term in item["terms"]),
            bool(row["held_out"]),
        )
        for row in _file()["answers"]
    ]


def small_talk() -> list[str]:
    """Everyday sentences, without a word of the field."""
    return [str(text) for text in _file()["small_talk"]]


def _file() -> dict[str, Any]:
    import yaml

    content: dict[str, Any] = yaml.safe_load(SENTENCES.read_text(encoding="utf-8"))
    return content


@dataclass
class Cost:
    """What recognising took: seconds of recording, of wall time and of processor time over all cores."""

    recorded: float = 0.0
    wall: float = 0.0
    processor: float = 0.0

    def figures(self) -> dict[str, float]:
        """Real-time factors, 3 decimals: by the clock, and the processor time one second of recording takes."""
        recorded = max(1e-9, self.recorded)
        return {"wall": round(self.wall / recorded, 3), "processor": round(self.processor / recorded, 3)}


class Bench:
    """Runs recordings through a recogniser. `terms_of` gives the terms of a question by its id; () for none."""

    def __init__(self, recogniser: Recogniser, terms_of: TermsOf, tell: Callable[[str], None]) -> None:
        self._recogniser = recogniser
        self._terms_of = terms_of
        self._tell = tell
        self._speakers = Speakers()
        self.cost = Cost()

    @property
    def engine(self) -> str:
        """The recogniser's name."""
        return self._recogniser.name

    def words(self, speakers: Sequence[Speaker] = SPEAKERS, every: int = 1, full: bool = False) -> dict[str, Any]:
        """WER and term recall over all answers (or each `every`-th) by every speaker.

        Each recording has one of the levels of noise, in turn, so that every speaker and half has all of them equally
        often; with `full` each is made at all levels.
        """
        tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
        corrections = recordings = 0
        chosen = answers()[::every]
        others = [self._speakers.say(speaker, small_talk()[:2]) for speaker in SPEAKERS]
        for number, spoken in enumerate(chosen, 1):
            for place, speaker in enumerate(speakers):
                speech = self._speakers.say(speaker, spoken.sentences)
                for level in LEVELS if full else LEVELS[(number + place) % len(LEVELS) :][:1]:
                    recordings += 1
                    transcript = self._heard(noisy(speech, others, level, number * 100 + place), spoken.question)
                    corrections += len(transcript.corrections)
                    for key in (
                        ("noise", _level(level)),
                        ("speaker", speaker.name),
                        ("held out" if spoken.held_out else "developed on", _level(level)),
                        ("all", ""),
                    ):
                        tallies[key].add(spoken, transcript.text, transcript.doubtful)
            self._tell(f"{number} of {len(chosen)} answers heard: {tallies['all', ''].figures()}")
        found: dict[str, Any] = defaultdict(dict)
        for (kind, value), tally in tallies.items():
            found[kind][value] = tally.figures()
        wrong, all_wrong, right, all_right = tallies["all", ""].doubt
        missed = sorted(tallies["all", ""].missed.items(), key=lambda item: -item[1])
        return {
            "answers": len(chosen),
            "sentences": sum(len(item.sentences) for item in chosen),
            "recordings": recordings,
            "all": found.pop("all")[""],
            **found,
            "corrections": corrections,
            "doubtful": {
                "of_wrong_words": round(wrong / max(1, all_wrong), 3),
                "of_right_words": round(right / max(1, all_right), 3),
            },
            "most_missed": dict(missed[:12]),
        }

    def invented(self, speakers: Sequence[Speaker] = SPEAKERS) -> dict[str, Any]:
        """Words where nobody speaks, and terms of the field in everyday talk, each with the prompt of a question."""
        import numpy as np

        questions = [item.question for item in answers()]
        words = {
            name: self._heard(samples, questions[number]).text
            for number, (name, samples) in enumerate(without_speech(RATE, np.random.default_rng(7)).items())
        }
        terms: list[str] = []
        said = 0
        for number, text in enumerate(small_talk()):
            question = questions[number % len(questions)]
            for speaker in speakers:
                heard = spelled(self._heard(self._speakers.say(speaker, [text]), question).text)
                said += 1
                terms += [
                    term
                    for term in self._terms_of(question)
                    if occurrences(term, heard) > occurrences(term, spelled(text))
                ]
        return {
            "recordings_without_speech": len(words),
            "words_where_nobody_spoke": {name: text for name, text in words.items() if text},
            "recordings_of_small_talk": said,
            "terms_in_small_talk": terms,
        }

    def live(self, seconds: float = 30.0) -> dict[str, float]:
        """An answer of about that length, fed as a microphone does, in real time: how long after its end the text is
        there. Without it, the same recording recognised as a whole."""
        import numpy as np

        spoken = answers()[0]
        speech = self._speakers.say(SPEAKERS[0], [text for item in answers()[:3] for text in item.sentences])
        speech = speech[: int(seconds * RATE)]
        terms = self._terms_of(spoken.question)
        dictation = self._recogniser.listen(terms)
        begin = time.perf_counter()
        for number, start in enumerate(range(0, len(speech), RATE // 2)):
            due = begin + (number + 1) / 2
            _wait(due - time.perf_counter())
            dictation.feed((speech[start : start + RATE // 2] * 32767).astype(np.int16), RATE)
        stopped = time.perf_counter()
        text = dictation.finish().text
        after = time.perf_counter() - stopped
        start_whole = time.perf_counter()
        whole = self._heard(speech, spoken.question).text
        return {
            "recorded_s": round(len(speech) / RATE, 1),
            "after_stopping_s": round(after, 2),
            "as_a_whole_s": round(time.perf_counter() - start_whole, 2),
            "words": len(text.split()),
            "words_as_a_whole": len(whole.split()),
        }

    def _heard(self, samples: Samples, question: str) -> Transcript:
        return self.heard(samples, self._terms_of(question))

    def heard(self, samples: Samples, terms: Sequence[str]) -> Transcript:
        """The final transcript of samples at 24 kHz, through a WAV file; its cost is added up."""
        with TemporaryDirectory(prefix="viva-speech-") as folder:
            path = Path(folder) / "answer.wav"
            write(path, samples)
            wall, processor = time.perf_counter(), time.process_time()
            *_, last = self._recogniser.transcribe(path, terms)
            self.cost.wall += time.perf_counter() - wall
            self.cost.processor += time.process_time() - processor
            self.cost.recorded += len(samples) / RATE
        return last


def _wait(seconds: float) -> None:
    """Wait as a microphone makes one wait for its next piece."""
    import threading

    threading.Event().wait(max(0.0, seconds))


def write(path: Path, samples: Samples) -> None:
    """A 16-bit mono WAV of samples at 24 kHz."""
    import numpy as np

    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())


def peak_memory() -> float:
    """The most memory that this process has held, in MiB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 0)


def _level(level: float | None) -> str:
    return "clean" if level is None else f"{level:.0f} dB"


def noisy(speech: Samples, others: Sequence[Samples], level: float | None, seed: int) -> Samples:
    """The speech in a room: a fan and other people, of equal power."""
    import numpy as np

    if level is None:
        return speech
    rng = np.random.default_rng(seed)
    noise = np.float32(0.7071) * (pink(len(speech), rng) + babble(len(speech), others, rng))
    return mixed(speech, noise, level)


def rows(figures: dict[str, Any]) -> Iterator[str]:
    """The figures as lines to read."""
    words = figures.get("words")
    if words:
        yield (
            f"{words['sentences']} sentences in {words['recordings']} recordings: "
            f"WER {words['all']['wer']:.3f}, terms recognised {words['all']['terms']:.3f}, "
            f"{words['corrections']} corrections"
        )
        yield f"{'':28} {'WER':>6}  {'terms':>6}"
        for kind in ("noise", "held out", "developed on", "speaker"):
            for value, found in words.get(kind, {}).items():
                yield f"{kind + ', ' + value:28} {found['wer']:6.3f}  {found['terms']:6.3f}"
        yield (
            f"doubtful: {words['doubtful']['of_wrong_words']:.3f} of the wrong words, "
            f"{words['doubtful']['of_right_words']:.3f} of the right ones"
        )
        yield f"missed most: {', '.join(f'{term} ({often})' for term, often in words['most_missed'].items())}"
    invented = figures.get("invented")
    if invented:
        silent, talk = invented["words_where_nobody_spoke"], invented["terms_in_small_talk"]
        yield (
            f"invented: words in {len(silent)} of {invented['recordings_without_speech']} recordings without speech"
            f"{' ' + str(silent) if silent else ''}; {len(talk)} terms in {invented['recordings_of_small_talk']} "
            f"recordings of small talk{' ' + str(talk) if talk else ''}"
        )
    if live := figures.get("live"):
        yield (
            f"{live['recorded_s']:.0f} s heard while spoken: there {live['after_stopping_s']:.1f} s after the end; "
            f"as a whole it takes {live['as_a_whole_s']:.1f} s"
        )
    cost = figures["real_time_factor"]
    yield (
        f"real-time factor {cost['wall']:.2f} by the clock (load {figures['load']:.1f}), "
        f"{cost['processor']:.2f} of one core; memory {figures['peak_memory_mib']:.0f} MiB at most, voice included"
    )
