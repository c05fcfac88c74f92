"""The arithmetic of the bench of speech recognition, by hand, and its noises and speakers."""

from __future__ import annotations

import numpy as np
import pytest

from domain import Answer, JudgedBy, PointScore, Question, Score, UngradedReason, Verdict
from knowledge.questions import load_bank
from speech.bench.graded import compare, place, read_out
from speech.bench.listening import Tally, answers, small_talk
from speech.bench.measures import doubt, errors, occurrences, recalled, spelled
from speech.bench.noise import mixed, pink, without_speech
from speech.bench.speakers import SPEAKERS


def test_both_sides_are_spelled_alike() -> None:
    assert spelled("Torch dot no grad, in FP16.") == spelled("torch.no_grad in f p 16")
    assert spelled("It's an all-reduce!") == ["its", "an", "all", "reduce"]


def test_word_errors_are_the_edit_distance() -> None:
    assert errors(["a", "b", "c", "d"], ["a", "x", "c", "d", "e"]) == 2
    assert errors([], ["a"]) == errors(["a"], []) == 1
    assert errors(["a"], ["a"]) == 0


def test_a_term_counts_in_any_spacing_and_never_inside_a_word() -> None:
    assert occurrences("autograd", spelled("The auto grad and autograd.")) == 2
    assert occurrences("save for backward", spelled("call save_for_backward")) == 1
    assert occurrences("rank", spelled("the ranks are frank")) == 1
    assert recalled(["loss", "loss"], spelled("loss")) == {"loss": (1, 2)}


def test_doubt_is_counted_on_wrong_and_on_right_words() -> None:
    text = "the grid graph, is freed"
    assert doubt(spelled("the grad graph is freed"), text, [(4, 8), (17, 19)]) == (1, 1, 1, 4)
    assert doubt(["a"], "", ()) == (0, 0, 0, 0)


def test_a_tally_adds_up() -> None:
    spoken = answers()[0]
    tally = Tally()
    tally.add(spoken, " ".join(spoken.sentences))
    assert tally.figures() == {"wer": 0.0, "terms": 1.0}
    tally.add(spoken, "")
    assert tally.figures() == {"wer": 0.5, "terms": 0.5}


def test_the_bench_says_enough_and_each_term_is_in_its_sentences() -> None:
    spoken = answers()
    assert sum(len(item.sentences) for item in spoken) >= 60
    assert 0.4 < sum(item.held_out for item in spoken) / len(spoken) < 0.6
    for item in spoken:
        said = spelled(" ".join(item.sentences))
        assert all(occurrences(term, said) for term in item.terms), item.question
    assert not any(occurrences(term, spelled(text)) for text in small_talk() for item in spoken for term in item.terms)


def test_noise_has_the_level_that_was_asked_for() -> None:
    rng = np.random.default_rng(0)
    speech = (0.2 * np.sin(np.arange(48_000))).astype(np.float32)
    noise = pink(48_000, rng)
    added = mixed(speech, noise, 10.0) - speech
    ratio = 10 * np.log10(float(np.mean(speech**2)) / float(np.mean(added**2)))
    assert ratio == pytest.approx(10.0, abs=0.3)
    assert all(1e-4 < float(np.abs(samples).max()) <= 1.5 for samples in without_speech(24_000, rng).values())


def test_a_typed_answer_is_read_out_as_a_person_would() -> None:
    text = "Use `torch.no_grad()` with x_y = 3.\n```python\nprint(1)\n```\nThen stop; go."
    assert read_out(text) == ["Use torch dot no grad with x y equals 3.", "Then stop;", "go."]


def by_length(question: Question, answer: Answer) -> tuple[Score, list[PointScore]]:
    """A grade of 10 points that is the number of words; what was heard with doubt is not graded."""
    earned = float(min(10, len(answer.text.split())))
    doubted = bool(answer.heard)
    reason = UngradedReason.UNINTELLIGIBLE if doubted else None
    point = PointScore("p", Verdict.UNGRADED if doubted else Verdict.MET, "", JudgedBy("length"), reason=reason)
    return Score(earned, 10.0, earned, earned, 1.0, None if doubted else earned / 10), [point]


def test_typed_and_spoken_grades_are_compared() -> None:
    question = load_bank().questions["grad_at"]
    one, two = SPEAKERS[:2]
    found = compare(
        [
            (question, "one two three four", one, Answer("one two three four")),
            (question, "one two three four", two, Answer("one too", heard=((4, 7),))),
            (question, "`x_y` is", two, Answer("x y is it")),
        ],
        by_length,
    )
    assert found["answers"] == 3 and found["answers_with_the_same_score"] == 1
    assert found["mean_difference"] == pytest.approx((0 + 0.2 + 0.2) / 3, abs=1e-4)
    assert found["mean_signed_difference"] == pytest.approx(0.0, abs=1e-4)
    assert found["by_speaker"] == {one.name: 0.0, two.name: pytest.approx(0.2)}
    assert found["read_out_and_heard_perfectly"] == pytest.approx(0.1 / 3, abs=1e-4)  # "x y is" is a word longer
    assert found["headlines_compared"] == 2 and found["points_excused_as_unintelligible"] == 1
    assert found["changes"] == {"met -> ungraded": 1}


def test_the_order_of_answers_hangs_on_nothing_but_themselves() -> None:
    question = load_bank().questions["grad_at"]
    assert place(question, "a") == place(question, "a") != place(question, "b")
