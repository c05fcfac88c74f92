"""When a quote holds."""

from __future__ import annotations

import pytest

from domain import Quote
from grader.quotes import fault, locate, text_of
from tests.grader.build import turn

ASK = "What happens to gradients in a training loop?"
TURNS = [turn("Gradients add up in .grad.\nSo I clear them.", 1), turn("The optimizer  “steps” after that.", 3)]


def test_a_quote_is_found_with_its_place() -> None:
    quote = locate("I clear them", TURNS)
    assert quote is not None
    assert text_of(quote, TURNS) == "I clear them"
    assert fault(quote, TURNS, ASK) == ""


def test_white_space_may_differ_and_nothing_else() -> None:
    quote = locate("add up in .grad. So I", TURNS)
    assert quote is not None
    assert text_of(quote, TURNS) == "add up in .grad.\nSo I"
    assert locate("adds up in .grad", TURNS) is None
    assert locate("GRADIENTS add up", TURNS) is None
    assert locate("add.up", TURNS) is None


def test_a_quote_never_spans_two_turns() -> None:
    assert locate("clear them. The optimizer", TURNS) is None


@pytest.mark.parametrize("text", ["", "   ", '"', "…"])
def test_nothing_is_no_quote(text: str) -> None:
    assert locate(text, TURNS) is None


@pytest.mark.parametrize("quote", [Quote(2, 0, 3), Quote(1, 0, 9999), Quote(1, -1, 3), Quote(1, 5, 5)])
def test_a_span_outside_the_answer_is_a_fault(quote: Quote) -> None:
    assert "outside" in fault(quote, TURNS, ASK)


def test_forty_words_are_the_limit() -> None:
    text = " ".join(f"word{number}" for number in range(41))
    long = turn(text)
    assert "40 words" in fault(Quote(1, 0, len(text)), [long], ASK)
    assert fault(Quote(1, 0, text.rindex(" ")), [long], ASK) == ""


def test_the_questions_own_words_are_no_evidence() -> None:
    echo = turn("What happens to gradients in the training loop")
    assert "own words" in fault(Quote(1, 0, len(echo.text)), [echo], ASK)


def test_a_quote_of_function_words_alone_is_no_evidence() -> None:
    empty = turn("it is what it is and that is that")
    assert fault(Quote(1, 0, len(empty.text)), [empty], ASK)


def test_of_a_long_question_only_its_phrases_are_its_own() -> None:
    long = (
        "Explain how the optimizer, the loss, the gradients, the layers, the weights, the batch, the epoch, "
        "the dataset, the sampler, the worker, the scheduler, the checkpoint, the metric, the logger, the tensor, the "
        "graph, the hook, the buffer, the module, the seed, the mask, the "
        "kernel, the stream, the pool, the queue and the function act, and why."
    )
    fresh = turn("The optimizer updates weights with gradients of the loss")
    copied = turn("how the optimizer, the loss, the gradients, the layers, the weights")
    assert fault(Quote(1, 0, len(fresh.text)), [fresh], long) == ""
    assert "own words" in fault(Quote(1, 0, len(copied.text)), [copied], long)
