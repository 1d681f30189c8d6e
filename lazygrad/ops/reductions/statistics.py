"""Variance and standard deviation.

``correction`` is subtracted from the count in the divisor: 1 for the unbiased variance of a sample (Bessel), 0 for
that of the whole population. ``unbiased`` is PyTorch's older way to say the same.
"""

from __future__ import annotations

from lazygrad.ir.composites.normalization import variance
from lazygrad.ir.dtype import Scalar
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.shape import normalize_axes, numel
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.kinds import Dim
from lazygrad.ops.arguments.operands import as_scalar, cast_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import Axes, square_root, widened, without_axes
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.reductions.sums import mean_node
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["var", "std", "var_mean", "std_mean"]


def _operand(name: str, input: Tensor, dim: Dim) -> tuple[Node, Axes]:
    node = tensor_argument(input, name).node()
    if not node.dtype.differentiable:
        raise RuntimeError(f"{name}: std and var only support floating point and complex dtypes, not "
                           f"{node.dtype.name}; cast with .float()")  # fmt: skip
    return widened(node), normalize_axes(dim, node.rank, name)


def _settings(name: str, dim: Dim, unbiased: bool | None, correction: Scalar | None) -> tuple[Dim, Scalar]:
    """The dimension and the correction; ``var(x, False)`` means ``unbiased=False``."""
    if isinstance(dim, bool):
        if unbiased is not None:
            raise TypeError(f"{name}() got 'unbiased' twice")
        dim, unbiased = None, dim
    if unbiased is None:
        return dim, 1 if correction is None else as_scalar(correction, name)
    if correction is not None:
        raise TypeError(f"{name}() takes either 'unbiased' or 'correction', not both")
    return dim, int(unbiased)


def _variance(name: str, node: Node, axes: Axes, correction: Scalar) -> Node:
    """Real of complex numbers too: the variances of both parts add up."""
    if _count(node, axes) <= correction.real:
        warn_user(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            f"(input numel divided by output numel)."
        )
    return _sum_of_variances(node, axes, correction)


def _count(node: Node, axes: Axes) -> int:
    """How many elements are reduced to each of the result; 0 of an empty result."""
    sizes = tuple([1 if axis in axes else size for axis, size in enumerate(node.shape)])
    return numel(node.shape) // numel(sizes) if numel(sizes) else 0


def _sum_of_variances(node: Node, axes: Axes, correction: Scalar) -> Node:
    if node.dtype.is_complex:
        parts = [_sum_of_variances(record_node(part, (node,)), axes, correction) for part in (ew.real, ew.imag)]
        return record_node(ew.add, tuple(parts))
    return record_node(variance, (node,), (axes, correction))


def _pair(input: Tensor, spread: Node, average: Node, axes: Axes, keepdim: bool) -> tuple[Tensor, Tensor]:
    dtype = input.dtype
    return (
        without_axes(cast_node(spread, dtype.to_real()), axes, keepdim),
        without_axes(cast_node(average, dtype), axes, keepdim),
    )


@accepts_out
@method()
@numpy_keywords
@traced
def var(
    input: Tensor,
    dim: Dim = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Scalar | None = None,
) -> Tensor:
    """Σ (x - mean)² / max(0, count - correction) over ``dim``, all dimensions when None.

    Args:
        input: floating dtype; 16-bit floats are computed in float32.
        dim: dimensions to reduce.
        unbiased: False for ``correction=0``, True for ``correction=1``.
        keepdim: keep reduced dimensions with size 1.
        correction: default 1.

    Raises:
        RuntimeError: integers or bools.
        IndexError: a dimension out of range.
        TypeError: both ``unbiased`` and ``correction``.
    """
    dim, correction = _settings("var", dim, unbiased, correction)
    node, axes = _operand("var", input, dim)
    return without_axes(cast_node(_variance("var", node, axes, correction), input.dtype.to_real()), axes, keepdim)


@accepts_out
@method()
@numpy_keywords
@traced
def std(
    input: Tensor,
    dim: Dim = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Scalar | None = None,
) -> Tensor:
    """The square root of `var`, with gradient 0 where it is 0.

    Raises:
        RuntimeError: integers or bools.
        IndexError: a dimension out of range.
        TypeError: both ``unbiased`` and ``correction``.
    """
    dim, correction = _settings("std", dim, unbiased, correction)
    node, axes = _operand("std", input, dim)
    spread = square_root(_variance("std", node, axes, correction))
    return without_axes(cast_node(spread, input.dtype.to_real()), axes, keepdim)


@method()
@numpy_keywords
@traced
def var_mean(
    input: Tensor,
    dim: Dim = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Scalar | None = None,
) -> tuple[Tensor, Tensor]:
    """`var` and `mean` over ``dim``."""
    dim, correction = _settings("var_mean", dim, unbiased, correction)
    node, axes = _operand("var_mean", input, dim)
    return _pair(input, _variance("var_mean", node, axes, correction), mean_node(node, axes), axes, keepdim)


@method()
@traced
@numpy_keywords
def std_mean(
    input: Tensor,
    dim: Dim = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Scalar | None = None,
) -> tuple[Tensor, Tensor]:
    """`std` and `mean` over ``dim``."""
    dim, correction = _settings("std_mean", dim, unbiased, correction)
    node, axes = _operand("std_mean", input, dim)
    spread = square_root(_variance("std_mean", node, axes, correction))
    return _pair(input, spread, mean_node(node, axes), axes, keepdim)
