"""The local judge: rubric points judged from sentence embeddings and rules, with no key and no network.

Similarity alone finds the topic and not the truth, so each statement of the answer is weighed three ways for a point:
how well it says one of the accepted phrasings, how well it says one of the misconceptions (or the opposite of an
accepted phrasing), and how well it says some other point of the question. A logistic of these few numbers gives the
probability that the statement makes the point, and the same logistic with accepted and misconceived exchanged the
probability that it contradicts it. The constants are few, the same for every question, and fitted as docs/grading.md
says. Nothing is drawn at random: the same answer always gets the same verdicts.

What cannot earn a point: questions, denials, what was taken back, the question's own words, code blocks, and words in
no order (lists, shuffles). What the judge cannot decide is UNGRADED as UNCERTAIN, and never guessed.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from domain import (
    Embedder,
    Evidence,
    JudgedBy,
    PointScore,
    Proof,
    Question,
    Quote,
    RubricPoint,
    Turn,
    UngradedReason,
    Verdict,
)
from grader.clauses import Statement, is_denial, statements
from grader.evidence import compare
from grader.order import ordered
from grader.quotes import fault
from grader.text import content_stems

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

VERSION = "local-1"
_RUBRICS_KEPT = 64
_NEAREST = 6  # statements compared word by word with each phrasing: the nearest ones by cosine
_LEAST_COSINE = 0.2
_MOST_STATEMENTS = 400  # about 4,000 words
_BOTH = 0.15  # how much less clear a contradiction may be and still undo the point in the same turn


@dataclass(frozen=True)
class Constants:
    """What was fitted. Strengths and margins are on the scale of cosines."""

    cosine: float = 0.65  # strength = cosine * cos + (1 - cosine) * coverage
    bias: float = -5.0
    strength: float = 9.0
    margin: float = 3.0  # accepted against misconceived
    sibling: float = 14.0  # this point against the question's others
    against_bias: float = -6.0  # as bias and sibling, for contradicting: a graver finding needs more
    against_sibling: float = 6.0
    clearer: float = 0.06  # how much better a statement must say what is wrong than what is right, to contradict
    margin_cap: float = 0.2
    no_rival: float = 0.1  # the margin where there is nothing to contrast with
    opposed: float = 0.34  # share of shared words said the other way round that makes a statement an opposite,
    opposite_coverage: float = 0.6  # where it has at least this share of the phrasing's words
    met: float = 0.5
    contradicted: float = 0.5
    band: float = 0.03  # half width of UNCERTAIN around `met`


CONSTANTS = Constants()


@dataclass(frozen=True)
class _Phrase:
    text: str
    point_id: str
    accepted: bool
    correction: str = ""
    rivals: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Rubric:
    phrases: tuple[_Phrase, ...]
    vectors: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Weighed:
    """A statement as evidence on one point: the probability that it makes the point, and that it contradicts it."""

    statement: Statement
    makes: float
    contradicts: float
    phrase: str
    correction: str


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, x))))


class LocalJudge:
    """Judges with an embedder. Implements domain.Judge; safe to share between threads if the embedder is."""

    def __init__(self, embedder: Embedder, constants: Constants = CONSTANTS) -> None:
        self._embedder = embedder
        self._constants = constants
        self._rubrics: OrderedDict[Question, _Rubric] = OrderedDict()

    @property
    def name(self) -> str:
        """What the page calls it."""
        return f"local judge ({self._embedder.name})"

    def judge(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        """One PointScore a point, in order. Raises UserError when the embedding model cannot be had."""
        usable = self._usable(question, answers)
        note = "" if len(usable) <= _MOST_STATEMENTS else "The answer is very long: only its beginning was judged."
        usable = usable[:_MOST_STATEMENTS]
        by = JudgedBy("local", self._embedder.name, VERSION, note)
        weighed = self._weigh(question, points, usable) if usable else {point.id: [] for point in points}
        unclear = _unclear(answers)
        return _undisputed([self._decide(point, weighed[point.id], unclear, by) for point in points])

    def _usable(self, question: Question, answers: Sequence[Turn]) -> list[Statement]:
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

    def _rubric(self, question: Question) -> _Rubric:
        """The question's phrasings and their vectors, kept for the questions judged last."""
        rubric = self._rubrics.pop(question, None)
        if rubric is None:
            phrases: list[_Phrase] = []
            for point in question.points:
                if point.proof is Proof.SAID:
                    accepted = (point.says, *point.accepts)
                    phrases.extend(_Phrase(text, point.id, True) for text in accepted)
                    # Only words that no accepted phrasing has tell a misconception from the truth.
                    rivals = frozenset().union(*(content_stems(text) for text in accepted))
                    for wrong in point.misconceptions:
                        phrases.extend(_Phrase(text, point.id, False, wrong.correction, rivals) for text in wrong.says)
            rubric = _Rubric(tuple(phrases), self._embedder.encode([phrase.text for phrase in phrases]))
        self._rubrics[question] = rubric
        while len(self._rubrics) > _RUBRICS_KEPT:
            self._rubrics.popitem(last=False)
        return rubric

    def _weigh(
        self, question: Question, points: Sequence[RubricPoint], usable: Sequence[Statement]
    ) -> dict[str, list[Weighed]]:
        """For each point, the statements that speak to it."""
        rubric, constants = self._rubric(question), self._constants
        texts = list(dict.fromkeys(item.spoken for item in usable))
        place = {text: number for number, text in enumerate(texts)}
        cosines = (self._embedder.encode(texts) @ rubric.vectors.T)[[place[item.spoken] for item in usable]]
        # says[point][statement] and denies[point][statement]: (strength, phrase)
        says: dict[str, dict[int, tuple[float, _Phrase]]] = {}
        denies: dict[str, dict[int, tuple[float, _Phrase]]] = {}
        for column, phrase in enumerate(rubric.phrases):
            for row in cosines[:, column].argsort(kind="stable")[::-1][:_NEAREST].tolist():
                cosine = float(cosines[row, column])
                if cosine < _LEAST_COSINE:
                    break
                denied = usable[row].denied and not is_denial(phrase.text)
                found = compare(usable[row].core, phrase.text, question.ask, denied, phrase.rivals)
                opposed = found.opposed >= constants.opposed
                if opposed and (not phrase.accepted or found.overlap < constants.opposite_coverage):
                    continue
                covered = found.overlap if opposed else found.coverage
                strength = constants.cosine * cosine + (1 - constants.cosine) * covered
                table = says if phrase.accepted and not opposed else denies
                best = table.setdefault(phrase.point_id, {}).get(row)
                if best is None or strength > best[0]:
                    table[phrase.point_id][row] = (strength, phrase)
        rivals = {point.id: any(wrong.says for wrong in point.misconceptions) for point in points}
        result: dict[str, list[Weighed]] = {}
        for point in points:
            mine, wrong = says.get(point.id, {}), denies.get(point.id, {})
            result[point.id] = []
            for row in sorted(mine.keys() | wrong.keys()):
                other = max(
                    (table[row][0] for id_, table in says.items() if id_ != point.id and row in table), default=0
                )
                here, there = mine.get(row, (0.0, None)), wrong.get(row, (0.0, None))
                makes = self._makes(here[0], there[0] if rivals[point.id] or row in wrong else None, other)
                against = self._contradicts(there[0], here[0], other)
                phrase_here, phrase_there = here[1], there[1]
                result[point.id].append(
                    Weighed(
                        usable[row],
                        makes,
                        against,
                        phrase_here.text if phrase_here else "",
                        (phrase_there.correction or point.says) if phrase_there else "",
                    )
                )
        return result

    def _makes(self, strength: float, rival: float | None, sibling: float) -> float:
        """The probability that a statement makes a point, from how strongly it says it, its misconceptions (None where
        there are none to contrast with) and other points."""
        constants, cap = self._constants, self._constants.margin_cap
        margin = constants.no_rival if rival is None else max(-cap, min(cap, strength - rival))
        behind = max(-cap, min(0.0, strength - sibling))
        return _logistic(
            constants.bias + constants.strength * strength + constants.margin * margin + constants.sibling * behind
        )

    def _contradicts(self, strength: float, rival: float, sibling: float) -> float:
        """The probability that a statement contradicts a point; 0 where it says what is right about as well."""
        constants, cap = self._constants, self._constants.margin_cap
        if strength < rival + constants.clearer:
            return 0.0
        behind = max(-cap, min(0.0, strength - sibling))
        return _logistic(
            constants.against_bias
            + constants.strength * strength
            + constants.margin * min(cap, strength - rival)
            + constants.against_sibling * behind
        )

    def _decide(self, point: RubricPoint, weighed: list[Weighed], unclear: bool, by: JudgedBy) -> PointScore:
        constants = self._constants
        best = max(weighed, key=lambda item: item.makes, default=None)
        worst = max(weighed, key=lambda item: item.contradicts, default=None)
        makes, against = best.makes if best else 0.0, worst.contradicts if worst else 0.0
        pitfall = point.worth < 0
        if worst and against >= constants.contradicted and (_outweighs(worst, best)):
            quotes = _quotes([item for item in weighed if item.contradicts >= constants.contradicted], "contradicts")
            verdict = Verdict.NOT_MET if pitfall else Verdict.CONTRADICTED
            why = "This states the opposite, or a common misconception."
            correction = "" if pitfall else worst.correction
            return PointScore(point.id, verdict, why, by, quotes, against, correction=correction)
        if best and makes >= constants.met + constants.band:
            quotes = _quotes([item for item in weighed if item.makes >= constants.met], "makes")
            return PointScore(point.id, Verdict.MET, f"This says: {best.phrase}", by, quotes, makes)
        if makes > constants.met - constants.band:
            why = "The answer comes near this, and the local judge cannot tell whether it says it."
            reason = UngradedReason.UNCERTAIN
            return PointScore(point.id, Verdict.UNGRADED, why, by, confidence=makes, reason=reason)
        if unclear:
            why = "Too much of the recording was not understood."
            reason = UngradedReason.UNINTELLIGIBLE
            return PointScore(point.id, Verdict.UNGRADED, why, by, confidence=0.0, reason=reason)
        return PointScore(point.id, Verdict.NOT_MET, "Nothing in the answer says this.", by, confidence=1.0 - makes)


