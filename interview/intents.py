"""What a candidate wants with a message. Offline; when in doubt it is an ANSWER, so that nothing said goes ungraded."""

from __future__ import annotations

import re
from dataclasses import dataclass

from domain import Embedder, Intent, Question

_PLAIN = {
    Intent.STOP: r"(?:please )?(?:stop|quit|exit|end|finish)(?: the)?(?: interview| here| now)?(?: please)?",
    Intent.SKIP: r"(?:please )?(?:skip|pass|next(?: question)?)(?: this| it| this question| this one)?(?: please)?",
    Intent.HINT: r"(?:please |can i (?:have|get) |give me |may i have )?(?:an? )?(?:hint|clue|tip)(?: please)?",
    Intent.REPEAT: r"(?:please |can you |could you )?(?:repeat|rephrase)(?: the question| that| it)?(?: please)?",
    Intent.SMALL_TALK: r"(?:hi|hello|hey|thanks|thank you|good (?:morning|evening|afternoon))(?: there)?",
}


@dataclass(frozen=True)
class Reading:
    """What was understood: the intent, and for a clarifying question the reply ("" where none is known)."""

    intent: Intent
    reply: str = ""


class IntentReader:
    """Reads intents by rules, and by nearness in meaning where there is an embedder."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def read(self, text: str, question: Question | None = None) -> Reading:
        """The intent of a message, said while `question` is open (None before the first one)."""
        plain = re.sub(r"[\s,.!?]+", " ", text.lower()).strip()
        for intent, pattern in _PLAIN.items():
            if re.fullmatch(pattern, plain):
                return Reading(intent)
        return Reading(Intent.ANSWER)
