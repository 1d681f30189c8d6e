"""Pooling with sliding windows, in 1 to 3 dimensions."""

from __future__ import annotations

from typing import Any, Literal, overload

from lazygrad.ir.build import iota
from lazygrad.ir.composites.pooling import max_pool
from lazygrad.ir.dtype import bool_, int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import contraction, indexing, movement
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import Shape, numel
from lazygrad.ir.view import window_counts
from lazygrad.ops.arguments.operands import cast_node, scalar_node, tensor_argument
from lazygrad.ops.arguments.precision import single_precision_on_cpu
from lazygrad.ops.arguments.reducing import reshaped, widened
from lazygrad.ops.arguments.spatial import Extent, batched, per_axis, unbatched
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.smooth_activations import float_argument
from lazygrad.ops.pointwise.arithmetic import add, mul, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.selection import clamp_max, clamp_min
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool3d", "avg_pool1d"]


class Windows:
    """Where windows lie along each spatial axis.

    Attributes:
        size, stride, padding, dilation: one number per axis; padding is what the user gave, on both sides.
        counts: how many windows there are.
        after: the padding after the last element that the windows need; more than ``padding`` in ceil mode.
    """

    __slots__ = ("after", "counts", "dilation", "padding", "size", "stride")

    def __init__(
        self, name: str, extent: Shape, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
    ) -> None:
        rank = len(extent)
        self.size = per_axis(kernel_size, rank, name, "kernel_size")
        no_stride = stride is None or (isinstance(stride, list | tuple) and not stride)
        self.stride = self.size if no_stride else per_axis(stride, rank, name, "stride")
        self.padding = per_axis(padding, rank, name, "padding")
        self.dilation = per_axis(dilation, rank, name, "dilation")
        self._check(name)
        self.counts = self._counts(extent, ceil_mode)
        reach = [(o - 1) * s + d * (k - 1) + 1
                 for o, s, d, k in zip(self.counts, self.stride, self.dilation, self.size, strict=True)]  # fmt: skip
        self.after = tuple([max(p, r - n - p) for p, r, n in zip(self.padding, reach, extent, strict=True)])
        if min(self.counts) < 1:
            raise RuntimeError(f"{name}: Given input size: {extent}. Calculated output size: {self.counts}. Output "
                               f"size is too small")  # fmt: skip

    def _check(self, name: str) -> None:
        if min(self.size) <= 0 or min(self.stride) <= 0:
            raise RuntimeError(f"{name}: kernel size and stride should not be zero or negative, but got {self.size} "
                               f"and {self.stride}")  # fmt: skip
        if min(self.dilation) <= 0:
            raise RuntimeError(f"{name}: dilation should be greater than zero, but got {self.dilation}")
        for padding, size in zip(self.padding, self.size, strict=True):
            if padding < 0:
                raise RuntimeError(f"{name}: pad must be non-negative, but got pad: {padding}")
            if padding > size // 2:
                raise RuntimeError(f"{name}: pad should be at most half of effective kernel size, but got "
                                   f"pad={padding} and kernel_size={size}")  # fmt: skip

    def _counts(self, extent: Shape, ceil_mode: bool) -> Shape:
        padded = tuple([n + 2 * p for n, p in zip(extent, self.padding, strict=True)])
        if not ceil_mode:
            return window_counts(padded, self.size, self.stride, self.dilation)
        roomy = tuple([n + s - 1 for n, s in zip(padded, self.stride, strict=True)])
        counts = window_counts(roomy, self.size, self.stride, self.dilation)
        # A window that would begin in the padding after the input is left out.
        return tuple([o - ((o - 1) * s >= n + p)
                      for o, s, n, p in zip(counts, self.stride, extent, self.padding, strict=True)])  # fmt: skip


def _pooled_operand(name: str, rank: int, input: Tensor) -> tuple[Node, bool]:
    if tensor_argument(input, name).dtype is bool_:
        raise NotImplementedError(f"{name} not implemented for 'Bool'; cast the input first, for example .float()")
    source, keep_batch = batched(input, rank, name)
    if 0 in source.type.shape[1:]:
        raise RuntimeError(f"{name}: Expected {rank + 1}D or {rank + 2}D (batch mode) tensor with optional 0 dim batch "
                           f"size for input, but got: {list(input.shape)}")  # fmt: skip
    return source, keep_batch


