"""The local judge as it is measured: every question is judged with weights in whose fit it had no part."""

from __future__ import annotations

from collections.abc import Sequence

from domain import Embedder, PointScore, Question, RubricPoint, Turn
from grader.local import LocalJudge
from grader.scorer import Scorer, without


class HeldOutJudge:
    """Implements domain.Judge. Keeps one local judge for each fold of questions."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._judges: dict[Scorer, LocalJudge] = {}

    @property
    def name(self) -> str:
        """As the local judge's, and how it was fitted."""
        return f"local judge ({self._embedder.name}), fitted without the question it judges"

    def judge(self, question: Question, points: Sequence[RubricPoint], answers: Sequence[Turn]) -> list[PointScore]:
        """One PointScore a point, in order. Raises UserError when the embedding model cannot be had."""
        scorer = without(question.id)
        judge = self._judges.setdefault(scorer, LocalJudge(self._embedder, scorer))
        return judge.judge(question, points, answers)
