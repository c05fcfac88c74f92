"""Python code inside a chat answer: which parts of it are code, and whether they are a whole submission."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from domain import Framework, Question

_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+.-]*)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_PYTHON = {"python", "py", "python3", "pytorch", "tensorflow"}
_TENSORFLOW = re.compile(r"\b(?:tensorflow|keras)\b|\btf\.")
_TELLING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AugAssign)


@dataclass(frozen=True)
class Parts:
    """A chat answer taken apart: its Python blocks, and the words around them."""

    blocks: tuple[str, ...]
    words: str

    @property
    def code(self) -> str:
        """All blocks as one program, in order."""
        return "\n\n".join(block.strip("\n") for block in self.blocks) + "\n"


def parts(text: str) -> Parts:
    """Take an answer apart. A block without a language counts when it parses as Python and does something; so does
    an answer that is nothing but code."""
    blocks: list[str] = []

    def keep(match: re.Match[str]) -> str:
        language, body = match[2].lower(), match[3]
        if body.strip() and (language in _PYTHON or (not language and _does_something(body))):
            blocks.append(body)
            return "\n"
        return match[0]

    words = _FENCE.sub(keep, text)
    if not blocks and _does_something(text):
        return Parts((text,), "")
    return Parts(tuple(blocks), words.strip())


def is_whole(code: str, question: Question) -> bool:
    """Whether the code defines all that the question's starter (or, without one, its model code) defines."""
    needed = _defined(question.starter) or _defined(question.model_code)
    return bool(needed) and needed <= _defined(code)


def framework_of(code: str, question: Question) -> Framework:
    """The framework to run the code with: the question's, or for a question on both, the one that the code names."""
    if question.framework is not Framework.BOTH:
        return question.framework
    return Framework.TENSORFLOW if _TENSORFLOW.search(code) else Framework.PYTORCH


def fenced(text: str, language: str = "") -> str:
    """The text as a Markdown code block that nothing in it can end early."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def syntax_fault(code: str) -> str:
    """A sentence that says where the code is no Python, or "" where it parses or cannot be told."""
    try:
        ast.parse(code)
    except SyntaxError as error:
        return f"Line {error.lineno or 1} of your code is not valid Python: {error.msg}."
    except (ValueError, RecursionError, MemoryError):
        return ""
    return ""


def _parse(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _does_something(code: str) -> bool:
    tree = _parse(code)
    return tree is not None and any(isinstance(node, _TELLING) for node in tree.body)


def _defined(code: str) -> set[str]:
    tree = _parse(code)
    if tree is None:
        return set()
    return {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
