"""The child process that reads one document: `python -m knowledge.extract FORMAT MEMORY SECONDS < document`.

It limits itself before it looks at a byte (memory, processor time, no files, no further processes), imports parsers
only then, and writes one JSON object: `{"pairs", "rest", "notices"}`, or `{"error"}` with a message to show.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import resource
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

from domain import UserError

MOST_CHARACTERS = 2_000_000  # of a document's text
MOST_PAIRS = 500
MOST_REST = 200_000  # characters of prose that belongs to no question
LONGEST_LINE = 20_000
# Characters that turn the direction of text round, or hide: a reader and a judge would see different words.
_UNSEEN = dict.fromkeys(
    [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0x200B, 0x2060, 0xFEFF]
)


def limit(memory: int, seconds: int) -> None:
    """Take away from this process what a parser does not need. `memory` is in bytes."""
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (most, most) if hard == resource.RLIM_INFINITY or most <= hard else (hard, hard))
    sys.setrecursionlimit(3_000)


def cleaned(text: str) -> str:
    """The text without control characters, characters that turn its direction, and halves of characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n").translate(_UNSEEN)
    text = text.encode("utf-8", "replace").decode()
    text = "".join(letter for letter in text if letter in "\n\t" or unicodedata.category(letter) != "Cc")
    return unicodedata.normalize("NFC", text)


def extract(kind: str, data: bytes) -> dict[str, Any]:
    """Read a document of that kind. Raises UserError with what is wrong with it."""
    from knowledge.formats import READERS
    from knowledge.pairs import find

    notices: list[str] = []
    text = cleaned(READERS[kind](data, notices))
    if len(text) > MOST_CHARACTERS:
        raise UserError(f"it holds {len(text):,} characters of text, and at most {MOST_CHARACTERS:,} are read.")
    lines = text.splitlines()
    long = sum(len(line) > LONGEST_LINE for line in lines)
    if long:
        notices.append(f"{long} of its lines are longer than {LONGEST_LINE:,} characters and were left out.")
    text = "\n".join(line for line in lines if len(line) <= LONGEST_LINE)
    if not text.strip():
        raise UserError(f"it holds no text{' in lines that can be read' if long else ''}.")
    found = find(text)
    if len(found.pairs) > MOST_PAIRS:
        notices.append(f"It holds {len(found.pairs)} questions; the first {MOST_PAIRS} were looked at.")
    pairs = [dataclasses.asdict(pair) for pair in found.pairs[:MOST_PAIRS]]
    return {"pairs": pairs, "rest": found.rest[:MOST_REST], "notices": notices}


def main(arguments: Sequence[str]) -> int:
    """Read a document from standard input; 0 in any case that is told in the answer."""
    kind, memory, seconds = arguments[0], int(arguments[1]), int(arguments[2])
    limit(memory, seconds)
    answer: dict[str, Any]
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # parsers may chatter
        try:
            answer = extract(kind, sys.stdin.buffer.read())
        except UserError as error:
            answer = {"error": str(error)}
        except MemoryError:
            answer = {"error": "it needs more memory than a document may have."}
        except RecursionError:
            answer = {"error": "it is nested too deeply."}
    json.dump(answer, out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
