"""Whether it costs points to speak: the same answers graded as typed, and as recognised after being read out.

Each answer is read out by one of the synthetic speakers in a room with some noise, recognised with its question's
terms, and graded with its doubtful words, uncorrected: nobody looked at the transcript. The score is the share of the
worth that was earned by words; what is ungraded earns nothing on either side. A third grade, of the text as it was
read out, tells what of the difference is the judge's own, for a recogniser that made no mistake at all.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from domain import Answer, PointScore, Question, Score, UngradedReason
from speech.bench.listening import Bench, noisy, small_talk
from speech.bench.speakers import SPEAKERS, Speaker, Speakers
from speech.prompt import question_terms

Grade = Callable[[Question, Answer], tuple[Score, Sequence[PointScore]]]
NOISE = 20.0  # dB
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n\s*\n")


def read_out(text: str) -> list[str]:
    """A typed answer as a person would read it out, sentence by sentence; code blocks are not read."""
    text = _CODE.sub(" ", text).replace("`", "")
    text = re.sub(r"(?<=\w)\(\)", "", text)
    text = re.sub(r"(?<=[a-zA-Z])[_.](?=[a-zA-Z])", lambda found: " dot " if found.group() == "." else " ", text)
    text = re.sub(r"\s*==?\s*", " equals ", text).replace("_", " ")
    return [" ".join(piece.split()) for piece in _SENTENCE.split(text) if re.search(r"[A-Za-z0-9]", piece)]


def place(question: Question, text: str) -> int:
    """Where an answer stands in an order that has nothing to do with what it says, and that new answers leave alone; it
    also draws who reads it out, and the noise."""
    return int.from_bytes(hashlib.sha256(f"{question.id} {text}".encode()).digest()[:7])


def spoken(
    bench: Bench, answers: Sequence[tuple[Question, str]], kept: Path | None, tell: Callable[[str], None]
) -> Iterator[tuple[Question, str, Speaker, Answer]]:
    """The answers with the speaker who read each out, and as recognised. `kept` is a file of JSON lines that holds what
    was recognised before: a judge can be measured again in seconds."""
    known: dict[str, Any] = {}
    if kept and kept.exists():
        known = {row["key"]: row for row in map(json.loads, kept.read_text(encoding="utf-8").splitlines())}
    speakers = Speakers()
    others = [speakers.say(speaker, small_talk()[:2]) for speaker in SPEAKERS]
    for count, (question, text) in enumerate(answers, 1):
        number = place(question, text)
        speaker = SPEAKERS[number % len(SPEAKERS)]
        key = f"{number:x} {bench.engine}"
        row = known.get(key)
        if row is None:
            samples = noisy(speakers.say(speaker, read_out(text)), others, NOISE, number)
            heard = bench.heard(samples, question_terms(question))
            row = {"key": key, "question": question.id, "text": heard.text, "doubtful": heard.doubtful}
            if kept:
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
            tell(f"{count} of {len(answers)} answers heard")
        doubtful = tuple((int(start), int(end)) for start, end in row["doubtful"])
        yield question, text, speaker, Answer(row["text"], heard=doubtful)


def compare(answers: Iterable[tuple[Question, str, Speaker, Answer]], grade: Grade) -> dict[str, Any]:
    """The figures over answers as `spoken` gives them."""
    differences: dict[str, list[float]] = defaultdict(list)
    signed: list[float] = []
    control: list[float] = []
    headlines: list[float] = []
    changes: Counter[str] = Counter()
    verdicts = same = excused = 0
    for question, text, speaker, said in answers:
        typed, typed_points = grade(question, Answer(text))
        heard, heard_points = grade(question, said)
        perfect, _ = grade(question, Answer(" ".join(read_out(text))))
        signed.append((heard.earned - typed.earned) / typed.worth)
        control.append(abs(perfect.earned - typed.earned) / typed.worth)
        for name in ("all", speaker.name):
            differences[name].append(abs(signed[-1]))
        if typed.value is not None and heard.value is not None:
            headlines.append(abs(typed.value - heard.value))
        for one, other in zip(typed_points, heard_points, strict=True):
            verdicts += 1
            same += one.verdict is other.verdict
            excused += other.reason is UngradedReason.UNINTELLIGIBLE
            if one.verdict is not other.verdict:
                changes[f"{one.verdict.value} -> {other.verdict.value}"] += 1
    return {
        "answers": len(signed),
        "mean_difference": round(fmean(differences["all"]), 4),
        "mean_signed_difference": round(fmean(signed), 4),
        "by_speaker": {name: round(fmean(found), 4) for name, found in differences.items() if name != "all"},
        "read_out_and_heard_perfectly": round(fmean(control), 4),
        "answers_with_the_same_score": sum(difference < 1e-9 for difference in differences["all"]),
        "headline_mean_difference": round(fmean(headlines), 4) if headlines else None,
        "headlines_compared": len(headlines),
        "verdicts": verdicts,
        "same_verdict": round(same / max(1, verdicts), 4),
        "points_excused_as_unintelligible": excused,
        "changes": dict(changes.most_common()),
    }
