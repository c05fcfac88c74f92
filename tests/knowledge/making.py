"""Small banks made for tests: a valid question that each test breaks in one way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

SAYS = {
    "chain_rule": "Backward multiplies the local derivatives along each path.",
    "graph": "The forward pass records its operations as nodes.",
    "leaves": "Only parameters that the user made keep a .grad.",
    "accumulate": "A second call adds to what the first one left, so training loops set it to zero.",
}


def point(point_id: str = "chain_rule", **changes: Any) -> dict[str, Any]:
    """A valid said point."""
    return {
        "id": point_id,
        "says": SAYS.get(point_id, f"Something else, called {point_id}."),
        "worth": 2,
        "accepts": [
            f"it applies the chain rule backwards, {point_id}",
            f"local derivatives are multiplied, {point_id}",
            f"so um you go back and multiply, {point_id}",
        ],
        "misconceptions": [
            {"says": ["it takes finite differences"], "correction": "It is exact up to rounding."},
            {"says": ["it derives a formula symbolically"], "correction": "It works on recorded operations."},
        ],
        "follow_up": "How does it get from the output to the input?",
        "hints": ["Think of nested functions.", "What does each operation know about itself?"],
        "why": "Custom operations need it.",
        **changes,
    }


def question(**changes: Any) -> dict[str, Any]:
    """A valid explain question, as question.yaml holds it. A change to None leaves the key out."""
    data = {
        "title": "How gradients are computed",
        "framework": "pytorch",
        "level": "easy",
        "kind": "explain",
        "sources": ["framework-fundamentals#4"],
        "ask": "How does backward compute gradients?",
        "keywords": ["autograd"],
        "symptoms": ["I don't know where gradients come from"],
        "points": [point(name) for name in ("chain_rule", "graph", "leaves", "accumulate")],
        "model_answer": "It walks the recorded graph in reverse.",
        **changes,
    }
    return {key: value for key, value in data.items() if value is not None}


def code_question(**changes: Any) -> dict[str, Any]:
    """A valid code question with one said and one checked point."""
    return question(
        **{
            "kind": "code",
            "starter": "def double(x):\n    ...\n",
            "model_code": "def double(x):\n    return 2 * x\n",
            "points": [
                point(),
                {"id": "doubles", "says": "It doubles.", "worth": 3, "proof": "check", "cases": ["hidden-value"]},
            ],
            **changes,
        }
    )


def write(bank: Path, question_id: str, data: dict[str, Any] | str, topic: str = "pytorch", check: str = "") -> Path:
    """Write a question's folder and return it. `data` may be raw YAML text."""
    folder = bank / topic / question_id
    folder.mkdir(parents=True)
    text = data if isinstance(data, str) else yaml.safe_dump(data, sort_keys=False)
    (folder / "question.yaml").write_text(text, encoding="utf-8")
    if check:
        (folder / "check.py").write_text(check, encoding="utf-8")
    return folder
