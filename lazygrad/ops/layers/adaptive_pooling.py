"""Pooling into a given number of windows along each dimension.

Window o of n along a dimension of size s covers the elements from ⌊o·s/n⌋ up to, not including, ⌈(o + 1)·s/n⌉.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

from lazygrad.ir.build import iota
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import Shape, numel
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.precision import single_precision_on_cpu
from lazygrad.ops.arguments.reducing import reshaped, widened
from lazygrad.ops.arguments.spatial import batched, unbatched
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.pooling import elements_at, max_pooled
from lazygrad.ops.layers.smooth_activations import float_argument
from lazygrad.ops.pointwise.arithmetic import add, mul, sub
from lazygrad.ops.pointwise.division import floor_divide
from lazygrad.ops.pointwise.relational import minimum
from lazygrad.ops.reductions.sums import mean_node
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["adaptive_avg_pool1d"]

OutputSize = int | None | Sequence[int | None]


def _operand(name: str, rank: int, input: Tensor, output_size: Any) -> tuple[Node, bool, Shape]:
    """The batched input, whether it was batched, and the output's spatial sizes: None keeps the input's."""
    if rank > 1 and tensor_argument(input, name).ndim <= rank:
        raise ValueError(f"{name}: Input dimension should be at least {rank + 1}, but got one of {input.ndim}")
    source, keep_batch = batched(float_argument(input, name), rank, name)
    wanted = tuple(output_size) if isinstance(output_size, Sequence) else (output_size,) * rank
    if len(wanted) != rank:
        raise RuntimeError(f"{name}: output_size must be {rank} numbers, but got {output_size}")
    pairs = zip(wanted, source.type.shape[2:], strict=True)
    out = tuple([given if size is None else int(size) for size, given in pairs])
    if min(out) < 0:
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received {out}")
    return source, keep_batch, out


def _refuse_empty(name: str, input: Tensor, first: int) -> None:
    """Raises RuntimeError if a dimension from ``first`` on has size 0."""
    if 0 in input.shape[first:]:
        raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has "
                           f"sizes {list(input.shape)}")  # fmt: skip


def _bounds(size: int, count: int, window: int) -> tuple[int, int]:
    """Where one window begins and ends."""
    return window * size // count, -(-(window + 1) * size // count)


# Means: every window is a product of intervals, so its mean can be taken one dimension after the other.


def _means_of_equal_windows(node: Node, out: Shape) -> Node:
    """Means along the dimensions whose size the number of windows divides, all at once."""
    split, axes = list(node.type.shape[:2]), []
    result = list(split)
    for size, count in zip(node.type.shape[2:], out, strict=True):
        divides = 0 < count < size and size % count == 0
        if divides:
            axes.append(len(split) + 1)
        split += [count, size // count] if divides else [size]
        result.append(count if divides else size)
    return reshaped(mean_node(reshaped(node, tuple(split)), tuple(axes)), tuple(result)) if axes else node


def _means_along(node: Node, axis: int, count: int) -> Node:
    """Means along one dimension, where windows overlap or differ in length."""
    size = node.type.shape[axis]
    parts = [mean_node(_between(node, axis, *_bounds(size, count, window)), (axis,)) for window in range(count)]
    return record_node(indexing.concat, tuple(parts), (axis,)) if parts else _between(node, axis, 0, 0)


def _between(node: Node, axis: int, start: int, stop: int) -> Node:
    shape = node.type.shape
    starts = tuple([start if a == axis else 0 for a in range(len(shape))])
    stops = tuple([stop if a == axis else size for a, size in enumerate(shape)])
    return record_node(movement.slice_, (node,), (starts, stops, (1,) * len(shape)))


def _adaptive_avg_pool(name: str, rank: int, input: Tensor, output_size: OutputSize) -> Tensor:
    source, keep_batch, out = _operand(name, rank, input, output_size)
    _refuse_empty(name, input, 1 if rank == 3 else -rank)  # as in PyTorch, which accepts images without channels
    node = _means_of_equal_windows(widened(source), out)
    for axis, count in enumerate(out, 2):
        if node.type.shape[axis] != count:
            node = _means_along(node, axis, count)
    return unbatched(cast_node(node, source.dtype), keep_batch)


@traced
def adaptive_avg_pool1d(input: Tensor, output_size: OutputSize) -> Tensor:
    """Means of ``output_size`` windows of a signal, (N, C, L) or (C, L); see `adaptive_avg_pool2d`."""
    return _adaptive_avg_pool("adaptive_avg_pool1d", 1, input, output_size)


@traced
def adaptive_avg_pool2d(input: Tensor, output_size: OutputSize) -> Tensor:
    """Means of as many windows of an image as the output is large.

    Args:
        input: (N, C, H, W) or (C, H, W), floating.
        output_size: (H_out, W_out), None keeping the input's; one int stands for both.

    Returns:
        (N, C, H_out, W_out), or without N.

    Raises:
        ValueError: too few dimensions.
        RuntimeError: too many dimensions, an empty input, or an output size that is negative or of another rank.
        NotImplementedError: integers or bools.
    """
    return _adaptive_avg_pool("adaptive_avg_pool2d", 2, input, output_size)


@traced
@single_precision_on_cpu
def adaptive_avg_pool3d(input: Tensor, output_size: OutputSize) -> Tensor:
    """Means of windows of a volume, (N, C, D, H, W) or (C, D, H, W); see `adaptive_avg_pool2d`."""
    return _adaptive_avg_pool("adaptive_avg_pool3d", 3, input, output_size)


# Maxima: windows that divide a dimension are those of max pooling. Others are read at one common size; a shorter one
# reads its last element again, which changes no winner.


def _window_positions(size: int, count: int, like: Node) -> Tensor:
    """(count, length): the positions along one axis that each window reads."""
    bounds = [_bounds(size, count, window) for window in range(count)]
    longest = max([stop - start for start, stop in bounds], default=1)
    windows = Tensor.from_node(reshaped(iota(count, int64, like.device), (count, 1)))
    parts = max(count, 1)  # no window divides by anything
    start = floor_divide(mul(windows, size), parts)
    last = sub(floor_divide(add(mul(add(windows, 1), size), parts - 1), parts), 1)
    return minimum(add(start, Tensor.from_node(iota(longest, int64, like.device))), last)


def _plane_positions(source: Node, out: Shape) -> Node:
    """(*out, elements): the flat positions in a plane that each window reads."""
    extent = source.type.shape[2:]
    rank = len(extent)
    total: Tensor | None = None
    for axis, count in enumerate(out):
        positions = mul(_window_positions(extent[axis], count, source), numel(extent[axis + 1 :]))
        length = positions.shape[1]
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = count, length
        part = Tensor.from_node(reshaped(positions.node(), tuple(shape)))
        total = part if total is None else add(total, part)
    assert total is not None
    return reshaped(total.node(), (*out, numel(tuple(total.shape[rank:]))))


def largest_at(source: Node, positions: Node) -> tuple[Node, Node]:
    """The largest of the elements at flat positions (N, C, *out, k), and where they are: of equal ones, the first."""
    axis, shape = positions.rank - 1, positions.type.shape[:-1]
    choice = record_node(rd.argmax, (elements_at(source, positions),), (axis,))
    winners = reshaped(record_node(indexing.gather, (positions, choice), (axis, False)), shape)
    return elements_at(source, winners), winners


@traced
def _adaptive_max_pool(name: str, rank: int, input: Tensor, output_size: OutputSize, return_indices: bool) -> Any:
    source, keep_batch, out = _operand(name, rank, input, output_size)
    _refuse_empty(name, input, 1)
    extent = source.type.shape[2:]
    if min(out) > 0 and not any(size % count for size, count in zip(extent, out, strict=True)):
        window = tuple([size // count for size, count in zip(extent, out, strict=True)])
        return max_pooled(name, rank, input, window, window, 0, 1, False, return_indices)
    positions = _plane_positions(source, out)
    lead = source.type.shape[:2]
    wanted = record_node(movement.expand, (positions,), ((*lead, *positions.type.shape),))
    values, winners = largest_at(source, wanted)
    found = unbatched(values, keep_batch)
    return (found, unbatched(winners, keep_batch)) if return_indices else found


@overload
def adaptive_max_pool1d(input: Tensor, output_size: OutputSize, return_indices: Literal[False] = False) -> Tensor: ...
@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: OutputSize, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool1d(input: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any:
    """Maxima of ``output_size`` windows of a signal, (N, C, L) or (C, L); see `adaptive_max_pool2d`."""
    return _adaptive_max_pool("adaptive_max_pool1d", 1, input, output_size, return_indices)


@overload
def adaptive_max_pool2d(input: Tensor, output_size: OutputSize, return_indices: Literal[False] = False) -> Tensor: ...
@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: OutputSize, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool2d(input: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any:
    """Maxima of as many windows of an image as the output is large.

    Args:
        input: (N, C, H, W) or (C, H, W), floating.
        output_size: (H_out, W_out), None keeping the input's; one int stands for both.
        return_indices: also return where each winner was, counted in row-major order over a plane.

    Returns:
        (N, C, H_out, W_out), or without N; with ``return_indices`` a pair.

    Raises:
        ValueError: too few dimensions.
        RuntimeError: too many dimensions, an empty input, or an output size that is negative or of another rank.
        NotImplementedError: integers or bools.
    """
    return _adaptive_max_pool("adaptive_max_pool2d", 2, input, output_size, return_indices)


@overload
def adaptive_max_pool3d(input: Tensor, output_size: OutputSize, return_indices: Literal[False] = False) -> Tensor: ...
@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: OutputSize, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool3d(input: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any:
    """Maxima of windows of a volume, (N, C, D, H, W) or (C, D, H, W); see `adaptive_max_pool2d`."""
    return _adaptive_max_pool("adaptive_max_pool3d", 3, input, output_size, return_indices)


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool1d` with ``return_indices``, whatever that is."""
    pair: tuple[Tensor, Tensor] = _adaptive_max_pool("adaptive_max_pool1d", 1, input, output_size, True)
    return pair


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool2d` with ``return_indices``, whatever that is."""
    pair: tuple[Tensor, Tensor] = _adaptive_max_pool("adaptive_max_pool2d", 2, input, output_size, True)
    return pair


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool3d` with ``return_indices``, whatever that is."""
    pair: tuple[Tensor, Tensor] = _adaptive_max_pool("adaptive_max_pool3d", 3, input, output_size, True)
    return pair
