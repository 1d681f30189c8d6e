"""Losses of the distance between input and target, element by element."""

from __future__ import annotations

from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.one_step import one_step
from lazygrad.ops.arguments.operands import promoted, tensor_argument
from lazygrad.ops.arguments.precision import single_precision
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.smooth_activations import float_argument
from lazygrad.ops.loss.reducing import chosen_reduction, reduced
from lazygrad.ops.pointwise.arithmetic import abs, mul, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.powers import square
from lazygrad.ops.pointwise.relational import le, lt
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.reductions.sums import sum
from lazygrad.ops.shapes.reshaping import broadcast_tensors
from lazygrad.tensor import Tensor


def _operands(name: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input and target in one shape and dtype; a broadcast is more often a mistake than meant, so it warns."""
    if tensor_argument(input, name).shape != tensor_argument(target, name, "target").shape:
        warn_user(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
            f"likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        )
    elif input.dtype is target.dtype:
        return input, target
    first, second = [Tensor.from_node(node) for node in promoted(name, input, target)]
    first, second = broadcast_tensors(first, second)
    return first, second


def _weighted(values: Tensor, weight: Tensor | None, input: Tensor, reduction: str) -> Tensor:
    """The reduced loss; with weights the mean is divided by their sum.

    Raises:
        ValueError: the weight has another shape than the input.
    """
    if weight is None:
        return reduced(values, reduction)
    if weight.shape != input.shape:
        raise ValueError(f"Weights and input must have the same size, but got {weight.shape} and {input.shape}.")
    products = mul(values, weight)
    return div(sum(products), sum(weight)) if reduction == "mean" else reduced(products, reduction)


@traced
@single_precision
@one_step("MseLoss")
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input − target)².

    Args:
        input, target: shapes that broadcast (with a warning where they differ), floating after promotion.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        weight: a factor for each element, of the input's shape.

    Raises:
        ValueError: an unknown reduction, or a weight of another shape.
        RuntimeError: shapes that do not broadcast.
        NotImplementedError: integers or bools.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    first, second = _operands("mse_loss", input, target)
    return _weighted(square(sub(float_argument(first, "mse_loss"), second)), weight, input, reduction)


@traced
@single_precision
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """|input − target|; see `mse_loss`. Integers have no mean, as everywhere."""
    reduction = chosen_reduction(reduction, size_average, reduce)
    first, second = _operands("l1_loss", input, target)
    return _weighted(abs(sub(first, second)), weight, input, reduction)


@traced
@single_precision
@one_step("SmoothL1Loss")
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """d² / (2·beta) where the distance d is below ``beta``, d − beta / 2 elsewhere; see `mse_loss`.

    Source: Girshick, "Fast R-CNN", 2015.

    Raises:
        RuntimeError: a negative ``beta``.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta, but got {beta}")
    first, second = _operands("smooth_l1_loss", input, target)
    distance = abs(sub(float_argument(first, "smooth_l1_loss"), second))
    if beta == 0:
        return reduced(distance, reduction)
    near = div(mul(square(distance), 0.5), beta)
    return reduced(where(lt(distance, beta), near, sub(distance, 0.5 * beta)), reduction)


@traced
@single_precision
@one_step("HuberLoss")
def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """d² / 2 where the distance d is at most ``delta``, delta·(d − delta / 2) elsewhere; see `mse_loss`.

    Source: Huber, "Robust Estimation of a Location Parameter", 1964.

    Raises:
        RuntimeError: ``delta`` is not positive.
    """
    reduction = chosen_reduction(reduction)
    if delta <= 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta, but got {delta}")
    first, second = _operands("huber_loss", input, target)
    distance = abs(sub(float_argument(first, "huber_loss"), second))
    far = mul(sub(distance, 0.5 * delta), delta)
    return _weighted(where(le(distance, delta), mul(square(distance), 0.5), far), weight, input, reduction)
