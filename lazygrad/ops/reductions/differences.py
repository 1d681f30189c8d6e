"""Finite differences along a dimension, and their inverse, the trapezoidal rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import bool_
from lazygrad.ir.shape import normalize_axes, normalize_axis
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.operands import is_scalar, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.pointwise.relational import ne
from lazygrad.ops.reductions.scans import cumsum
from lazygrad.ops.reductions.sums import sum
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.tensor import Tensor

__all__ = ["diff", "gradient", "trapezoid", "trapz", "cumulative_trapezoid"]


def _neighbours(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """All elements along ``axis`` but the first, and all but the last."""
    size = input.shape[axis]
    return between(input, axis, min(1, size), size), between(input, axis, 0, max(size - 1, 0))


# Differences.


@accepts_out
@method()
@numpy_keywords
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The ``n``-th differences of neighbours along ``dim``; of bools, where they differ.

    Args:
        input: at least one dimension.
        n: how often differences are taken; the dimension shrinks by 1 each time, to 0 at the least.
        dim: the dimension.
        prepend, append: joined to the input first; of its rank.

    Raises:
        RuntimeError: a 0-dim input, a negative ``n``, parts of another rank.
        IndexError: ``dim`` out of range.
    """
    rank = tensor_argument(input, "diff").ndim
    if rank == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    axis = normalize_axis(dim, rank, "diff")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    for part in (prepend, append):
        if part is not None and tensor_argument(part, "diff", "prepend or append").ndim != rank:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    if n == 0:
        return input.clone()
    parts = [part for part in (prepend, input, append) if part is not None]
    result = cat(parts, axis) if len(parts) > 1 else input
    for _ in range(max(1, min(n, result.shape[axis]))):
        after, before = _neighbours(result, axis)
        result = ne(after, before) if result.dtype is bool_ else after - before
    return result


