"""The field's words are put right where their context supports it, and everyday English is left alone."""

from __future__ import annotations

import pytest

from speech.corrections import TABLE, corrected


def text_of(text: str, *terms: str) -> str:
    return corrected(text, (), terms)[0]


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("Then a sign sub takes the step.", "Then assign_sub takes the step."),
        ("It is recorded by auto grad.", "It is recorded by autograd."),
        ("I build a tensor RT engine.", "I build a TensorRT engine."),
        ("Call loss dot backward once.", "Call loss.backward once."),
        ("We calibrate and quantise to int eight.", "We calibrate and quantise to INT8."),
        ("With calibration it runs in an eight.", "With calibration it runs in INT8."),
        ("You scale the lost before backward.", "You scale the loss before backward."),
        ("Auto-grad records it.", "Autograd records it."),
        ("I use the atom optimizer.", "I use the Adam optimizer."),
        ("FP 16 has less range than b float 16.", "FP16 has less range than bfloat16."),
    ],
)
def test_a_wording_that_stands_for_a_term_is_corrected(heard: str, meant: str) -> None:
    assert text_of(heard) == meant


@pytest.mark.parametrize(
    "text",
    [
        "I lost my keys on the way to the office.",
        "The lost data was restored from a copy.",
        "An atom has a nucleus.",
        "It takes an eight-bit integer for the scale.",
        "The onyx is a stone.",
        "He paid in cash.",
        "It was an epic film.",
        "The motion is continuous.",
        "We had nickel and copper.",
        "The weights are stored as a tensor.",
        "This comes from NumPy.",
        "This comes from numpy.",
    ],
)
def test_english_is_left_alone(text: str) -> None:
    assert corrected(text, (), ()) == (text, (), ())


def test_the_questions_own_terms_are_context_enough() -> None:
    assert text_of("I pay in cash.") == "I pay in cash."
    assert text_of("Then there is the cash.", "KV cache") == "Then there is the cache."


def test_the_questions_identifiers_are_written_as_such() -> None:
    terms = ("save_for_backward", "torch.no_grad", "requires_grad", "tf.data", "from_numpy", "__getitem__")
    said = "Use save for backward, torch dot no grad, requires grad and TF data; it is made from NumPy."
    meant = "Use save_for_backward, torch.no_grad, requires_grad and tf.data; it is made from NumPy."
    assert text_of(said, *terms) == meant


def test_a_dot_between_ordinary_words_has_to_be_said() -> None:
    assert text_of("The tape watch is nothing new.", "tape.watch") == "The tape watch is nothing new."
    assert text_of("Call tape dot watch, or tape.watch.", "tape.watch") == "Call tape.watch, or tape.watch."


def test_what_was_changed_is_told_and_found_in_the_text() -> None:
    text, _, told = corrected("The auto grad graph and a sign sub.", (), ())
    assert [(change.heard, text[change.start : change.end]) for change in told] == [
        ("auto grad", "autograd"),
        ("a sign sub", "assign_sub"),
    ]


def test_doubtful_spans_move_along_and_corrected_ones_are_not_doubtful() -> None:
    said = "maybe auto grad helps perhaps"
    spans = [(0, 5), (6, 15), (22, 29)]
    text, doubtful, _ = corrected(said, spans, ())
    assert [text[start:end] for start, end in doubtful] == ["maybe", "perhaps"]


def test_a_correction_changes_nothing_the_second_time() -> None:
    once, _, _ = corrected("A sign sub, then loss dot backward and zero grad for auto grad.", (), ("zero_grad",))
    assert corrected(once, (), ("zero_grad",)) == (once, (), ())


def test_the_table_never_lists_a_term_as_its_own_mistake() -> None:
    import yaml

    for row in yaml.safe_load(TABLE.read_text()):
        assert set(row) <= {"term", "heard", "near", "before", "unless"}
        for heard in row["heard"]:
            assert str(heard) != row["term"], row["term"]
            assert isinstance(heard, str), f"quote {heard!r} of {row['term']}"