def _undisputed(scores: list[PointScore]) -> list[PointScore]:
    """Leave a point ungraded when all the words that earned it contradict another point more clearly: a sentence that
    is wrong on one thing is poor evidence for the next, and which of the two it says cannot be told here."""
    against = [item for item in scores if item.verdict is Verdict.CONTRADICTED]
    why = "The same words speak against another point, and the local judge cannot tell which of the two they say."

    def disputed(item: PointScore) -> bool:
        stronger = [quote for other in against if other.confidence > item.confidence for quote in other.evidence]
        return all(any(_overlap(mine, theirs) for theirs in stronger) for mine in item.evidence)

    return [
        replace(item, verdict=Verdict.UNGRADED, reason=UngradedReason.UNCERTAIN, why=why, evidence=())
        if item.verdict is Verdict.MET and disputed(item)
        else item
        for item in scores
    ]


def _overlap(one: Evidence, other: Evidence) -> bool:
    if not isinstance(one, Quote) or not isinstance(other, Quote):
        return False
    return one.turn_id == other.turn_id and one.start < other.end and other.start < one.end


def _outweighs(worst: Weighed, best: Weighed | None) -> bool:
    """Whether a contradiction takes away a point that is also made: when it comes in a later turn, for the last word
    counts, or is about as clear in the same turn, for saying both earns nothing."""
    if best is None or worst.statement.turn_id > best.statement.turn_id:
        return True
    return worst.statement.turn_id == best.statement.turn_id and worst.contradicts > best.makes - _BOTH


def _unclear(answers: Sequence[Turn]) -> bool:
    """Whether most of what was said was heard with low confidence."""
    length = sum(len(turn.text) for turn in answers)
    doubtful = sum(end - start for turn in answers if turn.answer for start, end in turn.answer.heard)
    return length > 0 and doubtful > 0.5 * length


def _quotes(weighed: Sequence[Weighed], field: str) -> tuple[Quote, ...]:
    """The statements as quotes, best first, without overlaps; of equals the shorter."""
    taken: list[Statement] = []
    for item in sorted(weighed, key=lambda item: (-round(getattr(item, field), 2), len(item.statement.text))):
        if not any(set(item.statement.clauses) & set(other.clauses) for other in taken):
            taken.append(item.statement)
    return tuple(Quote(item.turn_id, item.start, item.end) for item in taken)