@numpy_keywords
def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The derivative along each of several dimensions, by central differences of second order.

    Args:
        input: values of a function on a grid.
        spacing: the distance of neighbours: one number, one per dimension, or a vector of coordinates per dimension.
        dim: a dimension or several; all when None.
        edge_order: 1 or 2, the order of the one-sided differences at both ends.

    Returns:
        A tensor per dimension, of the input's shape.

    Raises:
        RuntimeError: spacings that do not fit the dimensions; a dimension too short, or given twice; another order.
    """
    tensor_argument(input, "gradient")
    axes = normalize_axes(dim, input.ndim, "gradient")
    if edge_order not in (1, 2):
        raise RuntimeError(f"gradient only supports edge_order=1 and edge_order=2, but got {edge_order}")
    if isinstance(dim, Sequence):
        axes = tuple([normalize_axis(axis, input.ndim, "gradient") for axis in dim])  # in the order given
    steps = _steps(spacing, len(axes))
    for axis, step in zip(axes, steps, strict=True):
        if input.shape[axis] <= edge_order:
            raise RuntimeError(f"gradient expected each dimension size to be at least {edge_order + 1}, but dimension "
                               f"{axis} has {input.shape[axis]}")  # fmt: skip
        if isinstance(step, Tensor) and tuple(step.shape) != (input.shape[axis],):
            raise RuntimeError(f"gradient expected each spacing to be a vector as long as its dimension, but got "
                               f"{tuple(step.shape)} for dimension {axis} of {tuple(input.shape)}")  # fmt: skip
    if not input.dtype.differentiable:
        input = input.float() if any(isinstance(step, Tensor) for step in steps) else input
    return tuple([_derivative(input, axis, step, edge_order) for axis, step in zip(axes, steps, strict=True)])


def _steps(spacing: Any, count: int) -> list[Any]:
    """The spacing along each of ``count`` dimensions."""
    if spacing is None:
        return [1] * count
    if is_scalar(spacing) or (isinstance(spacing, Tensor) and spacing.ndim == 0):
        return [spacing] * count
    steps = [spacing] if isinstance(spacing, Tensor) else list(spacing)
    if len(steps) != count:
        raise RuntimeError(f"gradient expected spacing to be unspecified, a scalar, or a sequence of one element per "
                           f"dimension ({count}), but got {len(steps)}")  # fmt: skip
    return steps


def _along(vector: Tensor, rank: int, axis: int) -> Tensor:
    return reshape(vector, tuple([-1 if a == axis else 1 for a in range(rank)]))


def _derivative(input: Tensor, axis: int, step: Any, edge_order: int) -> Tensor:
    """Differences of the values around each place, weighted so that parabolas are differentiated exactly."""
    after, before = _neighbours(input, axis)
    if isinstance(step, Tensor) and step.ndim:
        right, left = _neighbours(step, 0)
        widths = _along(right - left, input.ndim, axis)
        slopes = (after - before) / widths
        return cat(_ends_and_middle(slopes, widths, axis, edge_order), axis)
    slopes = (after - before) / step
    return cat(_ends_and_middle(slopes, None, axis, edge_order), axis)


def _ends_and_middle(slopes: Tensor, widths: Tensor | None, axis: int, edge_order: int) -> list[Tensor]:
    """The derivative at the first place, at those between, and at the last, from the slopes between neighbours.

    Args:
        slopes: between neighbours, one less than there are places.
        widths: the distances of neighbours; None where all are equal.
        axis: the dimension.
        edge_order: 1 to take the first and the last slope as they are, 2 to continue their change.
    """
    later, earlier = _neighbours(slopes, axis)
    if widths is None:
        middle = (later + earlier) / 2
    else:
        wide_after, wide_before = _neighbours(widths, axis)
        middle = (later * wide_before + earlier * wide_after) / (wide_after + wide_before)
    last = slopes.shape[axis] - 1
    ends = [(0, 1), (last, last - 1)]
    if edge_order == 1:
        first_slope, last_slope = [_at(slopes, axis, place) for place, _ in ends]
    else:
        first_slope, last_slope = [_continued(slopes, widths, axis, place, inner) for place, inner in ends]
    return [first_slope, middle, last_slope]


def _continued(slopes: Tensor, widths: Tensor | None, axis: int, place: int, inner: int) -> Tensor:
    """The slope at an end, from the change of slopes between the end and its neighbour."""
    slope = _at(slopes, axis, place)
    share: Tensor | float = 0.5
    if widths is not None:
        share = _at(widths, axis, place) / (_at(widths, axis, place) + _at(widths, axis, inner))
    return slope + (slope - _at(slopes, axis, inner)) * share


def _at(values: Tensor, axis: int, place: int) -> Tensor:
    return between(values, axis, place, place + 1)


# The trapezoidal rule.


def _panels(name: str, y: Tensor, x: Tensor | None, dx: Any, dim: int) -> tuple[Tensor, int]:
    """The areas between neighbouring ordinates."""
    if x is not None and dx is not None:
        raise TypeError(f"{name}() takes either x or dx, not both")
    axis = normalize_axis(dim, tensor_argument(y, name, "y").ndim, name)
    if y.ndim == 0:
        raise IndexError(f"{name}: Dimension specified as {dim} but tensor has no dimensions")
    if y.dtype is bool_:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    after, before = _neighbours(y, axis)
    if x is None:
        return (after + before) * (1 if dx is None else dx) / 2, axis
    if tensor_argument(x, name, "x").dtype is bool_:
        raise RuntimeError(f"{name}: received a bool input for `x`, but bool is not supported")
    if x.ndim == 1 and x.shape[0] != y.shape[axis]:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
    if x.ndim < y.ndim:
        ahead = (1,) * (y.ndim - x.ndim) + tuple(x.shape)
        x = _along(x, y.ndim, axis) if x.ndim == 1 else reshape(x, ahead)
    right, left = _neighbours(x, axis + x.ndim - y.ndim)
    return (right - left) * (after + before) / 2, axis + max(x.ndim - y.ndim, 0)


@numpy_keywords
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | Tensor | None = None, dim: int = -1) -> Tensor:
    """The integral along ``dim`` by the trapezoidal rule.

    Args:
        y: ordinates.
        x: abscissas, broadcast against ``y``; or
        dx: the distance of neighbours, 1 by default.
        dim: the dimension.

    Raises:
        RuntimeError: bools; ``x`` of another length. IndexError: ``dim`` out of range. TypeError: both x and dx.
    """
    panels, axis = _panels("trapezoid", y, x, dx, dim)
    return sum(panels, axis)


@numpy_keywords
def trapz(y: Tensor, x: Tensor | None = None, *, dx: float | Tensor | None = None, dim: int = -1) -> Tensor:
    """Another name of `trapezoid`."""
    return trapezoid(y, x, dx=dx, dim=dim)


@numpy_keywords
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float | Tensor | None = None, dim: int = -1
) -> Tensor:
    """The running integral along ``dim``, one element shorter than ``y``; see `trapezoid`."""
    panels, axis = _panels("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(panels, axis)
