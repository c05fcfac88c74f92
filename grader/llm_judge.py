"""The LLM judge: any LangChain chat model gives verdicts with reasons and quotes; code checks and counts.

One call judges all points of a question. The reply must fit a schema in which the reason comes before the verdict; it
is asked for as a JSON schema, else as a function call, else as plain JSON with one repair. A verdict that credits or
contradicts needs a quote that code finds in the answer; where it does not, the point is asked for once more and then
UNGRADED. Where the model is slow, refuses, limits or is away, the fallback judges instead and the verdicts say so.
No model ever gives a score, and none of its failures becomes one.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import BaseModel, Field, ValidationError

from domain import Judge, JudgedBy, PointScore, Question, RubricPoint, Turn, UngradedReason, UserError, Verdict
from grader import prompt
from grader.quotes import fault, locate

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

log = logging.getLogger(__name__)

MOST_CHARACTERS = 24_000  # of one question's answers; longer ones are left to the fallback
CONFIDENCE = 0.9
DISPUTED = 0.5
_METHODS = ("json_schema", "function_calling", "plain")


class PointReply(BaseModel):
    """What the model says of one point. The order of the fields is the order of thought."""

    point_id: str
    reason: str = Field(description="One sentence on what the candidate says about this point.")
    quote: str = Field(description="The candidate's own words, copied exactly, or empty.")
    verdict: Literal["met", "not_met", "contradicted", "uncertain"]


class Reply(BaseModel):
    """Verdicts on the points of a rubric."""

    points: list[PointReply]


@dataclass(frozen=True)
class Spent:
    """What the judge has used since it was made."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class _UnreadableError(Exception):
    """The model answered, and no way of asking made its reply fit the schema."""


