"""Words: what counts as one, which carry content, and BM25 over them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_TOKEN = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_STOP_WORDS = """
    a about above after again against all also am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each
    either else ever every few for from further get gets getting give gives go goes going got had has have
    having he her here hers him his how however i i'd i'll i'm i've if in into is isn't it it's its itself just
    kind kinda know let let's like lot make makes many may me might more most much must my no nor not now of off
    oh ok okay on once one only or other our out over own per quite really right said same say says see should
    so some something sort still stuff such tell than that that's the their them then there there's these they
    they're thing things think this those though through to too uh um under until up us use used uses using very
    via want was wasn't we well were what what's when where whether which while who why will with within without
    won't would wouldn't yeah yes yet you you're your
"""
_STOP = frozenset(_STOP_WORDS.split())


def stem(word: str) -> str:
    """A rough common stem of English word forms: gradients and gradient, normalised and normalise fall together."""
    word = word.replace("isation", "ization").replace("ise", "ize") if len(word) > 6 else word
    for ending, rest in (("ization", "iz"), ("izing", "iz"), ("ized", "iz"), ("izes", "iz"), ("ize", "iz")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + rest
    for ending in ("ingly", "edly", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "aeiousl" else word


def words(text: str) -> list[str]:
    """The stems of the content words of a text, in order, lower case; `tf.GradientTape` gives `tf`, `gradienttap`."""
    return [stem(word) for word in _TOKEN.findall(text.lower().replace("’", "'")) if word not in _STOP]


def sentences(text: str) -> list[str]:
    """The text's sentences: cut after . ! ? ; before white space, and at line ends."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


class BM25:
    """Okapi BM25 (Robertson & Zaragoza 2009, eq. 3.15, with the idf of Lucene) over documents given as word lists."""

    def __init__(self, documents: Sequence[Sequence[str]], k1: float = 1.2, b: float = 0.75) -> None:
        import numpy as np

        count = len(documents)
        lengths = np.array([len(document) for document in documents], dtype=np.float64)
        norm: npt.NDArray[np.float64] = k1 * (1 - b + b * lengths / max(lengths.mean() if count else 1.0, 1e-9))
        found: dict[str, list[tuple[int, int]]] = {}
        for index, document in enumerate(documents):
            for word, times in Counter(document).items():
                found.setdefault(word, []).append((index, times))
        self._size = count
        self._weights: dict[str, tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]] = {}
        for word, places in found.items():
            at = np.array([index for index, _ in places], dtype=np.intp)
            often = np.array([number for _, number in places], dtype=np.float64)
            idf = np.log1p((count - len(places) + 0.5) / (len(places) + 0.5))
            self._weights[word] = (at, idf * often * (k1 + 1) / (often + norm[at]))

    def scores(self, query: Sequence[str]) -> npt.NDArray[np.float64]:
        """The score of each document, shape (documents,); 0 where no word of the query stands."""
        import numpy as np

        total: npt.NDArray[np.float64] = np.zeros(self._size)
        for word in query:
            if word in self._weights:
                at, weight = self._weights[word]
                total[at] += weight
        return total
