"""The local judge: rubric points judged from sentence embeddings and rules, with no key and no network.

Similarity alone finds the topic and not the truth, so each statement of the answer is weighed three ways for a point:
how well it says one of the accepted phrasings, how well it says one of the misconceptions (or the opposite of an
accepted phrasing), and how well it says some other point of the question (`grader/weigh.py`). A fitted logistic turns
the numbers of the best and of the worst statement into the chances of the three verdicts (`grader/scorer.py`).
Nothing is drawn at random: the same answer always gets the same verdicts.

What cannot earn a point: questions, denials, what was taken back, the question's own words, code blocks, and words in
no order (lists, shuffles). What the judge cannot decide is UNGRADED as UNCERTAIN, and never guessed. Two findings make
it uncertain: chances near a half, and an answer that speaks against much of the rest of the rubric, for this judge
cannot tell a fluent error from the truth well enough to credit it there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from domain import Embedder, JudgedBy, PointScore, Question, Quote, RubricPoint, Turn, UngradedReason, Verdict
from grader.clauses import Statement, statements
from grader.order import ordered
from grader.phrases import Phrases, phrases_of
from grader.quotes import fault
from grader.scorer import Chances, Scorer, best_and_worst, first_look, shipped
from grader.weigh import Weighed, weigh

VERSION = "local-2"
_RUBRICS_KEPT = 64
_MOST_STATEMENTS = 400  # about 4,000 words
_MET = 0.5
_BAND = 0.02  # half width of UNCERTAIN around `_MET`
_CONTRADICTED = 0.4
# The mean chance of contradiction over the question's other points from which on the answer is doubted: points are
# then not credited, and a lesser chance of contradiction is enough.
_DOUBTED = 0.4
_CONTRADICTED_IN_DOUBT = 0.3
# An answer of so many words, of which the mean chance over the question's other points says that next to nothing is
# about the question, has to make a point this clearly.
_LONG = 60
_ASTRAY = 0.15
_MET_ASTRAY = 0.85


Look = Callable[[Weighed | None, Weighed | None], Chances]  # of the best and the worst statement


@dataclass(frozen=True)
class _Found:
    """What one turn says on a point."""

    chances: Chances
    best: Weighed | None
    worst: Weighed | None
    weighed: tuple[Weighed, ...] = ()


class LocalJudge:
    """Judges with an embedder. Implements domain.Judge; safe to share between threads if the embedder is."""

    def __init__(self, embedder: Embedder, scorer: Scorer | None = None) -> None:
        self._embedder = embedder
        self._scorer = scorer
        self._rubrics: OrderedDict[Question, Phrases] = OrderedDict()

    @property
    def name(self) -> str:
        """What the page calls it."""
        return f"local judge ({self._embedder.name})"

    def judge(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        """One PointScore a point, in order. Raises UserError when the embedding model cannot be had."""
        weighed, note = self.weighed(question, answers)
        by = JudgedBy("local", self._embedder.name, VERSION, note)
        contrasted = self._rubric(question).contrasted
        look = (self._scorer or shipped()).chances if contrasted else first_look
        found = {id_: _found(items, look) for id_, items in weighed.items()}
        unclear = _unclear(answers)
        long = contrasted and sum(len(turn.text.split()) for turn in answers) >= _LONG
        return [
            _score(
                point,
                found.get(point.id) or _found([], look),
                _doubted(point.id, found),
                long and _astray(point.id, found),
                unclear,
                by,
                look,
            )
            for point in points
        ]

    def weighed(self, question: Question, answers: Sequence[Turn]) -> tuple[dict[str, list[Weighed]], str]:
        """For each point that is to be said, the statements that speak to it; and a note when the answer was too long
        to be judged in full."""
        usable = _usable(question, answers)
        note = "" if len(usable) <= _MOST_STATEMENTS else "The answer is very long: only its beginning was judged."
        usable = usable[:_MOST_STATEMENTS]
        rubric = self._rubric(question)
        if not usable or not rubric.phrases:
            return {point_id: [] for point_id in rubric.points}, note
        texts = list(dict.fromkeys(item.spoken for item in usable))
        place = {text: number for number, text in enumerate(texts)}
        cosines = (self._embedder.encode(texts) @ rubric.vectors.T)[[place[item.spoken] for item in usable]]
        return weigh(rubric, question.ask, usable, cosines, answers), note

    def _rubric(self, question: Question) -> Phrases:
        """The question's phrasings and their vectors, kept for the questions judged last."""
        rubric = self._rubrics.pop(question, None) or phrases_of(question, self._embedder)
        self._rubrics[question] = rubric
        while len(self._rubrics) > _RUBRICS_KEPT:
            self._rubrics.popitem(last=False)
        return rubric


def _usable(question: Question, answers: Sequence[Turn]) -> list[Statement]:
    """Statements that may earn or contradict: asserted, in an order that language has, in the candidate's words."""
    in_order = {turn.id for turn in answers if ordered(turn.text)}
    return [
        item
        for item in statements(answers)
        if item.asserted
        and item.turn_id in in_order
        and ordered(item.text)
        and not fault(Quote(item.turn_id, item.start, item.end), answers, question.ask)
    ]


