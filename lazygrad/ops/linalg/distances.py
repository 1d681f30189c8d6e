"""Distances between vectors, and tensors scaled down to a norm."""

from __future__ import annotations

from math import prod

from lazygrad.ir.dtype import DType
from lazygrad.ir.shape import broadcast_shapes, normalize_axis
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.precision import single_precision
from lazygrad.ops.arguments.reducing import square_root
from lazygrad.ops.arguments.registering import broadcast_node, method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.indexing.gathering import index_select
from lazygrad.ops.linalg.products import matmul
from lazygrad.ops.pointwise.arithmetic import add, mul, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.relational import gt
from lazygrad.ops.pointwise.selection import clamp_min, where
from lazygrad.ops.reductions.norm import norm
from lazygrad.ops.reductions.sums import sum as sum_
from lazygrad.ops.shapes.parts import unbind
from lazygrad.ops.shapes.permuting import transpose
from lazygrad.ops.shapes.reshaping import unsqueeze
from lazygrad.ops.shapes.triangles import triu_indices
from lazygrad.tensor import Tensor

__all__ = ["cdist", "pdist", "dist", "renorm"]

_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
_MANY = 25  # rows from which a matrix product is faster than differences


def _check_float(name: str, argument: str, dtype: DType) -> None:
    if not dtype.is_floating_point:
        raise RuntimeError(f"{name} only supports floating-point dtypes, {argument} got: {dtype.name}")
    if dtype.is_half:
        raise NotImplementedError(f"{name} not implemented for '{dtype.scalar_type}'; cast with .float()")


@traced
@single_precision
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The p-norm distance of every row of ``x1`` to every row of ``x2``.

    Args:
        x1: shape (…, n, k), float32 or float64.
        x2: shape (…, m, k), whose batch broadcasts against that of ``x1``.
        p: not negative; inf for the largest difference, 0 for how many elements differ.
        compute_mode: whether Euclidean distances come from a matrix product, which is faster and less exact for
            near rows: "use_mm_for_euclid_dist_if_necessary" for more than 25 rows, "use_mm_for_euclid_dist",
            "donot_use_mm_for_euclid_dist".

    Returns:
        Shape (…, n, m). The gradient of a distance 0 is 0.

    Raises:
        RuntimeError: shapes that do not fit, a negative ``p``, integers. NotImplementedError: 16-bit floats.
        ValueError: another mode.
    """
    first, second = tensor_argument(x1, "cdist", "x1"), tensor_argument(x2, "cdist", "x2")
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for argument, x in (("X1", first), ("X2", second)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {argument} got: {x.ndim}D")
        _check_float("cdist", argument, x.dtype)
    if first.shape[-1] != second.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {first.shape[-1]} X2: "
                           f"{second.shape[-1]}")  # fmt: skip
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    many = first.shape[-2] > _MANY or second.shape[-2] > _MANY
    if p == 2 and (compute_mode == _MODES[1] or (compute_mode == _MODES[0] and many)):
        return _euclidean(first, second)
    batch = broadcast_shapes("cdist", first.shape[:-2], second.shape[:-2])
    shape = (*batch, first.shape[-2], second.shape[-2])
    difference = sub(unsqueeze(first, -2), unsqueeze(second, -3))
    if not prod(difference.shape):
        return Tensor.from_node(broadcast_node(sum_(difference, -1).node(), shape))
    return norm(difference, p, -1)


def _euclidean(x: Tensor, y: Tensor) -> Tensor:
    """√(|x|² + |y|² - 2·x·y), where rounding may not make the sum negative."""
    squares = add(unsqueeze(sum_(mul(x, x), -1), -1), unsqueeze(sum_(mul(y, y), -1), -2))
    total = add(squares, matmul(x, transpose(y, -2, -1)), alpha=-2)
    return Tensor.from_node(square_root(clamp_min(total, 0).node()))


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distances between the rows of a matrix (n, k), pair by pair: shape (n·(n - 1)/2,).

    Raises:
        RuntimeError: not a matrix, a negative ``p``, integers. NotImplementedError: 16-bit floats.
    """
    x = tensor_argument(input, "pdist")
    if x.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {x.ndim}D")
    _check_float("pdist", "input", x.dtype)
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = unbind(triu_indices(x.shape[0], x.shape[0], 1))
    difference = sub(index_select(x, 0, first), index_select(x, 0, second))
    return norm(difference, p, -1) if prod(difference.shape) else sum_(difference, -1)


@method()
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of ``input`` - ``other``, broadcast, as one vector: 0-dim.

    Raises:
        RuntimeError: integers, or shapes that do not broadcast.
    """
    tensor_argument(other, "dist", "other")
    return norm(sub(input, other), p)


_LEAST_NORM = 1e-7  # PyTorch's guard against a division by 0


@accepts_out
@method(inplace=True)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """``input`` with every slice along ``dim`` whose p-norm is larger than ``maxnorm`` scaled down to it.

    Args:
        input: at least two dimensions, floating or complex; norms of 16-bit floats are computed in float32.
        p: positive.
        dim: the dimension whose slices are meant.
        maxnorm: not negative.

    Raises:
        RuntimeError: fewer than two dimensions, ``p`` not positive, ``maxnorm`` negative, integers.
        IndexError: ``dim`` out of range.
    """
    shape = tensor_argument(input, "renorm").shape
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    if len(shape) < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {len(shape)} dimensions")
    if not input.dtype.differentiable:
        raise RuntimeError(f"renorm: expected a floating point or complex tensor, but got {input.dtype.name}")
    axis = normalize_axis(dim, len(shape), "renorm")
    norms = norm(input, p, [other for other in range(len(shape)) if other != axis], True)
    factor = where(gt(norms, maxnorm), div(maxnorm, add(norms, _LEAST_NORM)), 1.0)
    return mul(input, factor)
