"""How the field's terms and names in code are said, so that any voice reads them as people in the field do.

The table is data (pronunciation.tsv). A name that it does not hold is taken apart as people take it apart: at dots,
underscores, capitals and digits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("pronunciation.tsv")
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SYMBOLS = {
    "√": " the root of ", "²": " squared", "³": " cubed", "×": " times ", "·": " times ", "≤": " at most ",
    "≥": " at least ", "≈": " about ", "≠": " not equal to ", "→": " to ", "ε": "epsilon", "β": "beta", "γ": "gamma",
    "α": "alpha", "λ": "lambda", "σ": "sigma", "μ": "mu", "θ": "theta", "η": "eta", "∞": "infinity", "−": " minus ",
    "±": " plus or minus ", "∇": "nabla ", "%": " per cent", "°": " degrees", "…": ", and so on",
}  # fmt: skip
_MATHS = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"(?<=\d)e-0?(\d+)", r" e minus \1"),
        (r"\|(\w+)\|", r"\1"),
        (r"(?<!\w)\.(?=[a-z])", "dot "),
        (r"\b([A-Za-z]\w*)\((\w)\)", r"\1 of \2"),
        (r"(?<=\d)([a-z])(?![a-z\d])", r" \1"),
        (r"\[[^\[\]]*\]", " the values on the page "),
        (r"\s*=+\s*", " equals "),
        (r" \+ ", " plus "),
        (r"(?<=\w) [-−] (?=\w)", " minus "),
        (r"(?<=\d)([⁴⁵⁶⁷⁸⁹])", lambda found: f" to the power of {'⁴⁵⁶⁷⁸⁹'.index(found[1]) + 4}"),
    )
)
_CODE = re.compile(  # names that only code has: dots inside, or underscores
    r"(?<![\w.])(?:[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+|[A-Za-z]\.[a-z_]\w+|\w*[A-Za-z]_\w+)(?:\(\))?(?!\w)"
)
_QUIET = {"nn", "tf", "torch", "keras", "np"}  # in their names no dot is said: "T F function", "torch compile"


@dataclass(frozen=True)
class Term:
    """A term as written, as a voice should read it, and the spellings under which it may be written down again."""

    written: str
    spoken: str
    heard: tuple[str, ...]


@cache
def terms() -> Mapping[str, Term]:
    """The table, by the written term."""
    rows = (line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {
        written: Term(written, spoken, tuple(dict.fromkeys((written.lower(), spoken.lower(), *heard.split("|")))))
        for written, spoken, heard in rows
    }


@cache
def _in_prose() -> re.Pattern[str]:
    longest_first = sorted(terms(), key=len, reverse=True)
    return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, longest_first))})(?!\w|\.\w)")


def say_prose(text: str) -> str:
    """Prose with the field's terms, names from code and symbols as they are said."""
    text = _in_prose().sub(lambda found: terms()[found[0]].spoken, text)
    text = _CODE.sub(lambda found: say_name(found[0].removesuffix("()")), text)
    for pattern, words in _MATHS:
        text = pattern.sub(words, text)
    for symbol, words in _SYMBOLS.items():
        text = text.replace(symbol, words)
    text = re.sub(r"[`*_#\[\]{}<>|\\$@]+", " ", text)  # what is left of markup and formulas has no sound
    text = re.sub(r"\s+([,.;:?!])", r"\1", text)
    return " ".join(text.split())


def say_name(name: str) -> str:
    """A name from code as it is said: `x.grad` "x dot grad", `__getitem__` "dunder get item", `loss_fn` "loss F N"."""
    if known := terms().get(name):
        return known.spoken
    name = name.lstrip("@")
    if "." in name:
        head, _, last = name.rpartition(".")
        if not head:
            return f"dot {say_name(last)}"
        joint = " " if name.partition(".")[0] in _QUIET else " dot "
        return say_name(head) + joint + say_name(last)
    if name.startswith("__") and name.endswith("__") and len(name) > 4:
        return f"dunder {say_name(name.strip('_'))}"
    if "_" in name.strip("_"):
        return " ".join(say_name(piece) for piece in name.split("_") if piece)
    return " ".join(_piece(piece) for piece in _PIECES.findall(name)) or name


def _piece(piece: str) -> str:
    if known := terms().get(piece) or terms().get(piece.lower()):
        return known.spoken
    if piece == "fn":
        return "F N"
    capitals = piece.isupper() and 1 < len(piece) < 5
    return " ".join(piece) if capitals else piece
