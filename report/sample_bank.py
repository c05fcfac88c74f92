"""The questions and the code of the example interview. They resemble the bank's, and are not taken from it."""

from __future__ import annotations

from domain import Erratum, Framework, Kind, Level, Proof, Question, RubricPoint

AUTOGRAD = Question(
    id="sample_autograd",
    title="How autograd works",
    topic="autograd",
    framework=Framework.PYTORCH,
    level=Level.EASY,
    kind=Kind.EXPLAIN,
    ask="Explain what happens between computing a loss in PyTorch and reading the gradients of the parameters.\n\n"
    "Say also what happens to `.grad` when `backward()` is called more than once.",
    points=(
        RubricPoint(
            "recorded",
            "Operations on tensors that require gradients are recorded in a graph while they run.",
            2,
            why="It explains why ordinary Python control flow just works.",
        ),
        RubricPoint(
            "chain_rule",
            "backward() walks the graph from the output and applies the chain rule.",
            2,
            why="It is the one idea that everything else about training rests on.",
        ),
        RubricPoint(
            "accumulates",
            "backward() adds to .grad instead of replacing it, so gradients must be zeroed.",
            2,
            why="A forgotten zero_grad() is among the most frequent bugs in training loops; it looks like a "
            "learning rate that is too high.",
            sources=("https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html",),
        ),
        RubricPoint(
            "freed",
            "The saved tensors are freed after a backward pass unless retain_graph is set.",
            1,
            why="It explains the error that a second backward() raises, and why retaining costs memory.",
        ),
        RubricPoint(
            "no_grad",
            "Recording is switched off with torch.no_grad() or inference_mode(), to save memory.",
            1,
            why="Evaluation without it keeps the whole graph alive and can run out of memory.",
        ),
    ),
    model_answer="Every operation on a tensor with `requires_grad=True` adds a node to a graph **while it runs**. "
    "`loss.backward()` walks this graph from the loss to the leaves:\n\n"
    "1. each node multiplies the gradient that reaches it by its own local derivative (the chain rule);\n"
    "2. at a leaf the result is **added** to `.grad`, which is why a loop calls `optimizer.zero_grad()`;\n"
    "3. saved tensors are freed on the way, unless `retain_graph=True`.\n\n"
    "Where no gradient is wanted, `torch.no_grad()` or `torch.inference_mode()` stops the recording.",
    sources=("https://docs.pytorch.org/docs/stable/notes/autograd.html",),
)

SWISH = Question(
    id="sample_swish",
    title="A custom autograd function for x · sigmoid(x)",
    topic="autograd",
    framework=Framework.PYTORCH,
    level=Level.HARD,
    kind=Kind.CODE,
    check="check.py",
    ask="Write `swish(x)` with a `torch.autograd.Function` of your own: forward gives `x * sigmoid(x)`, backward is "
    "analytic. Second derivatives must be right as well.",
    points=(
        RubricPoint(
            "value",
            "Values are right on any input, and keep their data type.",
            2,
            Proof.CHECK,
            cases=("documented-example", "random-values", "float64"),
        ),
        RubricPoint("gradient", "The first derivative is right on any input.", 2, Proof.CHECK, cases=("gradient",)),
        RubricPoint(
            "second",
            "The second derivative is right: backward can be differentiated itself.",
            2,
            Proof.CHECK,
            cases=("double-backward",),
            why="Gradient penalties and meta-learning differentiate through backward; a wrong second "
            "derivative there raises no error, training just gets worse.",
            sources=("https://docs.pytorch.org/tutorials/intermediate/custom_function_double_backward_tutorial.html",),
        ),
    ),
    model_answer="Save the **input** and compute the sigmoid again in `backward` from it: then each step of backward "
    "is recorded in terms of `x`, and can be differentiated once more.",
    model_code="""import torch


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * (s + x * s * (1 - s))


def swish(x):
    return Swish.apply(x)
""",
    errata=(
        Erratum(
            "Saving the sigmoid computed in forward is a harmless way to save time in backward.",
            "It is harmless for first derivatives only. The saved sigmoid is a constant to the second backward pass, "
            "so second derivatives come out wrong without any error.",
            "gradcheck passes on that version, and gradgradcheck fails.",
        ),
    ),
    sources=("https://docs.pytorch.org/docs/stable/notes/extending.html",),
)

SWISH_TYPO = """import torch


class Swish(torch.autograd.Function):
    def forward(ctx, x)
        return x * torch.sigmoid(x)
"""

SWISH_CODE = """import torch


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(x)
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, grad):
        x, s = ctx.saved_tensors
        return grad * (s + x * s * (1 - s))


def swish(x):
    out = Swish.apply(x)
    print("shape:", out.shape)
    return out
"""

GD_STEP = Question(
    id="sample_gd_step",
    title="One step of gradient descent on a tf.Variable",
    topic="autograd",
    framework=Framework.TENSORFLOW,
    level=Level.EASY,
    kind=Kind.CODE,
    check="check.py",
    ask="Write `gd_step(x, loss, lr)`: one step of gradient descent on the `tf.Variable` x, in place. Then say how a "
    "`tf.constant` differs from a `tf.Variable`.",
    points=(
        RubricPoint(
            "step",
            "The step is right for any loss and rate.",
            2,
            Proof.CHECK,
            cases=("documented-example", "hidden-loss"),
        ),
        RubricPoint("assign", "The variable itself is updated, in place.", 1, Proof.CHECK, cases=("in-place",)),
        RubricPoint("variable", "A variable holds state that can be assigned to; a constant never changes.", 1),
        RubricPoint(
            "watch", "A tape watches trainable variables by itself; a constant has to be watched explicitly.", 1
        ),
    ),
    model_answer="A `GradientTape` records what happens to the variable; `assign_sub` changes it in place. A constant "
    "is immutable. It *can* be differentiated, but only once the tape has been told to `watch` it.",
    model_code="""import tensorflow as tf


def gd_step(x, loss, lr):
    with tf.GradientTape() as tape:
        value = loss(x)
    x.assign_sub(lr * tape.gradient(value, x))
""",
)

GD_CODE = """import tensorflow as tf

def gd_step(x, loss, lr):
    with tf.GradientTape() as t:
        y = loss(x)
    g = t.gradient(y, x)
    x.assign_sub(lr * g)
"""

BATCH_NORM = Question(
    id="sample_batch_norm",
    title="Batch normalisation in training and in evaluation",
    topic="layers",
    framework=Framework.BOTH,
    level=Level.MEDIUM,
    kind=Kind.EXPLAIN,
    ask="What does batch normalisation compute in training, what in evaluation, and where do PyTorch and Keras differ?",
    points=(
        RubricPoint(
            "batch_statistics", "In training each channel is normalised by the mean and variance of the batch.", 2
        ),
        RubricPoint("scale_shift", "A learned scale and shift follow the normalisation.", 1),
        RubricPoint(
            "running",
            "Evaluation uses running averages that were gathered in training.",
            2,
            why="Forgetting eval() makes a prediction depend on what else is in the batch.",
        ),
        RubricPoint(
            "momentum",
            "Momentum means opposite things: PyTorch weighs the new value, Keras the old one.",
            1,
            why="Copying 0.99 from Keras to PyTorch makes the averages follow the last batch.",
            sources=(
                "https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html",
                "https://keras.io/api/layers/normalization_layers/batch_normalization/",
            ),
        ),
    ),
    model_answer="| part | training | evaluation |\n|---|---|---|\n| statistics | of the batch | running averages |\n"
    "| averages | updated | left alone |\n\nBoth then apply a learned scale and shift. PyTorch's `momentum=0.1` is the "
    "weight of the **new** value, Keras' `momentum=0.99` that of the **old** one.",
)

PIPELINE = Question(
    id="sample_pipeline",
    title="A low-latency inference pipeline on a GPU",
    topic="inference",
    framework=Framework.BOTH,
    level=Level.HARD,
    kind=Kind.DESIGN,
    ask="Design the path of a large Transformer from training code to a GPU server that answers within 50 ms.",
    points=(
        RubricPoint(
            "budget",
            "Begins with a latency budget at a percentile, and with how it is measured.",
            1,
            why="Without a budget there is nothing to trade accuracy or throughput against.",
        ),
        RubricPoint(
            "precision",
            "Lower precision with calibration and a check of accuracy against the original.",
            2,
            why="It is usually the largest single gain, and the one that silently breaks answers.",
            sources=("https://docs.nvidia.com/deeplearning/tensorrt/latest/index.html",),
        ),
        RubricPoint(
            "batching",
            "Requests are batched on the server, within the latency budget.",
            2,
            why="A GPU that serves one request at a time is mostly idle.",
        ),
    ),
    model_answer="Start from the budget (p95 of 50 ms, end to end), measure where time goes, then export, fuse, lower "
    "the precision with calibration, batch dynamically, and compare outputs with the original model at every step.",
    errata=(
        Erratum(
            "TorchServe is a good default for serving.",
            "TorchServe is archived and gets no fixes any more.",
            "Its repository is read-only.",
        ),
    ),
)
