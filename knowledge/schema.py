"""The border of the bank: what question.yaml and answers.yaml may hold, and which rules they keep.

Unknown keys are refused, values are never coerced from another type, and each fault carries the place of the field
(`Fault.location`), so that the loader can name file, line and field. The bank's own vocabulary is `domain.Question`;
the models here live only between the file and that value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from domain import Clarification, Erratum, Framework, Kind, Level, Misconception, Proof, Question, RubricPoint, Verdict

LEAST_ACCEPTS = 3  # phrasings that a said point is recognised by
LEAST_MISCONCEPTIONS = {Kind.EXPLAIN: 2, Kind.DESIGN: 2}  # of a said point; one in other kinds
LEAST_HINTS = 2
PROSE_POINTS = (4, 9)  # points of an explain or design question
WITH_CHECK = (Kind.CODE, Kind.DEBUG)

Location: TypeAlias = tuple[str | int, ...]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
OptionalText = Annotated[str, StringConstraints(strip_whitespace=True)]
_IDENTIFIER = r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$"
_CASE = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_SOURCE = r"^(framework-fundamentals#[1-5]|interview-questions#Q([1-9]|1[0-6])|https://[^\s]+|document:[^\s/\\]+)$"
PATTERNS = {
    _IDENTIFIER: "must be lower_case_with_underscores",
    _CASE: "must be lower-case-with-hyphens",
    _SOURCE: "must be framework-fundamentals#1 to #5, interview-questions#Q1 to #Q16, document:NAME or https://…",
}
Identifier = Annotated[str, StringConstraints(pattern=_IDENTIFIER, max_length=64)]
CaseName = Annotated[str, StringConstraints(pattern=_CASE, max_length=64)]
Source = Annotated[str, StringConstraints(pattern=_SOURCE, max_length=400)]
Worth = Annotated[float, Field(strict=True, ge=-20, le=20, allow_inf_nan=False)]

IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@dataclass(frozen=True)
class Fault:
    """What is wrong with one field. `location` is the path to it: keys and list positions, from the top."""

    location: Location
    reason: str


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MisconceptionFile(_Strict):
    """A wrong belief, in several phrasings, with its correction."""

    says: tuple[Text, ...] = Field(min_length=1)
    correction: Text

    def value(self) -> Misconception:
        """As the domain has it."""
        return Misconception(self.says, self.correction)


class PointFile(_Strict):
    """One rubric point as written in the file."""

    id: Identifier
    says: Text
    worth: Worth
    proof: Proof = Proof.SAID
    cases: tuple[CaseName, ...] = ()
    accepts: tuple[Text, ...] = ()
    misconceptions: tuple[MisconceptionFile, ...] = ()
    follow_up: OptionalText = ""
    hints: tuple[Text, ...] = ()
    why: OptionalText = ""
    sources: tuple[Source, ...] = ()

    def value(self) -> RubricPoint:
        """As the domain has it."""
        return RubricPoint(
            id=self.id,
            says=self.says,
            worth=self.worth,
            proof=self.proof,
            accepts=self.accepts,
            misconceptions=tuple(item.value() for item in self.misconceptions),
            follow_up=self.follow_up,
            hints=self.hints,
            why=self.why,
            cases=self.cases,
            sources=self.sources,
        )


class ClarificationFile(_Strict):
    """What a candidate may ask back, and the reply."""

    asks: tuple[Text, ...] = Field(min_length=1)
    reply: Text


class ErratumFile(_Strict):
    """A wrong claim of a source, the fact, and the evidence."""

    claim: Text
    fact: Text
    evidence: Text


class QuestionFile(_Strict):
    """question.yaml. The id is the folder's name and the topic the name of the folder above."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=100)]
    framework: Framework
    level: Level
    kind: Kind
    popularity: Annotated[int, Field(strict=True, ge=0, le=100)] = 0
    sources: tuple[Source, ...] = Field(min_length=1)
    ask: Text
    keywords: tuple[Text, ...] = Field(min_length=1)
    symptoms: tuple[Text, ...] = Field(min_length=1)
    terms: tuple[Text, ...] = ()
    starter: str = ""
    points: tuple[PointFile, ...] = Field(min_length=1, max_length=16)
    clarifications: tuple[ClarificationFile, ...] = ()
    errata: tuple[ErratumFile, ...] = ()
    model_answer: Text
    model_code: str = ""

    def value(self, question_id: str, topic: str, check: str) -> Question:
        """As the domain has it. `check` is the path of check.py inside the bank, or ""."""
        return Question(
            id=question_id,
            title=self.title,
            topic=topic,
            framework=self.framework,
            level=self.level,
            kind=self.kind,
            ask=self.ask,
            points=tuple(point.value() for point in self.points),
            model_answer=self.model_answer,
            starter=_code(self.starter),
            model_code=_code(self.model_code),
            check=check,
            keywords=self.keywords,
            symptoms=self.symptoms,
            terms=self.terms,
            clarifications=tuple(Clarification(item.asks, item.reply) for item in self.clarifications),
            errata=tuple(Erratum(item.claim, item.fact, item.evidence) for item in self.errata),
            sources=self.sources,
            popularity=self.popularity,
        )