def _found(weighed: Sequence[Weighed], look: Look) -> _Found:
    """What the answer says on a point. Each turn is judged by itself, and the last one that says something, right or
    wrong, counts: the last word."""
    found = []
    for turn in sorted({item.statement.turn_id for item in weighed}, reverse=True):
        items = tuple(item for item in weighed if item.statement.turn_id == turn)
        best, worst = best_and_worst(items)
        found.append(_Found(look(best, worst), best, worst, items))
    if not found:
        return _Found(look(None, None), None, None)
    telling = (item for item in found if item.chances.met >= _MET or item.chances.contradicted >= _CONTRADICTED)
    return next(telling, max(found, key=lambda item: item.chances.met))


def _doubted(point_id: str, found: Mapping[str, _Found]) -> bool:
    """Whether the answer speaks against much of what the question's other points say."""
    others = [item.chances.contradicted for id_, item in found.items() if id_ != point_id]
    return bool(others) and sum(others) / len(others) > _DOUBTED


def _astray(point_id: str, found: Mapping[str, _Found]) -> bool:
    """Whether the answer makes next to nothing of the question's other points."""
    others = [item.chances.met for id_, item in found.items() if id_ != point_id]
    return bool(others) and sum(others) / len(others) < _ASTRAY


def _score(
    point: RubricPoint, found: _Found, doubted: bool, astray: bool, unclear: bool, by: JudgedBy, look: Look
) -> PointScore:
    chances, best, worst = found.chances, found.best, found.worst
    wrong = worst.wrong if worst else None
    least = _CONTRADICTED_IN_DOUBT if doubted else _CONTRADICTED
    if worst and wrong and chances.contradicted >= least and (doubted or chances.contradicted > chances.met):
        pitfall = point.worth < 0
        verdict = Verdict.NOT_MET if pitfall else Verdict.CONTRADICTED
        why = "This states the opposite, or a common misconception."
        correction = "" if pitfall else wrong.phrase.correction or point.says
        quotes = _quotes([worst.statement])
        return PointScore(point.id, verdict, why, by, quotes, chances.contradicted, correction=correction)
    right = best.right if best else None
    if best and right and chances.met >= _MET + _BAND:
        if doubted:
            why = "Much of the answer is wrong, so the local judge does not trust itself to credit this part of it."
            return _uncertain(point, why, by, chances.met)
        if astray and chances.met < _MET_ASTRAY:
            why = "Next to nothing of the answer is about this question, and this part comes only near it."
            return _uncertain(point, why, by, chances.met)
        quotes = _quotes(_making(found, look) or [best.statement])
        return PointScore(point.id, Verdict.MET, f"This says: {right.phrase.text}", by, quotes, chances.met)
    if best and chances.met > _MET - _BAND:
        why = "The answer comes near this, and the local judge cannot tell whether it says it."
        return _uncertain(point, why, by, chances.met)
    if unclear:
        why = "Too much of the recording was not understood."
        reason = UngradedReason.UNINTELLIGIBLE
        return PointScore(point.id, Verdict.UNGRADED, why, by, confidence=0.0, reason=reason)
    why = "Nothing in the answer says this."
    return PointScore(point.id, Verdict.NOT_MET, why, by, confidence=1.0 - chances.met)


def _making(found: _Found, look: Look) -> list[Statement]:
    """The statements that make the point, those first that make it best when they stand alone; of equals the shorter.
    One that would make it if the others were not there belongs to them."""
    alone = [(look(item, item).met, item) for item in found.weighed if item.right]
    making = [
        (chance, item.statement)
        for chance, item in alone
        if max(chance, item.makes, look(item, found.worst).met) >= _MET
    ]
    return [item for _, item in sorted(making, key=lambda pair: (-round(pair[0], 2), len(pair[1].text)))]


def _uncertain(point: RubricPoint, why: str, by: JudgedBy, chance: float) -> PointScore:
    reason = UngradedReason.UNCERTAIN
    return PointScore(point.id, Verdict.UNGRADED, why, by, confidence=chance, reason=reason)


def _unclear(answers: Sequence[Turn]) -> bool:
    """Whether most of what was said was heard with low confidence."""
    length = sum(len(turn.text) for turn in answers)
    doubtful = sum(end - start for turn in answers if turn.answer for start, end in turn.answer.heard)
    return length > 0 and doubtful > 0.5 * length


def _quotes(chosen: Sequence[Statement]) -> tuple[Quote, ...]:
    """The statements as quotes, in their order, without overlaps."""
    taken: list[Statement] = []
    for item in chosen:
        if not any(set(item.clauses) & set(other.clauses) for other in taken):
            taken.append(item)
    return tuple(Quote(item.turn_id, item.start, item.end) for item in taken)
