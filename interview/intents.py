"""What a candidate wants with a message: to answer, or to ask for a hint, a repetition, a clarification, an end.

Offline, in two steps. Rules read the message clause by clause; where every clause is a request, an empty word or an "I
do not know", the request wins. What rules leave open, and is short, is compared in meaning (given an embedder) with
examples of requests on one side, and with answers to the open question on the other.

When in doubt a message is an ANSWER: an answer taken for a request would go ungraded, and "skip(1000)", "isn't it
rebuilt at each pass?" and "stop the gradient there" are answers. A clarifying question gets its reply from the
question's own notes, and no reply where the notes do not know.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domain import Clarification, Embedder, Intent, Question
from interview.cues import by_cues, technical
from interview.notes import GENERAL
from interview.prototypes import ANSWERS, PROTOTYPES
from interview.requests import ASKS_OF_THE_TASK, EXAMPLES, NOT_KNOWING, RULES, TENTATIVE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MOST_WORDS = 40  # a longer message is an answer, whatever it asks at its end
COMPARED_WORDS = 16  # what is longer than this and matches no rule is an answer
NEAR = 0.58  # cosine similarity to an example from which a message may be that request,
NEAR_CLAUSE = 0.47  # the same for one clause of a message,
CLAUSE_AHEAD = 0.14  # and so much nearer to it than to any answer,
FEWEST_WORDS = 3  # of so many words at least
NAMED = 0.4  # cosine similarity from which a dispute names a point
AHEAD = 0.08  # by so much more than it is similar to any answer
NEAR_NOTE = 0.4  # cosine similarity to a noted clarification, or an example of one, from which a question may be one
SURE = 0.8  # cosine similarity to a noted clarification from which its reply fits,
SURE_OF_GENERAL = 0.68  # the same for a note that fits any question, whose reply is right wherever it is asked,
KNOWN = 0.55  # or this one, where besides
SHARED = 0.65  # this share of the message's content words stands in the note

_FILLER = re.compile(
    r"^(?:(?:u+m+|u+h+|h+m+|e+r+m*|ah+|oh|ok(?:ay)?|so|well|sorry|hey|hi|please|actually|wait|alright|all right"
    r"|and|but|then|now|also|just|quick question|one question|question|a question|just to be sure|to be sure"
    r"|just to clarify|to clarify|before i (?:start|begin|answer)|excuse me|you know)\b[\s,:.\-–…]*)+"
)
# Of several requests in one message, this one is heard.
_FIRST = (
    Intent.STEER, Intent.PAUSE, Intent.STOP, Intent.SKIP, Intent.HINT, Intent.REPHRASE, Intent.REPEAT, Intent.DISPUTE,
    Intent.THINKING,
)  # fmt: skip
# What the rules find and a telling phrase elsewhere in the message outdoes.
_OUTDONE = {
    Intent.CLARIFY: (Intent.STEER, Intent.DISPUTE, Intent.PAUSE),
    Intent.SMALL_TALK: (Intent.STEER, Intent.DISPUTE, Intent.PAUSE, Intent.REPHRASE),
}
_EDGES = " ,.!;:…-–—\"'"
_EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and any are at be by can could do doe for from have here i in is it may me must my of ok on or shall so"
        " should that the there thi to torch tf use using want we what when will with would you your allowe need just",
    )
)
_TAG = re.compile(r",? (?:right|correct|yes|is that (?:right|correct))\?$")
_TAIL = re.compile(r"[\s,]*\b(?:please|pls|thanks|thank you|then|now|if possible|sir|ok|okay)$")
_CALL = re.compile(r"[\w\]]\(|[=<>]=?\s*\w|[{}\[\]_]|::|\bdef\b|\blambda\b")
_ENDING = re.compile(
    r"(?<=[.!?;…])\s+|\n+|(?<=,)\s+|\s+-+\s+|\s+[–—]\s+|(?<=[^\d]):\s+"
    r"|\s+(?:so|and|but)\s+(?=(?:i|let|can|could|may|please)\b)"
)


@dataclass(frozen=True)
class Reading:
    """What was understood: the intent, and for a clarifying question the reply ("" where none is known)."""

    intent: Intent
    reply: str = ""


class IntentReader:
    """Reads intents by rules, and by nearness in meaning where there is an embedder. Safe to use from many threads."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._vectors: dict[tuple[str, ...], npt.NDArray[np.float32]] = {}

    def read(self, text: str, question: Question | None = None, told: bool | None = None) -> Reading:
        """The intent of a message, said while `question` is open (None before the first one). `told` says whether the
        candidate was told a verdict that may be disputed; None where that is not known.

        Raises UserError when there is an embedder and its model cannot be had.
        """
        plain = " ".join(text.lower().replace("’", "'").split())
        words = len(plain.split())
        if not words or "```" in text:
            return Reading(Intent.ANSWER)
        intent = by_rules(plain) if words <= MOST_WORDS else None
        if intent in (Intent.PAUSE, Intent.THINKING, Intent.STEER) and technical(plain) > 1:
            return Reading(Intent.ANSWER)
        if intent is None or intent in _OUTDONE:
            hinted = by_cues(plain, clauses_of(plain), told)
            intent = hinted if intent is None or hinted in _OUTDONE[intent] else intent
        if intent is None and any(_clause(_bare(text)) is Intent.ANSWER for text in clauses_of(plain)):
            return Reading(Intent.ANSWER)  # "no idea, sorry"
        if intent is None and words <= COMPARED_WORDS and not _CALL.search(plain):
            intent = self._by_meaning(plain, question)
        if intent in (None, Intent.CLARIFY) and words <= MOST_WORDS:
            intent = self._by_clauses(plain, question) or intent
        if intent is Intent.CLARIFY:
            return Reading(Intent.CLARIFY, self._reply(plain, question))
        return Reading(intent or Intent.ANSWER)

    def nearest(self, text: str, says: Sequence[str]) -> tuple[int, ...]:
        """The number of the one among `says` that a message names, as far as meaning tells; empty where none is clearly
        nearest, or there is no embedder."""
        if self._embedder is None or len(says) < 2:
            return ()
        near = self._embedder.encode(list(says)) @ self._embedder.encode([text])[0]
        order = sorted(range(len(says)), key=lambda number: -float(near[number]))
        clear = near[order[0]] >= NAMED and near[order[0]] >= near[order[1]] + AHEAD
        return (order[0],) if clear else ()

    def _by_meaning(self, plain: str, question: Question | None) -> Intent | None:
        if self._embedder is None:
            return None
        message = self._embedder.encode([plain])[0]
        near = {intent: self._nearest(message, examples) for intent, examples in EXAMPLES.items()}
        answer = self._nearest(message, _answers(question))
        if _is_question(plain):
            asked = max([near[Intent.CLARIFY], *(self._nearest(message, item.asks) for item in _notes(question))])
            if asked >= max(answer, *near.values(), NEAR_NOTE):
                return Intent.CLARIFY
        del near[Intent.CLARIFY]
        best = max(near, key=lambda intent: near[intent])
        return best if near[best] >= max(NEAR, answer + AHEAD) else None

    def _by_clauses(self, plain: str, question: Question | None) -> Intent | None:
        """The newer request that one clause of a message without technical words is near to, or None."""
        if self._embedder is None or technical(plain):
            return None
        clauses = [text for text in (plain, *clauses_of(plain)) if len(text.split()) >= FEWEST_WORDS]
        found = []
        for message in self._embedder.encode(clauses):
            asks = tuple(ask for item in _notes(question) for ask in item.asks)
            answer = max(self._nearest(message, texts) for texts in (ANSWERS, _answers(question), asks))
            other = max(self._nearest(message, EXAMPLES[intent]) for intent in EXAMPLES if intent not in PROTOTYPES)
            for intent, examples in PROTOTYPES.items():
                near = self._nearest(message, examples)
                if near >= max(NEAR_CLAUSE, answer + CLAUSE_AHEAD, other):
                    found.append((near, intent))
        return max(found)[1] if found else None

    def _reply(self, plain: str, question: Question | None) -> str:
        """The noted reply to the nearest clarification, of the question first and of any question then; "" where none
        is near."""
        if self._embedder is None:
            return ""
        message, wanted = self._embedder.encode([plain])[0], _content(plain)
        for notes, sure in ((_notes(question), SURE), (GENERAL, SURE_OF_GENERAL)):
            if not notes:
                continue
            near, best = max((self._nearest(message, item.asks), number) for number, item in enumerate(notes))
            shared = len(wanted & _content(" ".join(notes[best].asks))) / len(wanted) if wanted else 0.0
            if near >= sure or (near >= KNOWN and shared >= SHARED):
                return notes[best].reply
        return ""

    def _nearest(self, message: npt.NDArray[np.float32], texts: tuple[str, ...]) -> float:
        """The greatest cosine similarity of the message to any of the texts; -1 where there are none."""
        if not texts or self._embedder is None:
            return -1.0
        with self._lock:
            vectors = self._vectors.get(texts)
        if vectors is None:
            vectors = self._embedder.encode(texts)
            with self._lock:
                if len(self._vectors) > 500:  # a bank has far fewer lists; keeps an endless one from filling memory
                    self._vectors.clear()
                self._vectors[texts] = vectors
        return float((vectors @ message).max())


