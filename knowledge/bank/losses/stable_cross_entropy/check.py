"""cross_entropy(logits, targets, ignore_index) against log-sum-exp in numpy, float64, its gradient included.

PyTorch's own losses, log_softmax and logsumexp are switched off: that keeps honest work honest, and is no security
boundary.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from domain import Box, CandidateError, Case, Value
from sandbox.toolkit import Mismatch, array, case, expect, expect_close, expect_unchanged, note, tensor

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SWITCH_OFF = """
def switch_off():
    def refuse(*args, **kwargs):
        raise RuntimeError("log_softmax, logsumexp and PyTorch's losses are switched off: do the arithmetic yourself")
    functional = torch.nn.functional
    for holder, names in (
        (functional, ("cross_entropy", "nll_loss", "log_softmax", "softmin")),
        (torch, ("log_softmax", "logsumexp", "logaddexp", "nll_loss", "cross_entropy_loss", "_log_softmax")),
        (torch.special, ("log_softmax", "logsumexp")),
        (torch.Tensor, ("log_softmax", "logsumexp", "logaddexp")),
        (torch.nn, ("CrossEntropyLoss", "NLLLoss", "LogSoftmax")),
    ):
        for name in names:
            setattr(holder, name, refuse)
"""

BIND = """
def bind(cross_entropy, targets, ignore_index):
    return lambda logits: cross_entropy(logits, targets, ignore_index=ignore_index)

def transposed(item):  # the same values, with the classes first in memory
    return item.transpose(0, 1).contiguous().transpose(0, 1)
