"""Words against words: coverage, opposition and order."""

from __future__ import annotations

import pytest

from grader.evidence import compare
from grader.order import order, ordered
from grader.text import stem, weight, words

PHRASE = "each call to backward adds to the existing gradient"


def test_coverage_counts_stems_and_not_forms() -> None:
    assert compare("backward is adding to existing gradients with each call", PHRASE).coverage == pytest.approx(1.0)
    assert compare("the weather is nice", PHRASE).coverage == 0.0


def test_words_of_the_question_tell_nothing() -> None:
    ask = "What does backward do to the gradient?"
    assert compare("backward and the gradient", PHRASE, ask).coverage == 0.0


@pytest.mark.parametrize(
    "statement",
    [
        "backward does not add to the existing gradient",
        "backward never adds to the existing gradient",
        "a call to backward overwrites the existing gradient rather than adding to it",
    ],
)
def test_a_denial_opposes(statement: str) -> None:
    assert compare(statement, PHRASE).opposed > 0.15


def test_denying_the_opposite_agrees() -> None:
    assert compare("backward does not overwrite the gradient", "backward adds to the gradient").opposed < 0.5
    assert compare("it adds rather than overwriting", "it does not overwrite, it adds").opposed == 0.0


def test_denied_as_a_whole_turns_it_round() -> None:
    assert compare(PHRASE, PHRASE, denied=True).opposed == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("statement", "phrase", "swapped"),
    [
        ("call zero_grad after backward", "call zero_grad before backward", True),
        ("backward comes before zero_grad", "zero_grad comes before backward", True),
        ("backward comes after zero_grad", "zero_grad comes before backward", False),
        ("it converts a list to an array", "it converts an array to a list", True),
        ("zero_grad comes before backward", "zero_grad comes before backward", False),
    ],
)
def test_swapped_sides_oppose(statement: str, phrase: str, swapped: bool) -> None:
    assert (compare(statement, phrase).opposed >= 0.5) is swapped


def test_identifiers_read_as_they_are_spoken() -> None:
    assert [word.stem for word in words("zero_grad() and BatchNorm")] == ["zero", "grad", "and", "batch", "norm"]


def test_stems_join_forms() -> None:
    for forms in (("accumulate", "accumulates", "accumulation"), ("overwrite", "overwritten"), ("class", "classes")):
        assert len({stem(form) for form in forms}) == 1


def test_rare_words_weigh_more() -> None:
    assert weight(stem("the")) < weight(stem("number")) < weight(stem("backpropagation")) == 1.0


SENTENCES = [
    "When I call backward the new gradients get added on top of whatever is already stored in grad.",
    "so like backward keeps adding up the grads until you clear them before the next step",
    "A DataLoader takes a dataset and gives you batches, and with several workers it loads them in parallel.",
    "In evaluation mode the layer uses the running mean and variance that were collected during training.",
]


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_have_an_order(text: str) -> None:
    assert ordered(text)


@pytest.mark.parametrize("text", SENTENCES)
def test_sorted_words_have_none(text: str) -> None:
    assert not ordered(" ".join(sorted(text.split(), key=lambda word: (len(word), word))))


def test_a_list_of_terms_has_no_order() -> None:
    assert not ordered("autograd, computational graph, chain rule, backward, leaf tensor, grad_fn, zero_grad, detach")


def test_a_list_of_terms_in_good_order_is_still_a_list() -> None:
    terms = (
        "Autograd, reverse mode, requires_grad, leaf tensor, computational graph, dynamic graph, backward, chain rule"
    )
    assert not ordered(terms)


def test_order_is_the_same_every_time() -> None:
    assert order(SENTENCES[0]) == order(SENTENCES[0])


def test_a_short_text_cannot_tell_and_passes() -> None:
    assert ordered("gradients add up")
    assert ordered("")
