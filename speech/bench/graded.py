"""Whether it costs points to speak: the same answers graded as typed, and as recognised after being read out.

Each answer is read out by one of the synthetic speakers in a room with some noise, recognised with its question's
terms, and graded with its doubtful words, uncorrected: nobody looked at the transcript. The score is the share of the
worth that was earned by words; what is ungraded earns nothing on either side.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from domain import Answer, PointScore, Question, Score, UngradedReason
from speech.bench.listening import Bench, noisy
from speech.bench.speakers import SPEAKERS, Speakers
from speech.prompt import question_terms

Grade = Callable[[Question, Answer], tuple[Score, Sequence[PointScore]]]
NOISE = 20.0  # dB
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+")


def read_out(text: str) -> list[str]:
    """A typed answer as a person would read it out, sentence by sentence; code blocks are not read."""
    text = _CODE.sub(" ", text).replace("`", "")
    text = re.sub(r"(?<=\w)\(\)", "", text)
    text = re.sub(r"(?<=[a-zA-Z])[_.](?=[a-zA-Z])", lambda found: " dot " if found.group() == "." else " ", text)
    text = re.sub(r"\s*==?\s*", " equals ", text).replace("_", " ")
    return [piece.strip() for piece in _SENTENCE.split(text) if re.search(r"[A-Za-z0-9]", piece)]


def compare(
    bench: Bench, answers: Sequence[tuple[Question, str]], grade: Grade, tell: Callable[[str], None]
) -> dict[str, Any]:
    """The figures over these (question, typed answer) pairs."""
    speakers = Speakers()
    others = [speakers.say(speaker, read_out(answers[0][1])[:2]) for speaker in SPEAKERS]
    differences: list[float] = []
    signed: list[float] = []
    headlines: list[float] = []
    changes: Counter[str] = Counter()
    verdicts = same = excused = 0
    for number, (question, text) in enumerate(answers, 1):
        speaker = SPEAKERS[number % len(SPEAKERS)]
        heard = bench.heard(
            noisy(speakers.say(speaker, read_out(text)), others, NOISE, number), question_terms(question)
        )
        typed, typed_points = grade(question, Answer(text))
        spoken, spoken_points = grade(question, Answer(heard.text, heard=heard.doubtful))
        signed.append((spoken.earned - typed.earned) / typed.worth)
        differences.append(abs(signed[-1]))
        if typed.value is not None and spoken.value is not None:
            headlines.append(abs(typed.value - spoken.value))
        for one, other in zip(typed_points, spoken_points, strict=True):
            verdicts += 1
            same += one.verdict is other.verdict
            excused += other.reason is UngradedReason.UNINTELLIGIBLE
            if one.verdict is not other.verdict:
                changes[f"{one.verdict.value} -> {other.verdict.value}"] += 1
        tell(f"{number} of {len(answers)} answers: mean difference {fmean(differences):.3f}")
    return {
        "answers": len(answers),
        "mean_difference": round(fmean(differences), 4),
        "mean_signed_difference": round(fmean(signed), 4),
        "answers_with_the_same_score": sum(difference < 1e-9 for difference in differences),
        "headline_mean_difference": round(fmean(headlines), 4) if headlines else None,
        "headlines_compared": len(headlines),
        "verdicts": verdicts,
        "same_verdict": round(same / max(1, verdicts), 4),
        "points_excused_as_unintelligible": excused,
        "changes": dict(changes.most_common()),
    }
