"""Plans in free words."""

from __future__ import annotations

import pytest

from domain import Framework, Level, Mode, Plan
from interview.setup import understand

TOPICS = {
    "autograd": ("gradient", "computational graph"),
    "data_loading": ("DataLoader", "custom dataset"),
    "batch_normalisation": ("batch norm", "running statistics"),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "3 hard pytorch questions about autograd, exam please",
            Plan(Framework.PYTORCH, Level.HARD, ("autograd",), "*", 3, Mode.EXAM),
        ),
        ("one easy question in TF on data loading", Plan(Framework.TENSORFLOW, Level.EASY, ("data_loading",), "*", 1)),
        ("five", Plan(questions=5)),
        ("PyTorch 2.0 please", Plan(Framework.PYTORCH)),
        ("pytorch, not tensorflow", Plan(Framework.PYTORCH)),
        ("compare pytorch and keras", Plan(focus="*")),
        ("from easy to hard", Plan()),
        ("my gradients explode after a few steps", Plan(focus="*")),
        ("I have 10 years of experience with running statistics", Plan(topics=("batch_normalisation",), focus="*")),
        ("nothing too hard, just practice", Plan()),
        ("no exam, I want feedback as we go", Plan()),
        (
            "Ask me a couple of tricky problems on custom datasets",
            Plan(Framework.BOTH, Level.HARD, ("data_loading",), "*", 2),
        ),
        ("ten senior-level questions", Plan(level=Level.HARD, questions=10)),
    ],
)
def test_it_reads_what_people_ask_for(text: str, expected: Plan) -> None:
    plan = understand(text, TOPICS).plan
    focus = text if expected.focus == "*" else expected.focus
    assert plan == Plan(expected.framework, expected.level, expected.topics, focus, expected.questions, expected.mode)


@pytest.mark.parametrize(("text", "questions"), [("30 questions", 10), ("0 questions", 1), ("a dozen questions", 10)])
def test_too_many_are_cut_and_it_says_so(text: str, questions: int) -> None:
    found = understand(text, TOPICS)
    assert found.plan.questions == questions
    assert str(questions) in found.note