def elements_at(source: Node, positions: Node) -> Node:
    """The elements of (N, C, *spatial) planes at flat positions (N, C, *out)."""
    lead, shape = source.type.shape[:2], positions.type.shape
    flat = reshaped(source, (*lead, numel(source.type.shape[2:])))
    wanted = reshaped(positions, (*lead, numel(shape[2:])))
    return reshaped(record_node(indexing.gather, (flat, wanted), (2, False)), shape)


def max_pooled(
    name: str, rank: int, input: Tensor, kernel_size: Extent, stride: Extent | None, padding: Extent,
    dilation: Extent, ceil_mode: bool, return_indices: bool,
) -> Any:  # fmt: skip
    """Max pooling of any rank, for the function ``name``; see `max_pool2d`."""
    source, keep_batch = _pooled_operand(name, rank, input)
    windows = Windows(name, source.type.shape[2:], kernel_size, stride, padding, dilation, ceil_mode)
    paddings = tuple(zip(windows.padding, windows.after, strict=True))
    attrs = (windows.size, windows.stride, paddings, windows.dilation)
    values = unbatched(record_node(max_pool, (source,), attrs), keep_batch)
    if not return_indices:
        return values
    return values, unbatched(record_node(contraction.pool_argmax, (source,), attrs), keep_batch)


@overload
def max_pool1d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: Literal[False] = False,
) -> Tensor: ...  # fmt: skip
@overload
def max_pool1d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any: ...  # fmt: skip
def max_pool1d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of every window of a signal, (N, C, L) or (C, L); see `max_pool2d`."""
    return max_pooled("max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@overload
def max_pool2d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: Literal[False] = False,
) -> Tensor: ...  # fmt: skip
@overload
def max_pool2d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any: ...  # fmt: skip
def max_pool2d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of every window of an image; NaN wins, and of equal elements the first.

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: extent of the window; here and below an int stands for every dimension.
        stride: step between windows, the window's extent for None.
        padding: how far windows may stick out; what lies outside never wins.
        dilation: step between the elements of a window.
        ceil_mode: round the output's size up instead of down.
        return_indices: also return where each winner was.

    Returns:
        (N, C, H_out, W_out), or without N, where a size is
        ⌊(size + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1; with ``return_indices`` a pair, whose second is
        int64 and counts the elements of a plane in row-major order.

    Raises:
        RuntimeError: a wrong rank, no output, padding above half the window, or numbers out of range.
        NotImplementedError: bools.
    """
    return max_pooled("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@overload
def max_pool3d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: Literal[False] = False,
) -> Tensor: ...  # fmt: skip
@overload
def max_pool3d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any: ...  # fmt: skip
def max_pool3d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of every window of a volume, (N, C, D, H, W) or (C, D, H, W); see `max_pool2d`."""
    return max_pooled("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool1d_with_indices(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = True,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`max_pool1d` with ``return_indices``, whatever that is."""
    pair: tuple[Tensor, Tensor] = max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)
    return pair


def max_pool2d_with_indices(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = True,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`max_pool2d` with ``return_indices``, whatever that is."""
    pair: tuple[Tensor, Tensor] = max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)
    return pair


def max_pool3d_with_indices(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0, dilation: Extent = 1,
    ceil_mode: bool = False, return_indices: bool = True,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`max_pool3d` with ``return_indices``, whatever that is."""
    pair: tuple[Tensor, Tensor] = max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)
    return pair


def _window_sums(source: Node, windows: Windows) -> Node:
    """(N, C, *counts), each the sum of a window; what lies outside counts as 0."""
    if any(windows.padding) or any(windows.after):
        zero = scalar_node(0, source.dtype, source.device)
        source = record_node(indexing.pad, (source, zero), ((0, 0, *windows.padding), (0, 0, *windows.after)))
    seen = record_node(movement.windows, (source,), (windows.size, windows.stride, windows.dilation))
    rank = len(windows.size)
    axes = tuple(range(2 + rank, 2 + 2 * rank))
    return reshaped(record_node(rd.reduce_sum, (seen,), (axes,)), seen.type.shape[: 2 + rank])


