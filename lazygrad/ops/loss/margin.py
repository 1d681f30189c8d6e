"""Losses that ask for a margin between scores, similarities or distances."""

from __future__ import annotations

from lazygrad.ops.arguments.one_step import one_step
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.precision import single_precision
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.similarity import pairwise_distance
from lazygrad.ops.layers.smooth_activations import logsigmoid
from lazygrad.ops.loss.reducing import chosen_reduction, reduced
from lazygrad.ops.pointwise.arithmetic import add, mul, neg, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.elementary import sqrt
from lazygrad.ops.pointwise.powers import square
from lazygrad.ops.pointwise.relational import eq, minimum, ne
from lazygrad.ops.pointwise.selection import clamp_min, where
from lazygrad.ops.reductions.sums import sum
from lazygrad.tensor import Tensor

_LEAST_SQUARE = 1e-12  # keeps the cosine of a zero vector finite


@traced
@single_precision
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, −target·(input1 − input2) + margin).

    Args:
        input1, input2: scores, of one rank.
        target: 1 where the first should rank higher, −1 where the second should; of the same rank.
        margin: how much higher.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Raises:
        RuntimeError: ranks differ.
        ValueError: an unknown reduction.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    if not tensor_argument(input1, "margin_ranking_loss").ndim == input2.ndim == target.ndim:
        raise RuntimeError(f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
                           f"{input1.shape}, input2: {input2.shape}, target: {target.shape} ")  # fmt: skip
    return reduced(clamp_min(add(mul(neg(target), sub(input1, input2)), margin), 0), reduction)


@traced
@single_precision
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The input where the target is 1, max(0, margin − input) where it is −1; see `margin_ranking_loss`."""
    reduction = chosen_reduction(reduction, size_average, reduce)
    apart = where(ne(target, 1), clamp_min(sub(margin, input), 0), 0.0)
    return reduced(add(apart, where(ne(target, -1), input, 0.0)), reduction)


@traced
@single_precision
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 − cos where the target is 1, max(0, cos − margin) where it is −1, for the cosine of two vectors.

    Args:
        input1, input2: (N, D) or (D,).
        target: (N,) or ().
        margin, size_average, reduce, reduction: see `margin_ranking_loss`.

    Raises:
        RuntimeError: other shapes.
        ValueError: an unknown reduction.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    if tensor_argument(target, "cosine_embedding_loss", "target").ndim > 1:
        raise RuntimeError("cosine_embedding_loss: 0D or 1D target tensor expected, multi-target not supported")
    if not input1.ndim == input2.ndim == target.ndim + 1:
        raise RuntimeError(f"cosine_embedding_loss: {target.ndim}D target tensor expects {target.ndim + 1}D input "
                           f"tensors, but found inputs with sizes {input1.shape} and {input2.shape}.")  # fmt: skip
    product = sum(mul(input1, input2), -1)
    squares = [add(sum(square(vectors), -1), _LEAST_SQUARE) for vectors in (input1, input2)]
    cosine = div(product, sqrt(mul(*squares)))
    alike = where(eq(target, 1), sub(1, cosine), 0.0)
    return reduced(add(alike, where(eq(target, -1), clamp_min(sub(cosine, margin), 0), 0.0)), reduction)


@traced
@single_precision
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) − d(anchor, negative) + margin) for the p-norm distance d of the last dimension.

    Source: Balntas et al., "Learning local feature descriptors with triplets", 2016.

    Args:
        anchor, positive, negative: (N, D) or (D,).
        margin: how much closer the positive should be.
        p, eps: of the distance, see `pairwise_distance`.
        swap: also consider the distance of positive and negative, if smaller.
        size_average, reduce, reduction: see `margin_ranking_loss`.

    Raises:
        RuntimeError: ranks differ.
        ValueError: an unknown reduction, or a margin that is not positive.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"triplet_margin_loss: margin must be greater than 0, got {margin}")
    if not tensor_argument(anchor, "triplet_margin_loss", "anchor").ndim == positive.ndim == negative.ndim:
        raise RuntimeError(f"triplet_margin_loss: The anchor, positive, and negative tensors are expected to have the "
                           f"same number of dimensions, but got {anchor.shape}, {positive.shape} and "
                           f"{negative.shape}")  # fmt: skip
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced(clamp_min(add(sub(near, far), margin), 0), reduction)


@traced
@single_precision
@one_step("SoftMarginLoss")
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """ln(1 + e^(−target·input)), without overflow; see `margin_ranking_loss`."""
    reduction = chosen_reduction(reduction, size_average, reduce)
    return reduced(neg(logsigmoid(mul(target, input))), reduction)
