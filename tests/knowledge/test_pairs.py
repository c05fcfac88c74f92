"""Questions and answers are found in documents of the usual shapes, mangled or not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from domain import Kind, Level
from knowledge.pairs import find, find_pairs, undundered

SEEDS = next(filter(Path.is_dir, (above / "shared" / "seeds" for above in Path(__file__).parents)), Path("absent"))


def seed(start: str) -> str:
    if not SEEDS.is_dir():
        pytest.skip("the source documents (../shared/seeds) are not here")
    return next(SEEDS.glob(f"{start}*.txt")).read_text(encoding="utf-8")


def test_the_first_source_document_gives_its_five_questions() -> None:
    pairs = find_pairs(seed("000"))
    assert [(pair.level, pair.kind, pair.popularity) for pair in pairs] == [
        (Level.HARD, Kind.DESIGN, 45),
        (Level.MEDIUM, Kind.EXPLAIN, 38),
        (Level.HARD, Kind.EXPLAIN, 44),
        (Level.EASY, Kind.EXPLAIN, 35),
        (Level.EASY, Kind.EXPLAIN, 46),
    ]
    for pair in pairs:
        for stray in ("practiced", "Sample Answer", "Unlock", "Join thousands"):
            assert stray not in pair.question + pair.answer + pair.code
    assert [bool(pair.code) for pair in pairs] == [False, True, True, True, True]
    for pair in pairs:
        compile(pair.code, "draft", "exec")
        assert "import " not in pair.answer
    assert pairs[1].code.count("optim.AdamW(") == 2
    assert "Freeze base initially:" in pairs[1].answer
    assert len(pairs[0].points) > 30
    assert "Practical knowledge" in find(seed("000")).rest
    assert "Join thousands" not in find(seed("000")).rest


def test_the_second_source_document_gives_its_sixteen_questions() -> None:
    pairs = find_pairs(seed("003"))
    assert len(pairs) == 16
    assert all(pair.question.endswith("?") for pair in pairs)
    assert [number for number, pair in enumerate(pairs, start=1) if pair.code] == [6, 10]
    assert pairs[9].code.endswith("load_model('my_model.h5')")  # a heading was glued to it
    assert "__len__ (which" in pairs[3].answer and "__getitem__ (which" in pairs[3].answer  # underscores were lost
    assert "open-source deep learning library" in find(seed("003")).rest
    for pair in pairs:
        for stray in ("Answer:", "Questions", "Mastering", "Practical Considerations"):
            assert stray not in pair.answer
        compile(pair.code, "draft", "exec")


SHAPES = {
    "numbered": "Q1. What is a tensor?\nA: An array.\n\nQ2: What is rank?\nAnswer: Its number of axes.\n",
    "headings": "# FAQ\n\n## What is a tensor?\n\nAn array.\n\n## What is rank?\n\nIts number of axes.\n",
    "bold": "**What is a tensor?**\n\nAn array.\n\n**2. What is rank?**\nIts number of axes.\n",
    "list": "1. What is a tensor?\nAn array.\n2. **What is rank?**\nIts number of axes.\n",
    "details": "<details><summary>What is a tensor?</summary>\nAn array.\n</details>\n"
    "<details>\n<summary>What is rank?</summary>\nIts number of axes.\n</details>\n",
    "question on its own line": "Question 1\nWhat is a tensor?\nAnswer: An array.\n\n**Q2.**\nWhat is rank?\n"
    "**Answer**\nIts number of axes.\n",
    "sections": "## What is a tensor?\nAn array.\n\n# Other things\n## What is rank?\nIts number of axes.\n\n## End",
    "standing alone": "A page.\n\nWhat is a tensor?\nAn array.\n\nWhat is rank?\n\nIts number of axes.\n",
    "details with text after": "<details><summary>What is a tensor?</summary>An array.</details>\nBetween.\n"
    "<details><summary>What is rank?</summary>\n\nIts number of axes.\n\n</details>\nAfter.\n",
    "table": "| # | Question | Answer |\n|---|:--|---|\n| 1 | What is a tensor? | An array. |\n"
    "| 2 | What is rank? | Its number of axes. |\n\nMore text.\n",
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
def test_usual_shapes(text: str) -> None:
    found = [(pair.question, pair.answer) for pair in find_pairs(text)]
    assert found == [("What is a tensor?", "An array."), ("What is rank?", "Its number of axes.")]


def test_a_heading_below_the_question_is_part_of_its_answer_and_commands_ask_too() -> None:
    first, second = find_pairs("## Explain tensors\nArrays.\n### Details\nWith a type.\n**Describe rank.**\nAxes.\n")
    assert (first.question, first.answer) == ("Explain tensors", "Arrays.\n### Details\nWith a type.")
    assert (second.question, second.answer) == ("Describe rank.", "Axes.")


def test_advertisements_and_other_prose_are_told_apart() -> None:
    text = "Tensors matter.\n\nQ1: What is rank?\nA: The number of axes.\nSign up for our newsletter!\nMore of it.\n\n"
    text += "## Notes\nDone."
    found = find(text)
    assert found.pairs[0].answer == "The number of axes.\n\nMore of it."
    assert found.rest == "Tensors matter.\n\n## Notes\nDone."


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("override len and getitem.", "override __len__ and __getitem__."),
        ("Call len(x). Write `getitem`, or getitem.", "Call len(x). Write `getitem`, or __getitem__."),
        ("We init and call it.", "We init and call it."),
        ("torch.Tensor.getitem and a_getitem", "torch.Tensor.getitem and a_getitem"),
    ],
)
def test_lost_underscores_come_back(text: str, mended: str) -> None:
    assert undundered(text) == mended


def test_code_is_told_from_prose() -> None:
    fenced = "```python\nx = 1\n# Q: not a question\n```"
    (pair,) = find_pairs(f"Q: How?\nA: Like this:\n{fenced}\nThat is all.\nimport torch\ny = torch.ones(2)\n")
    assert pair.answer == "Like this:\nThat is all."
    assert pair.code == "x = 1\n# Q: not a question\n\nimport torch\ny = torch.ones(2)"


@pytest.mark.parametrize("text", ["", "Just prose. It asks nothing.", "What is this? I wonder.", "(" * 50_000])
def test_free_text_gives_no_question(text: str) -> None:
    assert find_pairs(text) == []


@pytest.mark.parametrize("line", ["x = 1", "f(", "x = 'it", "import this is prose", "((((((((((", "- a"])
def test_long_documents_are_read_in_time(line: str) -> None:
    start = time.process_time()
    find_pairs("Q: How?\nA: So.\n" + f"{line}\n" * 20_000)
    assert time.process_time() - start < 5


def test_nothing_of_a_document_is_executed(tmp_path: Path) -> None:
    target = tmp_path / "touched"
    (pair,) = find_pairs(f"Q: Do?\nA: This.\nopen({str(target)!r}, 'w').write('x')\n")
    assert "open(" in pair.code
    assert not target.exists()