class DraftPointFile(PointFile):
    """A point of a draft, with the passage of the document that it was made from."""

    passage: OptionalText = ""


class DraftFile(QuestionFile):
    """draft.yaml: a question that was made from the document named by `draft`. It is never read as a question."""

    draft: Text
    points: tuple[DraftPointFile, ...] = Field(min_length=1, max_length=16)


AnswerKind: TypeAlias = Literal["strong", "middling", "wrong", "stuffed", "rambling", "off_topic"]


class AnswerFile(_Strict):
    """One labelled answer of answers.yaml: the verdict that each said point deserves, by point id."""

    id: Identifier
    kind: AnswerKind
    text: Text
    verdicts: dict[Identifier, Literal[Verdict.MET, Verdict.NOT_MET, Verdict.CONTRADICTED]]


def _code(text: str) -> str:
    return text.strip("\n").rstrip() + "\n" if text.strip() else ""


def question_faults(question: QuestionFile, has_check: bool) -> Iterator[Fault]:
    """The rules that one field alone cannot show: ids, quotas, and what each kind and proof needs."""
    if question.kind in WITH_CHECK:
        if not has_check:
            yield Fault(("kind",), f"a {question.kind.value} question needs a check.py beside question.yaml")
        if not question.starter.strip():
            yield Fault(("starter",), f"a {question.kind.value} question needs a starter for the editor")
        if not question.model_code.strip():
            yield Fault(("model_code",), f"a {question.kind.value} question needs its model code")
    low, high = PROSE_POINTS
    if question.kind in (Kind.EXPLAIN, Kind.DESIGN) and not low <= len(question.points) <= high:
        yield Fault(
            ("points",), f"{low} to {high} for a question of kind {question.kind.value}, here {len(question.points)}"
        )
    if not any(point.worth > 0 for point in question.points):
        yield Fault(("points",), "at least one point needs a positive worth")
    if has_check and not any(point.proof is Proof.CHECK for point in question.points):
        yield Fault(("points",), "there is a check.py, but no point has proof: check")
    seen: set[str] = set()
    for index, point in enumerate(question.points):
        if point.id in seen:
            yield Fault(("points", index, "id"), f"{point.id!r} is used twice; point ids are unique in a question")
        seen.add(point.id)
        for fault in _point_faults(point, question.kind, has_check):
            yield Fault(("points", index, *fault.location), fault.reason)


def _point_faults(point: PointFile, kind: Kind, has_check: bool) -> Iterator[Fault]:
    if point.worth == 0:
        yield Fault(("worth",), "must not be 0: positive for what is wanted, negative for a pitfall")
    if point.proof is Proof.CHECK:
        if not has_check:
            yield Fault(("proof",), "is check, but there is no check.py beside question.yaml")
        if not point.cases:
            yield Fault(("cases",), "a point with proof: check names the cases that prove it")
        return
    if point.cases:
        yield Fault(("cases",), "only a point with proof: check names cases")
    if len(point.accepts) < LEAST_ACCEPTS:
        yield Fault(("accepts",), f"needs at least {LEAST_ACCEPTS} phrasings, has {len(point.accepts)}")
    if len({text.casefold() for text in point.accepts}) < len(point.accepts):
        yield Fault(("accepts",), "the same phrasing stands there twice")
    if point.worth < 0:
        return  # a pitfall is itself what people get wrong, and nobody asks for it
    least = LEAST_MISCONCEPTIONS.get(kind, 1)
    if len(point.misconceptions) < least:
        yield Fault(("misconceptions",), f"needs at least {least} in a {kind.value} question")
    if not point.follow_up:
        yield Fault(("follow_up",), "is missing: the question that aims at this point without giving it away")
    if len(point.hints) < LEAST_HINTS:
        yield Fault(("hints",), f"needs at least {LEAST_HINTS}, from weak to strong")
    if not point.why:
        yield Fault(("why",), "is missing: why the point matters in practice")


def answer_faults(answers: list[AnswerFile], question: Question) -> Iterator[Fault]:
    """Ids are unique, and each answer has a verdict for exactly the points that words can prove."""
    said = {point.id for point in question.points if point.proof is Proof.SAID}
    seen: set[str] = set()
    for index, answer in enumerate(answers):
        if answer.id in seen:
            yield Fault((index, "id"), f"{answer.id!r} is used twice")
        seen.add(answer.id)
        missing, unknown = said - set(answer.verdicts), set(answer.verdicts) - said
        if missing:
            yield Fault((index, "verdicts"), f"no verdict for {', '.join(sorted(missing))}")
        if unknown:
            yield Fault((index, "verdicts"), f"not said points of the question: {', '.join(sorted(unknown))}")
