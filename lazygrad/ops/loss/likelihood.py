"""Negative log likelihoods of numbers under a distribution."""

from __future__ import annotations

from math import log as logarithm
from math import pi

from lazygrad.ir.composites.requirement import not_negative
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.ir.shape import Shape
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.precision import single_precision
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.smooth_activations import float_argument
from lazygrad.ops.loss.reducing import chosen_reduction, reduced
from lazygrad.ops.pointwise.arithmetic import add, mul, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.elementary import exp, log
from lazygrad.ops.pointwise.powers import square
from lazygrad.ops.pointwise.relational import gt
from lazygrad.ops.pointwise.selection import clamp_min, where
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record


def _aligned_variance(var: Tensor, shape: Shape) -> Tensor:
    """The variance with a size for every dimension of the input: its own, or 1 for one dimension that it lacks.

    Raises:
        ValueError: any other shape.
    """
    given = tuple(tensor_argument(var, "gaussian_nll_loss", "var").shape)
    if given == shape:
        return var
    if given == shape[:-1]:
        return Tensor.from_node(reshaped(var.node(), (*given, 1)))
    if len(given) == len(shape) and [have for have, want in zip(given, shape, strict=True) if have != want] == [1]:
        return var
    raise ValueError(f"gaussian_nll_loss: var is of incorrect size {list(given)} for an input of {list(shape)}")


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """½·(ln var + (input − target)² / var).

    Args:
        input: means, any shape, floating.
        target: of a shape that broadcasts.
        var: variances: of the input's shape, without its last dimension, or with size 1 in one; or one number.
        full: add the constant ½·ln 2π.
        eps: the least variance taken; its gradient is passed on as if there were no limit.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Returns:
        0-dim, or the input's shape for ``"none"``. A negative element of ``var`` makes it NaN.

    Raises:
        ValueError: a negative number for ``var``, a ``var`` of another shape, or an unknown reduction.
        NotImplementedError: integers or bools.
    """
    reduction = chosen_reduction(reduction)
    shape = tuple(float_argument(input, "gaussian_nll_loss").shape)
    if isinstance(var, Tensor):
        message = "gaussian_nll_loss: var has negative entry/entries: {}"
        variance = record(not_negative, (_aligned_variance(var, shape).node(),), ("ValueError", message))
        limited = clamp_min(variance, eps)
        spread = record(straight_through, (limited.node(), variance.node()))
        values = add(log(spread), div(square(sub(input, target)), spread))
    else:
        if var < 0:
            raise ValueError(f"gaussian_nll_loss: var has negative entry/entries: {var}")
        number = max(var, eps)
        values = add(div(square(sub(input, target)), number), logarithm(number))
    values = mul(values, 0.5)
    return reduced(add(values, 0.5 * logarithm(2 * pi)) if full else values, reduction)


@traced
@single_precision
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """rate − target·ln rate, where the input is the rate or, with ``log_input``, its logarithm.

    Args:
        input: any shape.
        target: counts, of a shape that broadcasts.
        log_input: whether the input is a logarithm.
        full: add Stirling's approximation of ln target! where the target is above 1.
        size_average, reduce: PyTorch's former words for ``reduction``.
        eps: added to the rate before its logarithm is taken.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Raises:
        ValueError: an unknown reduction.
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    rate = exp(input) if log_input else input
    values = sub(rate, mul(target, input if log_input else log(add(input, eps))))
    return reduced(add(values, _log_factorial(target)) if full else values, reduction)


def _log_factorial(count: Tensor) -> Tensor:
    above = where(gt(count, 1), count, 1.0)
    stirling = add(sub(mul(above, log(above)), above), mul(log(mul(above, 2 * pi)), 0.5))
    return where(gt(count, 1), stirling, 0.0)
