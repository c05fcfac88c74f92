"""What verdicts on a draft rubric may claim: less than on a reviewed one.

A draft knows one wording of each point, and where it has no misconceptions, nothing that is known to be wrong. So of
what the local judge finds, a doubtful NOT_MET becomes UNCERTAIN, and so does a MET whose words deny where the point
asserts, or the other way round; and a contradiction of a point without misconceptions is only missed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from domain import Evidence, PointScore, Question, Quote, RubricPoint, Turn, UngradedReason, Verdict

SURE = 0.75  # confidence from which the local judge may say that a draft's point was not said
_DIFFERS = (
    "What you said and what your document says seem to differ. A draft rubric cannot tell which of them is right."
)
_NEAR = "A draft rubric knows one wording of this, and what you said comes near enough to it to be doubtful."


_DENIES = (
    "What you said denies where your document asserts, or the other way round, so whether it says this is doubtful."
)
_DENIAL = re.compile(r"\b(?:not|never|cannot|neither|nor|no longer|none|nothing)\b|n['’]t\b", re.I)


def tempered(question: Question, scores: Sequence[PointScore], answers: Sequence[Turn]) -> list[PointScore]:
    """The scores, for a draft with no more certainty than it allows; for any other question as they are."""
    if not question.draft:
        return list(scores)
    said = {turn.id: turn.text for turn in answers}
    return [_tempered(question.point(item.point_id), item, said) for item in scores]


def _tempered(point: RubricPoint, item: PointScore, said: Mapping[int, str]) -> PointScore:
    if item.verdict is Verdict.MET and item.judged_by.judge == "local":
        denies = bool(_DENIAL.search(point.says))
        agreeing = tuple(piece for piece in item.evidence if _denies(piece, said) is denies)
        if not agreeing:
            reason = UngradedReason.UNCERTAIN
            return replace(item, verdict=Verdict.UNGRADED, reason=reason, why=_DENIES, evidence=())
        return replace(item, evidence=agreeing)
    if item.verdict is Verdict.CONTRADICTED and not point.misconceptions:
        return replace(item, verdict=Verdict.NOT_MET, why=_DIFFERS, evidence=(), correction="")
    if item.verdict is Verdict.NOT_MET and item.judged_by.judge == "local" and item.confidence < SURE:
        return replace(item, verdict=Verdict.UNGRADED, reason=UngradedReason.UNCERTAIN, why=_NEAR, evidence=())
    return item


def _denies(piece: Evidence, said: Mapping[int, str]) -> bool:
    return isinstance(piece, Quote) and bool(_DENIAL.search(said.get(piece.turn_id, "")[piece.start : piece.end]))
