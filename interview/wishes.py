"""Wishes that cannot be met as they stand: what is said of them, and when it is better to ask again than to begin."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from domain import Plan
from interview.lines import plan_summary
from interview.setup import Understood

NEAR = 0.25  # cosine similarity to the nearest question, below which words name nothing that the bank holds
_OTHERS = re.compile(
    r"\b(jax|flax|mxnet|caffe2?|theano|paddle(?:paddle)?|mindspore|scikit-?learn|sklearn|pandas|spark|xgboost|lightgbm"
    r"|javascript|typescript|java|react|angular|kotlin|swift|golang|rust|sql|kubernetes|docker|c\+\+|c#|matlab|excel)"
    r"(?![\w+#])",
    re.I,
)
_PROPER = {"jax": "JAX", "sql": "SQL", "mxnet": "MXNet", "sklearn": "scikit-learn", "xgboost": "XGBoost"}
_OURS = re.compile(r"\b(?:py ?torch|torch|tensor ?flow|tf2?|keras)\b", re.I)
_KEYBOARD = re.compile(r"qwe|asdf|zxcv|yxcv|uiop|hjkl|jkl;|(.)\1{4}", re.I)
_EACH = re.compile(r"\b(\d{1,3}) ?(minutes?|mins?|seconds?|secs?)(?: time)? (?:each|per|a|for each|for every)\b", re.I)
_TOTAL = re.compile(r"\b(?:in|within|for|have|of|only|about) (\d{1,3}) ?(minutes?|mins?|hours?)\b", re.I)
_DRILL = re.compile(
    r"\b(?:drill|(?:what|points?|things?|everything) i (?:have )?(?:missed|got wrong)|my weak (?:spots?|points?))\b",
    re.I,
)


def timed(plan: Plan, text: str) -> Plan:
    """The plan with the time limits that the words name: "5 minutes each", "in 30 minutes"."""
    if found := _EACH.search(text):
        return replace(plan, seconds_per_question=float(found[1]) * _seconds(found[2]))
    if found := _TOTAL.search(text):
        return replace(plan, seconds_total=float(found[1]) * _seconds(found[2]))
    return plan


def _seconds(unit: str) -> float:
    return {"h": 3600.0, "m": 60.0}.get(unit[0].lower(), 1.0)


def wants_drill(text: str) -> bool:
    """Whether the words ask for nothing but what was missed before."""
    return bool(_DRILL.search(text))


def considered(text: str, understood: Understood, near: Callable[[str], float] | None, *, again: bool) -> Understood:
    """What was understood, with a note on what is not offered; `unclear` where it is better to ask again.

    `near` tells how near words are to the nearest question of the bank, in cosine similarity. With `again` the wish was
    asked for again once already, so that the interview begins whatever was said.
    """
    plan = understood.plan
    foreign = sorted({_PROPER.get(name.lower(), name) for name in _OTHERS.findall(text)})
    named = plan.topics or _OURS.search(text)
    notes = [understood.note]
    if foreign:
        notes.append(f"I do not ask about {' or '.join(foreign)}: all my questions are on PyTorch and TensorFlow.")
    empty = replace(plan, focus="") == Plan()
    lost = bool(plan.focus) and (bool(_KEYBOARD.search(text)) or (near is not None and near(plan.focus) < NEAR))
    told = " ".join(note for note in notes if note)
    if lost and not named and empty and not foreign:
        quoted = " ".join(text.split())[:60]
        told = f"I could not make out of “{quoted}” what you would like to be asked."
        if again:
            plan = replace(plan, focus="")
            return Understood(plan, f"{told} So I begin with a general interview; say “stop” to end it.")
        return Understood(plan, unclear=told)
    if foreign and not named:
        if not again:
            rest = replace(plan, focus="")
            return Understood(plan, unclear=f"I understood “{plan_summary(rest)}”. {told}")
        return Understood(replace(plan, focus=""), f"{told} So I begin with these.")
    if lost and foreign:
        plan = replace(plan, focus="")
    return Understood(plan, told)