"""


def loss(logits: Floats, targets: Ints, ignored: int = -100) -> float:
    """The mean of logsumexp(row) - row[target] over the rows that count; 0 where there are none."""
    counted = targets != ignored
    if not counted.any():
        return 0.0
    rows, wanted = logits[counted], targets[counted]
    top = rows.max(axis=1, keepdims=True)
    total = top[:, 0] + np.log(np.exp(rows - top).sum(axis=1))
    return float((total - rows[np.arange(len(rows)), wanted]).mean())


def gradient(logits: Floats, targets: Ints, ignored: int = -100) -> Floats:
    """(softmax - one-hot) / number of rows that count; 0 in the others."""
    counted = targets != ignored
    grown = np.exp(logits - logits.max(axis=1, keepdims=True))
    result = grown / grown.sum(axis=1, keepdims=True)
    result[counted, targets[counted]] -= 1
    return np.asarray(np.where(counted[:, None], result, 0.0) / max(int(counted.sum()), 1))


def check(box: Box, rng: np.random.Generator) -> Iterator[Case]:
    """Yield the cases; see the rubric for what each proves."""
    box.call(box.define(SWITCH_OFF, "switch_off"))
    function = box.get(box.load(), "cross_entropy")

    def draw(rows: int, classes: int, size: float = 3.0) -> tuple[Floats, Ints]:
        """Logits that float32 holds exactly, and targets."""
        logits = (rng.normal(size=(rows, classes)) * size).astype(np.float32).astype(np.float64)
        return logits, rng.integers(0, classes, rows)

    def hide(targets: Ints, ignored: int, count: int) -> Ints:
        """Some targets replaced by the index that is to be ignored."""
        hidden = targets.copy()
        hidden[rng.choice(len(targets), count, replace=False)] = ignored
        return hidden

    def call(logits: Value, targets: Ints, ignored: int | None = None) -> Value:
        options: dict[str, Value] = {} if ignored is None else {"ignore_index": ignored}
        return box.call(function, logits, tensor(targets, "int64"), **options)

    def compare(
        logits: Floats, targets: Ints, ignored: int | None = None, dtype: str = "float32", rtol: float | None = None
    ) -> None:
        got = call(tensor(logits, dtype), targets, ignored)
        wanted = np.array(loss(logits, targets, -100 if ignored is None else ignored))
        expect_close(got, wanted, dtype=dtype, rtol=rtol, what="the loss")

    def compare_gradient(logits: Floats, targets: Ints, ignored: int = -100, dtype: str = "float64") -> None:
        forward = box.make(box.define(BIND, "bind"), function, tensor(targets, "int64"), ignored)
        upstream = rng.uniform(0.5, 2.0)
        got = box.vjp(forward, [tensor(logits, dtype)], [tensor(upstream, dtype)])
        expect(got.gradients[0] is not None, "the loss does not depend on the logits as far as autograd can tell")
        # Not scaled to the largest entry, so that an entry that is nearly zero has to be right as well.
        wanted = upstream * gradient(logits, targets, ignored)
        expect_close(got.gradients[0], wanted, atol=1e-6 if dtype == "float32" else 1e-12, what="the gradient")

    def documented() -> None:
        logits, targets = np.array([[2.0, 0.0], [0.0, 2.0], [5.0, 1.0]]), np.array([0, 0, -100])
        note("logits", logits)
        note("targets", targets)
        compare(logits, targets)

    def values() -> None:
        for rows, classes in ((8, 5), (1, 3), (5, 2), (40, 10), (1, 1)):
            compare(*draw(rows, classes))

    def large() -> None:
        for size in (200.0, 1e4):
            logits, targets = draw(6, 5, size)
            compare(logits, targets)
            compare(-np.abs(logits) - 300.0, targets)
            compare(np.abs(logits) + 300.0, targets)

    def shifted() -> None:
        """A common shift of each row changes nothing; in float64 little is lost by it."""
        logits, targets = draw(7, 4)
        shift = rng.choice([-1.0, 1.0], (7, 1)) * rng.uniform(1e3, 1e4, (7, 1))
        compare(logits + shift, targets, dtype="float64", rtol=1e-9)

    def confident() -> None:
        """The loss of a right and very sure prediction is tiny, and neither 0 nor infinite where it is wrong."""
        margin = rng.uniform(60.0, 90.0, 5)
        logits = np.stack([margin, np.zeros(5), -margin], axis=1).astype(np.float32).astype(np.float64)
        for target in (1, 2):
            compare(logits, np.full(5, target))
        sure = np.array([[rng.uniform(9.0, 12.0), 0.0, 0.0]])
        compare(sure, np.array([0]), dtype="float64", rtol=1e-9)

    def ignored() -> None:
        for index in (None, -1, 2):
            logits, targets = draw(12, 5)
            marker = -100 if index is None else index
            compare(logits, hide(targets, marker, int(rng.integers(3, 8))), index)
        logits, targets = draw(4, 1)
        compare(logits, hide(targets, -100, 2))

    def ignored_rows_are_not_read() -> None:
        logits, targets = draw(6, 4)
        targets = hide(targets, -100, 2)
        wild = logits.copy()
        wild[targets == -100] = np.array([np.inf, -np.inf, np.nan, 0.0])
        got = call(tensor(wild), targets)
        expect_close(got, np.array(loss(logits[targets >= 0], targets[targets >= 0])), what="the loss")

    def all_ignored() -> None:
        logits, _ = draw(4, 3)
        compare(logits, np.full(4, -100))
        compare_gradient(logits, np.full(4, -100))
        compare(np.zeros((0, 3)), np.zeros(0, dtype=np.int64))

    def gradients() -> None:
        compare_gradient(*draw(6, 5))
        logits, targets = draw(9, 4)
        compare_gradient(logits, hide(targets, -100, 4))

    def large_gradients() -> None:
        for size in (200.0, 1e4):
            logits, targets = draw(6, 5, size)
            for dtype in ("float32", "float64"):
                compare_gradient(logits, hide(targets, -100, 2), dtype=dtype)

    def float64() -> None:
        compare(*draw(7, 4), dtype="float64", rtol=1e-12)

    def views_and_inputs() -> None:
        logits, targets = draw(5, 4)
        sent, marked = tensor(logits), tensor(hide(targets, -100, 2), "int64")
        held, kept = box.make(box.define(BIND, "transposed"), sent), box.keep(marked)
        got = array(box.call(function, held, kept), "the loss")
        expect_close(got, np.array(loss(logits, np.asarray(marked.data, dtype=np.int64))), what="the loss")
        expect_unchanged(box, held, sent, "logits")
        expect_unchanged(box, kept, marked, "targets")

    def out_of_range() -> None:
        for wrong in (4, 7, -1):
            logits, targets = draw(5, 4)
            targets[int(rng.integers(0, 5))] = wrong
            try:
                call(tensor(logits), targets)
            except CandidateError as error:
                expect(error.type_name in ("IndexError", "ValueError", "RuntimeError"), "raised an unexpected error")
            else:
                raise Mismatch("a target that is no class was accepted")

    yield case("documented-example", "the documented example", documented, visible=True)
    yield case("values", "the mean over rows, for logits of ordinary size", values)
    yield case("large-logits", "logits of very large magnitude", large)
    yield case("shifted-rows", "rows shifted by a constant", shifted)
    yield case("confident", "predictions that are very sure, right and wrong", confident)
    yield case("ignored-rows", "the rows that are ignored, and what the mean is over", ignored)
    yield case("ignored-are-not-read", "infinities and NaN in rows that are ignored", ignored_rows_are_not_read)
    yield case("all-ignored", "a batch in which nothing counts", all_ignored)
    yield case("gradients", "the gradient, with ignored rows as well", gradients)
    yield case("large-gradients", "the gradient at very large logits", large_gradients)
    yield case("float64", "dtype and precision in float64", float64)
    yield case(
        "views-and-inputs", "logits that are not contiguous, and that the inputs are left alone", views_and_inputs
    )
    yield case("out-of-range", "targets that are no class", out_of_range)
