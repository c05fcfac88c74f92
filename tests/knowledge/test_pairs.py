"""Questions and answers are found in documents of the usual shapes, mangled or not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from domain import Kind, Level, UserError
from knowledge.pairs import find_pairs, read_text

SEEDS = Path(__file__).parents[2].parent / "shared" / "seeds"


def seed(start: str) -> str:
    if not SEEDS.is_dir():
        pytest.skip("the source documents (../shared/seeds) are not here")
    return read_text(next(SEEDS.glob(f"{start}*.txt")))


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


def test_the_second_source_document_gives_its_sixteen_questions() -> None:
    pairs = find_pairs(seed("003"))
    assert len(pairs) == 16
    assert all(pair.question.endswith("?") for pair in pairs)
    assert [number for number, pair in enumerate(pairs, start=1) if pair.code] == [6, 10]
    assert pairs[9].code.endswith("load_model('my_model.h5')")  # a heading was glued to it
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
    "table": "| # | Question | Answer |\n|---|:--|---|\n| 1 | What is a tensor? | An array. |\n"
    "| 2 | What is rank? | Its number of axes. |\n\nMore text.\n",
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
def test_usual_shapes(text: str) -> None:
    found = [(pair.question, pair.answer) for pair in find_pairs(text)]
    assert found == [("What is a tensor?", "An array."), ("What is rank?", "Its number of axes.")]


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


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", b"%PDF-1.7", "only .txt and .md"),
        ("a.txt", b"\xff\x00\xd8", "is not"),
        ("a.md", b"text\0text", "is not text"),
        ("a.txt", b"caf\xe9", "is not UTF-8 text (byte 3)"),
        ("a.txt", b"x" * (2 << 20) + b"x", "is larger than 2 MiB"),
    ],
)
def test_what_is_no_text_is_refused(name: str, data: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError) as error:
        read_text(tmp_path / name)
    assert reason in str(error.value)
    assert name in str(error.value)


def test_byte_order_marks_are_understood(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "a.txt").write_bytes("Q1: Größe?".encode(encoding))
        assert read_text(tmp_path / "a.txt") == "Q1: Größe?"


def test_a_missing_document_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"absent\.txt: cannot be read"):
        read_text(tmp_path / "absent.txt")
