"""One-edit mutants of a Python source: each changes one operator, constant, call or statement.

The operators are the usual ones of mutation testing (arithmetic, relational and logical operator replacement, constant
replacement, statement deletion; Jia and Harman, "An Analysis and Survey of the Development of Mutation Testing", IEEE
TSE 2011), and a few of the field's own: a method that is dropped (`x.detach()` becomes `x`), a reduction or an update
exchanged for its sibling (`sum` and `mean`, `add_` and `sub_`), a keyword argument or a decorator left out.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv,
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_PAIRS = (
    ("sum", "mean"), ("reduce_sum", "reduce_mean"), ("max", "min"), ("maximum", "minimum"), ("amax", "amin"),
    ("argmax", "argmin"), ("zeros", "ones"), ("zeros_like", "ones_like"), ("floor", "ceil"), ("train", "eval"),
    ("add_", "sub_"), ("mul_", "div_"), ("assign_add", "assign_sub"), ("triu", "tril"), ("exp", "expm1"),
    ("log", "log1p"), ("all", "any"), ("reduce_max", "reduce_min"), ("reduce_all", "reduce_any"),
)  # fmt: skip
_NOT_VALUES = {"torch", "tf", "np", "math", "super()", "random"}
_SIBLINGS = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}


@dataclass(frozen=True)
class Mutant:
    """A source with one edit. `line` is the first line of the edited statement as it stands in the original, stripped;
    `edit` says what became of what."""

    code: str
    number: int
    line: str
    edit: str


def _changed(node: ast.AST, **fields: object) -> ast.AST:
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _constants(value: object) -> Iterator[bool | int | float]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
        if value > 0:
            yield value - 1
    elif isinstance(value, float):
        yield value * 2 if value else 1.0
        if value not in (0.0, 1.0):
            yield 1.0


def _expression(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of an expression."""
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        yield _changed(node, op=_BINARY[type(node.op)]())
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        yield _changed(node, ops=[_COMPARED[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.BoolOp):
        yield _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        yield node.values[0]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not | ast.Invert):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    elif isinstance(node, ast.Constant):
        yield from (ast.copy_location(ast.Constant(value), node) for value in _constants(node.value))
    elif isinstance(node, ast.Call):
        yield from _call(node)


def _call(node: ast.Call) -> Iterator[ast.AST]:
    called = node.func
    if isinstance(called, ast.Attribute):
        if not node.args and not node.keywords and ast.unparse(called.value) not in _NOT_VALUES:
            yield called.value
        if called.attr in _SIBLINGS:
            yield _changed(node, func=_changed(called, attr=_SIBLINGS[called.attr]))
    elif isinstance(called, ast.Name) and called.id in _SIBLINGS:
        yield _changed(node, func=_changed(called, id=_SIBLINGS[called.id]))
    for index, keyword in enumerate(node.keywords):
        if keyword.arg:
            yield _changed(node, keywords=node.keywords[:index] + node.keywords[index + 1 :])


def _statement(node: ast.stmt) -> Iterator[ast.stmt]:
    """What may stand in the place of a statement."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.Expr | ast.AugAssign | ast.Continue | ast.Break):
        yield ast.copy_location(ast.Pass(), node)
    if isinstance(node, ast.AugAssign) and type(node.op) in _BINARY:
        yield _changed(node, op=_BINARY[type(node.op)]())  # type: ignore[misc]
    if isinstance(node, ast.If | ast.While):
        yield _changed(node, test=ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test))  # type: ignore[misc]
    if isinstance(node, ast.If) and not node.orelse:
        yield ast.copy_location(ast.Pass(), node)
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        for index in range(len(node.decorator_list)):
            kept = node.decorator_list[:index] + node.decorator_list[index + 1 :]
            yield _changed(node, decorator_list=kept)  # type: ignore[misc]


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, Callable[[ast.AST], None]]]:
    """Each child, and how to put another in its place. Annotations, f-strings and imports are left alone."""
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Raise | ast.Assert):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "ctx", "op", "ops"):
            continue
        if isinstance(value, ast.AST):
            yield value, lambda new, name=name: setattr(node, name, new)  # type: ignore[misc]
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield item, lambda new, value=value, index=index: value.__setitem__(index, new)  # type: ignore[misc]


def _shown(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 90 else f"{text[:87]}..."


def mutants(source: str) -> Iterator[Mutant]:
    """Every one-edit mutant of a source that compiles, none twice. Raises SyntaxError where the source does not."""
    tree = ast.parse(source)
    lines = source.splitlines()
    seen = {ast.unparse(tree)}

    def walk(node: ast.AST, line: int) -> Iterator[Mutant]:
        for child, put in _children(node):
            here = child.lineno if isinstance(child, ast.stmt) else line
            replaced = _statement(child) if isinstance(child, ast.stmt) else _expression(child)
            for new in replaced:
                put(new)
                code = ast.unparse(ast.fix_missing_locations(tree))
                put(child)
                if code not in seen:
                    seen.add(code)
                    yield Mutant(code, here, lines[here - 1].strip(), f"{_shown(child)} -> {_shown(new)}")
            yield from walk(child, here)

    yield from walk(tree, 1)
