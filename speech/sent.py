"""What of a sent text was spoken: transcripts were put into the answer box, and may have been corrected there.

The transcripts come from the server's own memory, not from the browser: which words were doubtful decides what is
held against nobody, so nobody gets to say it about their own text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from domain import Answer, Transcript
from speech.delivery import advice

_WORD = re.compile(r"\S+")
_MOST_WORDS = 4_000  # beyond it no marks are looked for: a person's answer is shorter
_KEPT = 0.4  # of a transcript's words; with fewer left it was thrown away, and what stands there was typed


def answer(text: str, transcripts: Sequence[Transcript]) -> Answer:
    """The answer that was sent, with what is known of how it was spoken.

    `heard` holds the spans of doubtful words that still stand as they were recognised, `edited` whether anything of
    what was recognised was changed, `seconds` the length of the recordings, `spoken` the transcripts themselves.
    Transcripts of which next to nothing is left do not count.
    """
    words = list(_WORD.finditer(text))
    if len(words) > _MOST_WORDS:
        return Answer(text)
    heard: list[tuple[int, int]] = []
    used: list[Transcript] = []
    edited = False
    start = 0
    for transcript in transcripts:
        spoken = list(_WORD.finditer(transcript.text))
        if not spoken:
            continue
        # Recordings stand in the box in their order, so each is looked for after the one before; else anywhere.
        pairs, kept = _kept(spoken, words, start)
        if kept < _KEPT * len(spoken) and start:
            pairs, kept = _kept(spoken, words, 0)
        if kept < _KEPT * len(spoken):
            continue
        used.append(transcript)
        edited |= kept < len(spoken) or [new for _, new in pairs] != list(range(pairs[0][1], pairs[-1][1] + 1))
        start = max(start, pairs[-1][1] + 1)
        doubtful = [
            (old, new)
            for old, new in pairs
            if any(low < spoken[old].end() and spoken[old].start() < high for low, high in transcript.doubtful)
        ]
        heard += [words[new].span() for _, new in doubtful]
    used = [_advised(transcript) for transcript in used]
    deliveries = [transcript.delivery for transcript in used if transcript.delivery]
    return Answer(
        text,
        heard=_joined(text, sorted(set(heard))),
        edited=edited,
        seconds=sum(delivery.seconds for delivery in deliveries) if deliveries else None,
        spoken=tuple(used),
    )


def _advised(transcript: Transcript) -> Transcript:
    """The transcript, with advice on how it was said."""
    found = transcript.delivery
    return replace(transcript, delivery=replace(found, advice=advice(found))) if found else transcript


def _kept(
    spoken: Sequence[re.Match[str]], words: Sequence[re.Match[str]], start: int
) -> tuple[list[tuple[int, int]], int]:
    """Which words of a transcript stand in the text from word `start` on, as pairs of indices, and how many."""
    old, new = [word.group() for word in spoken], [word.group() for word in words[start:]]
    pairs = [
        (block.a + step, start + block.b + step)
        for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        for step in range(block.size)
    ]
    return pairs, len(pairs)


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The spans, neighbours that only a space parts made one."""
    joined: list[tuple[int, int]] = []
    for low, high in spans:
        if joined and not text[joined[-1][1] : low].strip():
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return tuple(joined)
