"""Whether words stand in an order that a language has: the guard against keyword lists and shuffled words.

Embeddings barely see word order: a shuffled answer, or a list of its terms, looks as good as the answer. So each
sentence is read as a row of word classes with its two ends (the commonest function words are classes of their own,
other words fall by ending), and its summed association log p(next | class) / p(next) is compared with that of the same
words in other orders:

    z = (sum - mean over the orders) / standard deviation over the orders

The orders are a fixed set of permutations, so that the same text always has the same z. Real sentences of eight
words and more have a z above 1.3 nine times in ten, shuffled words and lists below it about nine times in ten. In
longer texts the z of real language grows as the root of the length, and that of shuffled words does not. The
table in `order_table.json` was learned by `learn` from the docstrings of Python packages; it holds numbers, no text.
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grader.lexicon import FUNCTION_WORDS
from grader.text import plain, words

TABLE = Path(__file__).with_name("order_table.json")
LEAST_Z = 1.2
LEAST_Z_GROWTH = 0.16  # times the root of the number of words: the z of real text grows with its length
TELLING_LENGTH = 8
LEAST_FUNCTION_WORDS = 0.2  # of all words; prose has about half, lists of terms less than a tenth
_OWN_CLASSES = 110
_ORDERS = 60
_MOST_WORDS = 80  # of one sentence; what is longer is read in pieces
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE = re.compile(r"[.;:!?]+(?:\s|$)|\n\s*\n")
_ENDINGS = ("ing", "ed", "ly", "tion", "ment", "ness", "ity", "able", "ive", "al", "er", "s")
_START, _END, _OTHER, _NUMBER = "^", "$", "-", "#"


def _class(word: str, own: frozenset[str]) -> str:
    if word in own:
        return word
    if word[0].isdigit():
        return _NUMBER
    return next((f"-{end}" for end in _ENDINGS if len(word) > len(end) + 2 and word.endswith(end)), _OTHER)


def _sentences(text: str) -> Iterator[list[str]]:
    """Words of each sentence; commas and the like are dropped, for speech has none."""
    for sentence in _SENTENCE.split(text.lower()):
        found = _TOKEN.findall(sentence)
        for first in range(0, len(found), _MOST_WORDS):
            yield found[first : first + _MOST_WORDS]


def learn(texts: Iterable[str]) -> dict[str, object]:
    """The table: `own`, the words that are classes of their own; `names` of all classes; `association`, a square of
    round(100 log p(next | class) / p(next)), with half a count added everywhere."""
    rows = [row for text in texts for row in _sentences(text) if len(row) > 3]
    counts = Counter(word for row in rows for word in row if word in FUNCTION_WORDS)
    own = frozenset(word for word, _ in counts.most_common(_OWN_CLASSES))
    pairs: Counter[tuple[str, str]] = Counter()
    for row in rows:
        pairs.update(itertools.pairwise([_START, *(_class(word, own) for word in row), _END]))
    names = sorted({name for pair in pairs for name in pair})
    table = np.array([[pairs[first, second] + 0.5 for second in names] for first in names])
    association = np.log(table / table.sum(1, keepdims=True) / (table.sum(0) / table.sum()))
    return {"own": sorted(own), "names": names, "association": np.rint(100 * association).astype(int).tolist()}


def docstrings(folder: Path) -> Iterator[str]:
    """Prose paragraphs of the docstrings of the Python files below a folder, in the order of their paths."""
    for path in sorted(folder.rglob("*.py")):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                for paragraph in re.split(r"\n\s*\n", text):
                    if len(paragraph.split()) > 9 and not re.search(r">>>|::|---|===|\.\.|[{}|=\\]", paragraph):
                        yield re.sub(r"[`*]", "", paragraph)


@cache
def _table() -> tuple[frozenset[str], dict[str, int], npt.NDArray[np.float64]]:
    loaded = json.loads(TABLE.read_text(encoding="utf-8"))
    numbers = {name: number for number, name in enumerate(loaded["names"])}
    return frozenset(loaded["own"]), numbers, np.array(loaded["association"]) / 100


@cache
def _orders(length: int) -> npt.NDArray[np.int64]:
    """Permutations of `length` places, shape (_ORDERS, length), always the same."""
    rng = np.random.default_rng(length)
    return np.stack([rng.permutation(length) for _ in range(_ORDERS)])


def order(text: str) -> tuple[float, int]:
    """(z, number of words) of a text; z is 0 where every order is as good. See the module's docstring."""
    own, numbers, association = _table()
    start, end = numbers[_START], numbers[_END]
    seen = 0.0
    others = np.zeros(_ORDERS)
    count = 0
    for number, sentence in enumerate(_sentences(plain(text))):
        count += len(sentence)
        if len(sentence) < 2:
            continue
        row = np.array([numbers.get(_class(word, own), numbers[_OTHER]) for word in sentence])
        rows = np.vstack([row, row[_orders(len(row))]])
        sums = association[rows[:, :-1], rows[:, 1:]].sum(1)
        sums += association[start, rows[:, 0]] + association[rows[:, -1], end]
        seen += float(sums[0])
        others += np.roll(sums[1:], number)  # or sentences built alike would be shuffled alike, and add up
    deviation = float(others.std())
    return ((seen - float(others.mean())) / deviation if deviation > 1e-9 else 0.0), count


def ordered(text: str) -> bool:
    """Whether a text is language: in an order worth reading, and not a list of terms, which has next to no function
    words. Fewer than `TELLING_LENGTH` words cannot tell, and pass."""
    found = words(plain(text))
    if len(found) < TELLING_LENGTH:
        return True
    if sum(not word.content for word in found) < LEAST_FUNCTION_WORDS * len(found):
        return False
    z, count = order(text)
    return count < TELLING_LENGTH or z >= max(LEAST_Z, LEAST_Z_GROWTH * math.sqrt(count))
