"""The published JSON Schema of a report, made from `report/model.py` by `python -m report schema`."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from pathlib import Path
from typing import Any, Literal, Union

from report import model
from report.model import SCHEMA, Report

PATH = Path(__file__).with_name("schema.json")


def schema() -> str:
    """The schema, JSON Schema 2020-12, as text with a line end. Every field is required and no other is allowed."""
    definitions: dict[str, object] = {}
    _define(Report, definitions)
    top = definitions.pop(Report.__name__)
    assert isinstance(top, dict)
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Viva interview report ({SCHEMA})",
        **top,
        "$defs": definitions,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _define(kind: type[Any], definitions: dict[str, object]) -> None:
    if kind.__name__ in definitions:
        return
    definitions[kind.__name__] = {}  # keeps its place, and ends a recursion
    hints = typing.get_type_hints(kind, vars(model))
    properties = {field.name: _property(hints[field.name], definitions) for field in dataclasses.fields(kind)}
    if kind is Report:
        properties["schema"] = {"const": SCHEMA}
    definitions[kind.__name__] = {
        "description": " ".join((kind.__doc__ or "").split()),
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _property(hint: Any, definitions: dict[str, object]) -> dict[str, object]:
    plain = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
    if hint in plain:
        return {"type": plain[hint]}
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return {"type": "array", "items": _property(arguments[0], definitions)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_property(argument, definitions) for argument in arguments]}
    if dataclasses.is_dataclass(hint):
        assert isinstance(hint, type)
        _define(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    raise TypeError(f"the schema has no words for {hint!r}")