class LLMJudge:
    """Judges with a chat model and falls back to another judge. Implements domain.Judge."""

    def __init__(self, model: BaseChatModel, fallback: Judge) -> None:
        self._model = model
        self._fallback = fallback
        self._first_method = 0  # the first way of asking that this model has not failed to understand
        self._spent = Spent()
        self._lock = threading.Lock()

    @property
    def model_name(self) -> str:
        """The model's own name."""
        for field in ("model_name", "model", "model_id"):
            if isinstance(name := getattr(self._model, field, None), str) and name:
                return name
        return type(self._model).__name__

    @property
    def name(self) -> str:
        """What the page calls it."""
        return f"LLM judge ({self.model_name})"

    @property
    def spent(self) -> Spent:
        """Calls and tokens so far."""
        return self._spent

    def judge(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        """One PointScore a point, in order. Raises only what the fallback raises."""
        if not points or not any(turn.text.strip() for turn in answers):
            return self._fallback.judge(question, points, answers)
        if sum(len(turn.text) for turn in answers) > MOST_CHARACTERS:
            return self._fall_back(question, points, answers, "the answer is too long for it")
        before = self._spent
        try:
            scores = self._ask(question, points, answers)
        except _UnreadableError:
            return self._fall_back(question, points, answers, "its reply could not be read")
        except Exception as error:  # noqa: BLE001 - each provider raises types of its own, and the fallback says so
            log.warning("The chat model failed: %s: %s", type(error).__name__, error)
            return self._fall_back(question, points, answers, _trouble(error))
        used = self._spent
        tokens = used.input_tokens + used.output_tokens - before.input_tokens - before.output_tokens
        scores = [replace(item, judged_by=replace(item.judged_by, tokens=tokens)) for item in scores]
        return [
            _disputed(item, other)
            for item, other in zip(scores, self._fallback.judge(question, points, answers), strict=True)
        ]

    def _fall_back(
        self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn], trouble: str
    ) -> list[PointScore]:
        note = f"{self.name} did not judge this ({trouble}); {self._fallback.name} did."
        return [
            replace(item, judged_by=replace(item.judged_by, note=note))
            for item in self._fallback.judge(question, points, answers)
        ]

    def _ask(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

        turns = prompt.defused(answers)
        messages: list[BaseMessage] = [
            SystemMessage(prompt.text("judge_system")),
            HumanMessage(prompt.request(question, points, turns)),
        ]
        reply = self._reply(messages)
        scores = {point.id: self._score(point, reply, turns, question.ask) for point in points}
        faults = {id_: found for id_, found in scores.items() if isinstance(found, str)}
        if faults:
            listed = "\n".join(f"- {id_}: {why}" for id_, why in faults.items())
            again = self._reply(
                [
                    *messages,
                    AIMessage(reply.model_dump_json()),
                    HumanMessage(prompt.text("judge_requote", faults=listed, ids=", ".join(faults))),
                ]
            )
            for point in points:
                if point.id in faults:
                    scores[point.id] = self._score(point, again, turns, question.ask)
        return [self._failed(point, found) if isinstance(found := scores[point.id], str) else found for point in points]

    def _by(self) -> JudgedBy:
        return JudgedBy("llm", self.model_name, prompt.version())

    def _score(self, point: RubricPoint, reply: Reply, turns: Sequence[Turn], ask: str) -> PointScore | str:
        """The score of a point, or what is wrong with the reply on it."""
        found = [item for item in reply.points if item.point_id == point.id]
        if not found:
            return "there is no verdict on it"
        said = found[-1]
        why = " ".join(said.reason.split())[:300] or "No reason was given."
        if said.verdict == "uncertain":
            reason = UngradedReason.UNCERTAIN
            return PointScore(point.id, Verdict.UNGRADED, why, self._by(), confidence=0.0, reason=reason)
        if said.verdict == "not_met" or (said.verdict == "contradicted" and point.worth < 0):
            return PointScore(point.id, Verdict.NOT_MET, why, self._by(), confidence=CONFIDENCE)
        quote = locate(said.quote, turns)
        if quote is None:
            return "the quote does not stand in the answer"
        if wrong := fault(quote, turns, ask):
            return wrong
        verdict = Verdict.MET if said.verdict == "met" else Verdict.CONTRADICTED
        correction = _correction(point, said.quote) if verdict is Verdict.CONTRADICTED else ""
        return PointScore(point.id, verdict, why, self._by(), (quote,), CONFIDENCE, correction=correction)

    def _failed(self, point: RubricPoint, why: str) -> PointScore:
        reason = UngradedReason.GRADER_FAILED
        text = f"The judge failed on this point, twice: {why}."
        return PointScore(point.id, Verdict.UNGRADED, text, self._by(), confidence=0.0, reason=reason)

    def _reply(self, messages: list[BaseMessage]) -> Reply:
        """Ask in the best way that the model understands. Raises _UnreadableError, or what the client raises."""
        from langchain_core.callbacks import get_usage_metadata_callback
        from langchain_core.exceptions import OutputParserException

        for number in range(self._first_method, len(_METHODS)):
            with get_usage_metadata_callback() as usage:
                try:
                    if _METHODS[number] == "plain":
                        return self._plain(messages)
                    asked = self._model.with_structured_output(Reply, method=cast("Any", _METHODS[number]))
                    reply = asked.invoke(messages)
                    if isinstance(reply, Reply):
                        return reply
                except (NotImplementedError, ValueError, ValidationError, OutputParserException) as error:
                    log.info("No verdicts by %s: %s", _METHODS[number], type(error).__name__)
                    if isinstance(error, NotImplementedError):
                        self._first_method = max(self._first_method, number + 1)
                except Exception as error:
                    # A server that does not know the way of asking says so with one of these; all else is trouble.
                    if getattr(error, "status_code", None) not in {400, 404, 422} or number + 1 == len(_METHODS):
                        raise
                    self._first_method = max(self._first_method, number + 1)
                finally:
                    self._count(usage.usage_metadata)
        raise _UnreadableError

    def _plain(self, messages: list[BaseMessage]) -> Reply:
        """Ask for JSON in words, and once more with what was wrong. Raises OutputParserException."""
        from langchain_core.exceptions import OutputParserException
        from langchain_core.messages import HumanMessage
        from langchain_core.output_parsers import PydanticOutputParser

        parser = PydanticOutputParser(pydantic_object=Reply)
        asked = [*messages, HumanMessage(prompt.text("judge_plain"))]
        first = self._model.invoke(asked)
        try:
            return cast("Reply", parser.invoke(first))
        except OutputParserException as error:
            repair = HumanMessage(prompt.text("judge_repair", fault=str(error).splitlines()[-1][:300]))
            return cast("Reply", parser.invoke(self._model.invoke([*asked, first, repair])))

    def _count(self, usage: dict[str, Any]) -> None:
        with self._lock:
            self._spent = Spent(
                self._spent.calls + 1,
                self._spent.input_tokens + sum(item["input_tokens"] for item in usage.values()),
                self._spent.output_tokens + sum(item["output_tokens"] for item in usage.values()),
            )


def _correction(point: RubricPoint, quote: str) -> str:
    """The correction of the listed misconception that shares the most words with the quote, else the point itself."""
    from grader.text import content_stems

    own = content_stems(quote)
    shared = [
        (len(own & content_stems(said)), wrong.correction) for wrong in point.misconceptions for said in wrong.says
    ]
    best = max(shared, key=lambda item: item[0], default=(0, ""))
    return best[1] if best[0] else point.says


def _disputed(item: PointScore, other: PointScore) -> PointScore:
    """Two judges that disagree are shown as such, with lower confidence. The LLM's verdict stands; none is averaged."""
    if Verdict.UNGRADED in {item.verdict, other.verdict} or (item.verdict is Verdict.MET) == (
        other.verdict is Verdict.MET
    ):
        return item
    note = f"Disputed: the {other.judged_by.judge} judge found {other.verdict.value.replace('_', ' ')}."
    return replace(item, confidence=min(item.confidence, DISPUTED), judged_by=replace(item.judged_by, note=note))


def _trouble(error: Exception) -> str:
    if isinstance(error, UserError):  # for example the ceiling on a day's tokens
        return str(error)
    name = type(error).__name__.lower()
    status = getattr(error, "status_code", None)
    if "timeout" in name or isinstance(error, TimeoutError):
        return "it took too long"
    if status == 429 or "ratelimit" in name:
        return "its rate limit was reached"
    if "refusal" in name or "contentfilter" in name:
        return "it refused"
    if status in {401, 403}:
        return "its key was not accepted"
    if isinstance(status, int) and status >= 500:
        return f"its server had an error, {status}"
    if "connect" in name:
        return "it could not be reached"
    return f"it failed with {type(error).__name__}"