def by_rules(plain: str) -> Intent | None:
    """The intent of a message in lower case with single spaces, or None where the rules do not know."""
    plain = _TAG.sub("?", plain)
    pieces = clauses_of(plain)
    clauses = [_bare(piece) or piece for piece in pieces]
    found = [_clause(piece) or _clause(clause) for piece, clause in zip(pieces, clauses, strict=True)]
    if not clauses:
        return None
    requests = [intent for intent in found if intent not in (None, Intent.ANSWER, Intent.SMALL_TALK)]
    steering = sum(len(piece.split()) for piece, intent in zip(pieces, found, strict=True) if intent is Intent.STEER)
    if steering and steering >= len(plain.split()) / 2:
        return Intent.STEER
    whole = _clause(_bare(plain))
    if whole not in (None, Intent.ANSWER, Intent.CLARIFY):
        return whole
    if found[-1] is Intent.CLARIFY and (len(clauses) == 1 or plain.endswith("?")) and _leads_to(clauses[:-1], found):
        return Intent.CLARIFY
    if None in found or Intent.CLARIFY in found:
        return None
    for intent in _FIRST:
        if intent in requests:
            return intent
    return Intent.ANSWER if Intent.ANSWER in found else Intent.SMALL_TALK


def clauses_of(plain: str) -> list[str]:
    """The clauses of a message, without what separates them."""
    return [piece for part in _ENDING.split(plain) if (piece := part.strip(_EDGES))]


