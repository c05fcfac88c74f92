"""Text of strangers: made safe to store in a report (`scrub`) and to show (`visible`).

Neither knows of a format: escaping is the renderers' business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar

T = TypeVar("T")

_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""The controls that reorder text, also beyond the string that holds them: embeddings, overrides and isolates."""

_VISIBLE: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
    **{code: f"[U+{code:04X}]" for code in _BIDI},
    0x2028: "\n",
    0x2029: "\n",
    0xFEFF: "",
    0xFFFE: "\ufffd",
    0xFFFF: "\ufffd",
}


def visible(text: str) -> str:
    """The text with line ends unified, and with control characters and direction overrides shown as symbols."""
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_VISIBLE)


def scrub(value: T, secret: str) -> T:
    """The same tree of dataclasses and tuples, its strings without the secret and without lone surrogates.

    Every replacement has the length of what it replaces, so that quotes still point where they pointed. A secret
    shorter than 16 characters is none, and stays.
    """
    mask = "•" * len(secret) if len(secret) >= 16 else ""

    def clean(text: str) -> str:
        if not text.isascii():
            text = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
        return text.replace(secret, mask) if mask else text

    return map_strings(value, clean)


def map_strings(value: T, change: Callable[[str], str]) -> T:
    """The same tree of dataclasses and tuples with every string changed; enum members and numbers stay."""
    tree: Any = value
    if isinstance(tree, Enum):
        return value
    if isinstance(tree, str):
        changed: Any = change(tree)
    elif isinstance(tree, tuple):
        changed = tuple(map_strings(item, change) for item in tree)
    elif is_dataclass(tree) and not isinstance(tree, type):
        changed = replace(
            tree, **{field.name: map_strings(getattr(tree, field.name), change) for field in fields(tree)}
        )
    else:
        return value
    return changed  # type: ignore[no-any-return]
