"""The shape of the house: what the single-file modules may import, and what must not be loaded to show the page."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FIRST_PARTY = {p.stem for p in ROOT.glob("*.py")} | {p.parent.name for p in ROOT.glob("*/__init__.py")}
HEAVY = {
    "torch",
    "tensorflow",
    "keras",
    "faiss",
    "sentence_transformers",
    "transformers",
    "langchain",
    "langchain_core",
}


def imported(path: Path, top_level_only: bool = False) -> set[str]:
    """First components of all modules that a file imports, outside `if TYPE_CHECKING`."""
    found: set[str] = set()
    tree = ast.parse(path.read_text())
    skipped = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for child in ast.walk(node)
    }
    for node in tree.body if top_level_only else ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_domain_needs_only_the_standard_library() -> None:
    assert imported(ROOT / "domain.py") <= set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    ("module", "known"),
    [("settings.py", set()), ("embed.py", set()), ("spending.py", set()), ("gguf.py", set()), ("llm.py", {"gguf"})],
)
def test_single_file_modules_know_little_beyond_the_domain(module: str, known: set[str]) -> None:
    assert imported(ROOT / module) & FIRST_PARTY <= {"domain", *known}


def test_only_composition_roots_read_the_environment() -> None:
    """The sandbox is left out: a box clears and sets its own environment."""
    for part in ("knowledge", "grader", "interview", "report", "ui"):
        for path in (ROOT / part).glob("*.py"):
            if path.name == "__main__.py":
                continue
            nodes = ast.walk(ast.parse(path.read_text()))
            reads = [n.lineno for n in nodes if isinstance(n, ast.Attribute) and n.attr in {"getenv", "environ"}]
            assert not reads, f"{part}/{path.name} uses the environment at lines {reads}"


def test_making_the_page_loads_no_model_library() -> None:
    """Each of these takes seconds to import; the page must be up before them."""
    code = f"import sys, app; print(sorted({HEAVY!r} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip().splitlines()[-1] == "[]"
