"""Words and BM25, checked by hand arithmetic."""

from __future__ import annotations

import math

import pytest

from knowledge.words import BM25, sentences, words


def test_forms_of_a_word_fall_together() -> None:
    for forms in ("gradient gradients", "normalise normalization normalized", "batches batch", "stopped stopping stop"):
        assert len(set(words(forms))) == 1, forms


def test_function_words_do_not_count() -> None:
    assert words("How do I use the chain rule?") == words("chain rule")


def test_sentences_are_cut_at_ends_and_lines_but_not_in_names() -> None:
    assert sentences("Call tf.function once. It traces; then\nit runs!") == [
        "Call tf.function once.", "It traces;", "then", "it runs!"
    ]  # fmt: skip


def test_bm25_is_the_formula() -> None:
    found = BM25([["a", "b"], ["b", "b", "c", "c"]], k1=1.2, b=0.75).scores(["b", "absent"])
    idf = math.log(1 + (2 - 2 + 0.5) / (2 + 0.5))
    first = idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3))
    second = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3))
    assert found.tolist() == pytest.approx([first, second])


def test_bm25_of_nothing() -> None:
    assert BM25([]).scores(["a"]).shape == (0,)
    assert BM25([[], ["a"]]).scores(["b"]).tolist() == [0, 0]
