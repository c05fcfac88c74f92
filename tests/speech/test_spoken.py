"""Markdown to speakable words, and names as the field says them."""

from __future__ import annotations

import pytest

from knowledge.questions import load_bank
from speech.pronounce import say_name, say_prose, terms
from speech.spoken import CODE, DETAILS, EXAMPLE, TABLE, sentences


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x.grad", "x dot grad"),
        ("__getitem__", "dunder get item"),
        ("nn.Module", "N N module"),
        ("@tf.function", "T F function"),
        ("torch.nn.functional.cross_entropy", "torch N N functional cross entropy"),
        ("optimizer.zero_grad", "optimizer dot zero grad"),
        ("loss_fn", "loss F N"),
        (".grad", "dot grad"),
        ("CSVDataset", "C S V Dataset"),
        ("float16", "float sixteen"),
        ("_", "_"),
    ],
)
def test_a_name_is_said_as_people_say_it(name: str, said: str) -> None:
    assert say_name(name) == said


@pytest.mark.parametrize(
    ("prose", "said"),
    [
        ("Export it to ONNX on a GPU, e.g. in INT8.", "Export it to onnix on a G P U, for example in I N T eight."),
        ("Call loss.backward() and read x.grad", "Call loss dot backward and read x dot grad"),
        ("f(x) = 3x² + 2x at x = 4", "f of x equals 3 x squared plus 2 x at x equals 4"),
        ("for |x| up to 10⁴", "for x up to 10 to the power of 4"),
        ("a step of 1e-8", "a step of 1 e minus 8"),
        ("It ends here. And so on, state-of-the-art.", "It ends here. And so on, state-of-the-art."),
    ],
)
def test_prose_keeps_its_words_and_says_symbols(prose: str, said: str) -> None:
    assert say_prose(prose) == said


def test_code_is_referred_to_and_never_read() -> None:
    said = sentences(
        "What does this print?\n\n```python\nprint(i)\n```\n\nThen look at `y = [i ** 2 for i in x]`. "
        "For example, with `f([1, 2])` it is `[1, 4]`."
    )
    assert said == ["What does this print?", CODE, "Then look at the code on the page.", EXAMPLE]


def test_lists_of_specifications_and_tables_are_left_to_the_page() -> None:
    technical = sentences("Write `f(x)`:\n\n- `x` is a tensor.\n- Return `x.grad`.\n")
    assert technical == ["Write f:", DETAILS]
    plain = sentences("Tell me:\n\n1. What is a leaf?\n2. What is a graph?\n")
    assert plain == ["Tell me:", "What is a leaf?", "What is a graph?"]
    assert sentences("| a | b |\n|---|---|\n| 1 | 2 |") == [TABLE]


def test_sentences_end_where_they_end() -> None:
    assert sentences("Use e.g. SGD. What does `model.eval()` change? **Nothing** else!") == [
        "Use for example S G D.",
        "What does model dot eval change?",
        "Nothing else!",
    ]
    assert sentences("See [the paper](http://example.org/x.y?z=1) for $E = mc^2$.") == [
        "See the paper for the formula on the page."
    ]
    assert sentences("") == sentences("---\n\n![a](b.png)") == []


def test_a_long_sentence_is_cut_at_its_commas() -> None:
    long = "This goes on, " * 60 + "and ends."
    parts = sentences(long)
    assert len(parts) > 1
    assert all(len(part) < 340 for part in parts)
    assert " ".join(parts) == long


def test_every_question_can_be_read_out() -> None:
    for question in load_bank().questions.values():
        said = sentences(question.ask)
        assert said, question.id
        for sentence in said:
            assert not set(sentence) & set("`*_#[]{}<>|\\$@="), f"{question.id}: {sentence}"
            assert sentence.isascii() or not set(sentence) & set("∂∑√²³⁴·≤≥ᵢⱼ"), f"{question.id}: {sentence}"


def test_the_table_gives_speakable_words() -> None:
    for term in terms().values():
        assert term.spoken, term
        assert not set(term.spoken) & set("_.@`"), term
