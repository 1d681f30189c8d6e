"""Covariance and correlation of variables, each a row of observations."""

from __future__ import annotations

from lazygrad.ir.dtype import Category, bool_
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.operands import get_default_dtype, tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.pointwise.complex_numbers import complex, imag, real
from lazygrad.ops.pointwise.selection import clamp
from lazygrad.ops.reductions.sums import any, mean, sum
from lazygrad.ops.shapes.parts import diagonal
from lazygrad.ops.shapes.reshaping import reshape, squeeze
from lazygrad.tensor import Tensor

__all__ = ["cov", "corrcoef"]


def _weights(name: str, weights: Tensor | None, count: int, category: Category) -> None:
    if weights is None:
        return
    if tensor_argument(weights, "cov", name).ndim > 1:
        raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {weights.ndim}")
    if weights.dtype.category is not category:
        kind = "integral" if category is Category.INTEGER else "floating point"
        raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {weights.dtype.name}")
    if weights.shape.numel() != count:
        raise RuntimeError(f"cov(): expected {name} to have the same numel as there are observations in the input but "
                           f"got {weights.shape.numel()} != {count}")  # fmt: skip
    if bool(any(weights.detach() < 0).array()):
        raise RuntimeError(f"cov(): {name} cannot be negative")


@method()
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of the rows of ``input``; of a vector, the variance as a 0-dim tensor.

    Args:
        input: (variables, observations), or observations of one variable.
        correction: subtracted from the number of observations in the divisor.
        fweights: how often each observation was made, integers.
        aweights: how much each observation counts, floats.

    Raises:
        RuntimeError: more than two dimensions, a bool tensor, weights of another length, dtype or sign.
    """
    if tensor_argument(input, "cov").ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} "
                           f"dimensions")  # fmt: skip
    if input.dtype is bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = reshape(input, 1, -1) if input.ndim < 2 else input
    count = rows.shape[1]
    _weights("fweights", fweights, count, Category.INTEGER)
    _weights("aweights", aweights, count, Category.FLOAT)
    weights, total = _combined(fweights, aweights, count, input)
    if weights is None:
        center = mean(rows if rows.dtype.differentiable else rows.to(get_default_dtype()), 1, keepdim=True)
        divisor = total - correction
    else:
        center = sum(rows * weights, 1, keepdim=True) / total
        repeats = total if aweights is None else sum(weights * aweights) / total
        divisor = total - correction * repeats if aweights is not None else total - correction
    if not isinstance(divisor, Tensor) and divisor <= 0:
        warn_user("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
                  "observations.")  # fmt: skip
    spread = rows - center
    weighted = spread if weights is None else spread * weights
    divisor = clamp(divisor, min=0) if isinstance(divisor, Tensor) else max(divisor, 0)
    return squeeze((spread @ weighted.mH) / divisor)


def _combined(
    fweights: Tensor | None, aweights: Tensor | None, count: int, input: Tensor
) -> tuple[Tensor | None, Tensor | int]:
    """The weight of each observation and their sum."""
    if fweights is None and aweights is None:
        return None, count
    if fweights is None or aweights is None:
        weights = fweights if fweights is not None else aweights
    else:
        weights = fweights * aweights
    assert weights is not None
    if not count:
        return weights, filled((), 0, input.dtype, input.device)
    return weights, sum(weights)


@method()
def corrcoef(input: Tensor) -> Tensor:
    """The matrix of correlation coefficients of the rows of ``input``, limited to [-1, 1].

    Of complex numbers both parts are limited. See `cov`.

    Raises:
        RuntimeError: more than two dimensions.
    """
    if tensor_argument(input, "corrcoef").ndim > 2:
        raise RuntimeError(f"corrcoef(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.ndim} dimensions")  # fmt: skip
    matrix = cov(input)
    if matrix.ndim == 0:
        return matrix / matrix
    deviation = real(diagonal(matrix)).sqrt()
    ratio = matrix / deviation.unsqueeze(-1) / deviation.unsqueeze(0)
    if ratio.dtype.is_complex:
        return complex(clamp(real(ratio), min=-1, max=1), clamp(imag(ratio), min=-1, max=1))
    return clamp(ratio, min=-1, max=1)