def _leads_to(before: Sequence[str], found: Sequence[Intent | None]) -> bool:
    """Whether what precedes a question is no answer: requests, empty words, or one short clause."""
    unknown = [clause for clause, intent in zip(before, found, strict=False) if intent is None]
    return not unknown or (len(unknown) == 1 and len(unknown[0].split()) <= 6)


def _bare(text: str) -> str:
    """The text without filling words at its ends and without closing punctuation (a question mark stays)."""
    text = text.strip(_EDGES)
    text = _FILLER.sub("", text + " ").strip()
    asks = text.endswith("?")
    text = _TAIL.sub("", text.rstrip("?!. ,")).strip(_EDGES)
    return f"{text}?" if asks and text else text


def _clause(clause: str) -> Intent | None:
    """The intent of one clause; ANSWER for "I do not know", None where no rule knows."""
    bare = clause.rstrip("?")
    for intent, pattern in RULES:
        if pattern.fullmatch(bare):
            return intent
    if NOT_KNOWING.fullmatch(bare):
        return Intent.ANSWER
    if TENTATIVE.match(clause):
        return None
    return Intent.CLARIFY if ASKS_OF_THE_TASK.match(clause) else None


def _content(text: str) -> set[str]:
    """The roots of the words that say what a question is about."""
    return {word[:6].rstrip("s") for word in re.findall(r"[a-z0-9]+", text.lower())} - _EMPTY_WORDS


def _notes(question: Question | None) -> tuple[Clarification, ...]:
    return question.clarifications if question else ()


def _is_question(plain: str) -> bool:
    return plain.endswith("?") and not TENTATIVE.match(_bare(plain))


def _answers(question: Question | None) -> tuple[str, ...]:
    """What answers to the question sound like, right and wrong."""
    if question is None:
        return ()
    texts: list[str] = []
    for point in question.points:
        texts += (point.says, *point.accepts)
        for misconception in point.misconceptions:
            texts += misconception.says
    return tuple(texts)


def known_texts(question: Question) -> Sequence[str]:
    """Every text of a question that reading an intent compares with, to encode ahead of time."""
    return [*_answers(question), *(ask for item in question.clarifications for ask in item.asks)]