def _divisor(windows: Windows, extent: Shape, count_include_pad: bool, like: Node) -> Node:
    """By what to divide the windows' sums: one number, or one per window where some windows count fewer elements."""
    reaches_out = windows.after != windows.padding if count_include_pad else any(windows.padding + windows.after)
    if not reaches_out:
        return scalar_node(numel(windows.size), like.dtype, like.device)
    divisor = _counted_elements(windows, 0, extent, count_include_pad, like)
    for axis in range(1, len(extent)):
        divisor = record_node(ew.mul, (divisor, _counted_elements(windows, axis, extent, count_include_pad, like)))
    return divisor


def _counted_elements(windows: Windows, axis: int, extent: Shape, count_include_pad: bool, like: Node) -> Node:
    """How many positions along one axis each window counts. What `ceil_mode` adds beyond the padding never counts."""
    numbers = Tensor.from_node(iota(windows.counts[axis], int64, like.device))
    size, padding = extent[axis], windows.padding[axis]
    first = sub(mul(numbers, windows.stride[axis]), padding)
    stop = clamp_max(add(first, windows.size[axis]), size + padding)
    counted = sub(stop, first) if count_include_pad else sub(clamp_max(stop, size), clamp_min(first, 0))
    along = (windows.counts[axis], *(1,) * (len(extent) - axis - 1))
    return reshaped(cast_node(counted.node(), like.dtype), along)


def _avg_pool(
    name: str, rank: int, input: Tensor, kernel_size: Extent, stride: Extent | None, padding: Extent,
    ceil_mode: bool, count_include_pad: bool, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    whole = tensor_argument(input, name).dtype is int64
    source, keep_batch = _pooled_operand(name, rank, input if whole else float_argument(input, name))
    extent = source.type.shape[2:]
    windows = Windows(name, extent, kernel_size, stride, padding, 1, ceil_mode)
    # In three dimensions PyTorch refuses such an input whatever the padding.
    if rank == 3 and any(n < size for n, size in zip(extent, windows.size, strict=True)):
        raise RuntimeError(f"{name}: input image {extent} is smaller than the kernel {windows.size}")
    if divisor_override == 0:
        raise RuntimeError(f"{name}: divisor must be not zero")
    sums = _window_sums(widened(source), windows)
    if divisor_override is None:
        divisor = _divisor(windows, extent, count_include_pad, sums)
    else:
        divisor = scalar_node(divisor_override, sums.dtype, sums.device)
    if whole:
        means = div(Tensor.from_node(sums), Tensor.from_node(divisor), rounding_mode="trunc").node()
    else:
        means = record_node(ew.div, (sums, divisor))
    return unbatched(cast_node(means, source.dtype), keep_batch)


@traced
def avg_pool1d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0,
    ceil_mode: bool = False, count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The mean of every window of a signal, (N, C, L) or (C, L); see `avg_pool2d`."""
    return _avg_pool("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@traced
def avg_pool2d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of every window of an image.

    Args:
        input: (N, C, H, W) or (C, H, W), floating or int64, whose means are cut off towards zero.
        kernel_size: extent of the window; here and below an int stands for every dimension.
        stride: step between windows, the window's extent for None.
        padding: zeros around the input.
        ceil_mode: round the output's size up instead of down.
        count_include_pad: count the zeros of the padding in the mean.
        divisor_override: what sums are divided by instead of the number of elements.

    Returns:
        (N, C, H_out, W_out), or without N, where a size is ⌊(size + 2·padding − kernel) / stride⌋ + 1.

    Raises:
        RuntimeError: a wrong rank, no output, padding above half the window, or numbers out of range.
        NotImplementedError: other integers, or bools.
    """
    return _avg_pool(
        "avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


@traced
@single_precision_on_cpu
def avg_pool3d(
    input: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of every window of a volume, (N, C, D, H, W) or (C, D, H, W); see `avg_pool2d`."""
    return _avg_pool(
        "avg_pool3d", 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )
