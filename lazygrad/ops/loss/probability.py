"""Losses between probabilities."""

from __future__ import annotations

from lazygrad.ir.composites import loss as composite
from lazygrad.ir.composites.requirement import in_range
from lazygrad.ir.node import Node
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.one_step import one_step
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.precision import single_precision, single_precision_on_cpu
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.smooth_activations import float_argument, logsigmoid
from lazygrad.ops.loss.reducing import chosen_reduction, reduced
from lazygrad.ops.pointwise.arithmetic import add, mul, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.elementary import exp, log
from lazygrad.ops.pointwise.relational import eq
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node


def _same_shape(name: str, input: Tensor, target: Tensor) -> bool:
    return tensor_argument(input, name).shape == tensor_argument(target, name, "target").shape


@single_precision_on_cpu
@one_step("BinaryCrossEntropy")
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """−(target·ln x + (1 − target)·ln(1 − x)), the logarithms not below −100.

    Args:
        input: probabilities, any shape, floating.
        target: probabilities of the same shape and dtype.
        weight: a factor for each element, that broadcasts.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Returns:
        0-dim, or the input's shape for ``"none"``.

    Raises:
        ValueError: shapes differ, or an unknown reduction.
        RuntimeError: dtypes differ, or a weight that does not broadcast; when the loss is computed, a number outside
            [0, 1].
        NotImplementedError: integers or bools.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    if not _same_shape("binary_cross_entropy", input, target):
        raise ValueError(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is "
                         f"deprecated. Please ensure they have the same size.")  # fmt: skip
    probability = float_argument(input, "binary_cross_entropy").node()
    if target.dtype is not input.dtype:
        raise RuntimeError(f"binary_cross_entropy: Found dtype {target.dtype.scalar_type} but expected "
                           f"{input.dtype.scalar_type}: cast the target, or the input")  # fmt: skip
    operands = _in_unit_interval("input", probability), _in_unit_interval("target", target.node())
    values = record(composite.binary_cross_entropy, operands)
    return reduced(values if weight is None else mul(values, weight), reduction)


def _in_unit_interval(name: str, node: Node) -> Node:
    message = f"binary_cross_entropy: all elements of {name} should be between 0 and 1, but one is {{}}."
    return record_node(in_range, (node,), (0, 1, "RuntimeError", message))


@traced
@single_precision
@one_step("BinaryCrossEntropyWithLogits")
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """−(pos_weight·target·ln σ(x) + (1 − target)·ln(1 − σ(x))) with σ = sigmoid, without overflow.

    Args:
        input: logits, any shape, floating.
        target: probabilities of the same shape, floating.
        weight: a factor for each element, that broadcasts.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        pos_weight: a factor for the first term, that broadcasts.

    Raises:
        ValueError: shapes differ, or an unknown reduction.
        RuntimeError: a target of integers or bools, or weights that do not broadcast.
        NotImplementedError: logits of integers or bools.
    """
    name = "binary_cross_entropy_with_logits"
    reduction = chosen_reduction(reduction, size_average, reduce)
    if not _same_shape(name, input, target):
        raise ValueError(f"{name}: Target size ({target.shape}) must be the same as input size ({input.shape})")
    log_hit = logsigmoid(float_argument(input, name))
    if not target.dtype.differentiable:
        raise RuntimeError(f"{name}: expected a floating target, but got {target.dtype.name}; cast it with .float()")
    if pos_weight is not None:
        log_hit = mul(log_hit, add(mul(sub(pos_weight, 1), target), 1))
    values = sub(mul(sub(1, target), input), log_hit)
    return reduced(values if weight is None else mul(values, weight), reduction)


@traced
@single_precision
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target·(ln target − input), the Kullback-Leibler divergence for an input of log probabilities.

    Args:
        input: log probabilities, floating.
        target: probabilities (their logarithms with ``log_target``), of a shape that broadcasts.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: ``"batchmean"`` (the sum divided by the size of the first dimension, which is the divergence),
            ``"mean"``, ``"sum"`` or ``"none"``.
        log_target: whether the target is given as logarithms.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: integers or bools, or shapes that do not broadcast.
    """
    of_batch = reduction == "batchmean" and size_average is None and reduce is None
    chosen = "sum" if of_batch else chosen_reduction(reduction, size_average, reduce)
    if chosen == "mean":
        warn_user(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.",
        )
    if not (tensor_argument(input, "kl_div").dtype.differentiable and target.dtype.differentiable):
        raise RuntimeError(f"kl_div: integers are not supported, but got {input.dtype} and {target.dtype}; cast first")
    values = reduced(_divergence(input, target, log_target), chosen)
    return div(values, input.shape[0]) if of_batch and input.ndim else values


def _divergence(input: Tensor, target: Tensor, log_target: bool) -> Tensor:
    if log_target:
        return mul(exp(target), sub(target, input))
    # 0·ln 0 is 0 here, with a finite derivative.
    entropy = mul(target, log(where(eq(target, 0), 1.0, target)))
    return sub(entropy, mul(target, input))
