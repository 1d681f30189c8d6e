"""Quantiles and the most frequent element, which follow from the sorted order."""

from __future__ import annotations

from lazygrad.ir.dtype import float32, float64, int64
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops import return_types
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out, needs_separate_out
from lazygrad.ops.arguments.precision import single_precision_on_cpu
from lazygrad.ops.arguments.reducing import axis_operand, check_nonempty, selected, selection_shape
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.indexing.gathering import gather
from lazygrad.ops.pointwise.arithmetic import mul
from lazygrad.ops.pointwise.relational import isnan, ne
from lazygrad.ops.pointwise.rounding import ceil, floor, round
from lazygrad.ops.pointwise.selection import clamp, lerp, where
from lazygrad.ops.reductions.extrema import argmax
from lazygrad.ops.reductions.scans import cummax
from lazygrad.ops.reductions.sorting import sort
from lazygrad.ops.reductions.sums import any, sum
from lazygrad.ops.shapes.padding import pad
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.permuting import movedim
from lazygrad.ops.shapes.reshaping import broadcast_to, flatten, reshape, unsqueeze
from lazygrad.tensor import Tensor

__all__ = ["quantile", "nanquantile", "mode"]

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _checked(name: str, input: Tensor, q: float | Tensor, interpolation: str) -> Tensor:
    """The quantiles asked for, as a tensor of the input's dtype.

    Raises:
        RuntimeError, ValueError: what PyTorch refuses.
    """
    if tensor_argument(input, name).dtype not in (float32, float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype, not {input.dtype.name}")
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
        q = filled((), q, input.dtype, input.device)
    elif q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    elif q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    elif not ((q.detach() >= 0) & (q.detach() <= 1)).array().all():
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    if input.shape.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(f"{name}() interpolation must be one of {', '.join(_INTERPOLATIONS)}, but got "
                           f"{interpolation}")  # fmt: skip
    return q


def _quantile(
    name: str,
    input: Tensor,
    q: float | Tensor,
    dim: int | None,
    keepdim: bool,
    interpolation: str,
    ignore_nan: bool,
) -> Tensor:
    q = _checked(name, input, q, interpolation)
    axis = 0 if dim is None else normalize_axis(dim, input.ndim, name)
    kept = [1 if dim is None or a == axis else size for a, size in enumerate(input.shape)]
    found = _quantiles(input, q, None if dim is None else axis, interpolation, ignore_nan)
    shape = kept if keepdim else [] if dim is None or not input.ndim else [*kept[:axis], *kept[axis + 1 :]]
    return reshape(movedim(found, -1, 0), (*q.shape, *shape))


@traced
def _quantiles(input: Tensor, q: Tensor, axis: int | None, interpolation: str, ignore_nan: bool) -> Tensor:
    """The quantiles along an axis, or of all elements, side by side in the last dimension."""
    rows = movedim(input, axis, -1) if axis is not None and input.ndim else unsqueeze(flatten(input), 0)
    values = sort(rows, -1).values
    return _between_neighbours(values, _ranks(values, reshape(q, -1), ignore_nan), interpolation)


def _ranks(values: Tensor, q: Tensor, ignore_nan: bool) -> Tensor:
    """Where among the sorted values the quantiles lie: fractional positions, (…, number of quantiles)."""
    last = values.shape[-1] - 1
    nan = isnan(values.detach())
    if ignore_nan:
        count = sum(~nan, -1, keepdim=True).to(values.dtype)
        ranks = clamp(mul(q, count - 1), min=0)
    else:
        ranks = where(any(nan, -1, keepdim=True), float(last), mul(q, float(last)))
    return ranks


def _between_neighbours(values: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    if interpolation in ("lower", "higher", "nearest"):
        ranks = {"lower": floor, "higher": ceil, "nearest": round}[interpolation](ranks)
    places = (*values.shape[:-1], ranks.shape[-1])
    below = broadcast_to(floor(ranks), places)
    at_below = gather(values, -1, below.to(int64))
    if interpolation in ("lower", "higher", "nearest"):
        return at_below
    weight = filled(places, 0.5, values.dtype, values.device) if interpolation == "midpoint" else ranks - below
    return lerp(at_below, gather(values, -1, broadcast_to(ceil(ranks), places).to(int64)), weight)


@accepts_out
@method()
@numpy_keywords
@single_precision_on_cpu
def quantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The q-quantiles along ``dim``, or of all elements; NaN where there is a NaN.

    Args:
        input: float32 or float64.
        q: a number in [0, 1], or a vector of them in the input's dtype, which becomes the first dimension.
        dim: the dimension; all elements when None.
        keepdim: keep the dimension with size 1.
        interpolation: between the two neighbours of a quantile: linear, lower, higher, midpoint or nearest.

    Raises:
        RuntimeError: another dtype, an empty input, a ``q`` out of range, an unknown interpolation.
        IndexError: ``dim`` out of range.
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, ignore_nan=False)


@accepts_out
@method()
@numpy_keywords
@single_precision_on_cpu
def nanquantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """`quantile` of the elements that are not NaN; NaN where there are none."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, ignore_nan=True)


# The most frequent element.


@accepts_out
@needs_separate_out
@method()
@traced
@numpy_keywords
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> return_types.mode:
    """The most frequent element along ``dim``, the smallest of several, and the last place where it stands.

    Raises:
        IndexError: ``dim`` out of range, or of size 0.
    """
    node, axis = axis_operand("mode", input, dim)
    check_nonempty("mode", node.type.shape, axis)
    ordered, order = sort(Tensor.from_node(node).detach(), axis)
    end = argmax(_run_lengths(ordered, axis), axis, keepdim=True)  # the first longest run is that of the smallest
    index = gather(order, axis, end).node()
    return return_types.mode(*selected(node, index, axis, selection_shape(input, axis, keepdim)))


def _run_lengths(ordered: Tensor, axis: int) -> Tensor:
    """How many elements, up to each place along ``axis``, equal the one there without a break."""
    size = ordered.shape[axis]
    place = reshape(arange(size, device=ordered.device), tuple([-1 if a == axis else 1 for a in range(ordered.ndim)]))
    begins = ne(between(ordered, axis, 1, size), between(ordered, axis, 0, size - 1)).to(int64)
    starts = pad(begins, (0, 0) * (ordered.ndim - 1 - axis) + (1, 0)) * place
    return place - cummax(starts, axis).values
