"""Pooling by p-norms, and putting maxima back where they came from."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Any

from lazygrad.ir.composites.requirement import in_range
from lazygrad.ir.dtype import int64
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.spatial import Extent, per_axis
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.indexing.scattering import scatter
from lazygrad.ops.layers.pooling import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d
from lazygrad.ops.layers.smooth_activations import relu
from lazygrad.ops.pointwise.arithmetic import abs
from lazygrad.ops.pointwise.powers import pow
from lazygrad.ops.pointwise.selection import sign
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record


def _lp_pool(
    rank: int, input: Tensor, norm_type: float, kernel_size: Extent, stride: Extent | None, ceil_mode: bool
) -> Tensor:
    name = f"lp_pool{rank}d"
    size = per_axis(kernel_size, rank, name, "kernel_size")
    if norm_type in (inf, -inf):
        largest: Any = (max_pool1d, max_pool2d, max_pool3d)[rank - 1]
        magnitude = abs(tensor_argument(input, name))
        sign_of_norm = 1 if norm_type > 0 else -1
        return largest(magnitude * sign_of_norm, size, stride, 0, 1, ceil_mode) * sign_of_norm
    mean: Any = (avg_pool1d, avg_pool2d, avg_pool3d)[rank - 1]
    means = mean(pow(tensor_argument(input, name), norm_type), size, stride, 0, ceil_mode)
    return pow(sign(means) * relu(abs(means)) * prod(size), 1.0 / norm_type)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Extent, stride: Extent | None = None, ceil_mode: bool = False
) -> Tensor:
    """(Σ x^p)^(1/p) of every window of a signal; see `avg_pool1d`."""
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Extent, stride: Extent | None = None, ceil_mode: bool = False
) -> Tensor:
    """(Σ x^p)^(1/p) of every window of an image; see `avg_pool2d`."""
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Extent, stride: Extent | None = None, ceil_mode: bool = False
) -> Tensor:
    """(Σ x^p)^(1/p) of every window of a volume; see `avg_pool3d`."""
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


# The inverse of max pooling.


def _unpooled(
    rank: int, input: Tensor, indices: Tensor, kernel_size: Extent, stride: Extent | None, padding: Extent,
    output_size: Sequence[int] | None,
) -> Tensor:  # fmt: skip
    name = f"max_unpool{rank}d"
    shape = tensor_argument(input, name).shape
    if indices.dtype is not int64:
        raise RuntimeError(f"{name}: elements in indices should be type int64 but got: {indices.dtype.name}")
    if len(shape) not in (rank + 1, rank + 2) or indices.shape != shape:
        raise RuntimeError(f"{name}: expected input with {rank + 1} or {rank + 2} dimensions and indices of the same "
                           f"shape, but got {list(shape)} and {list(indices.shape)}")  # fmt: skip
    size = per_axis(kernel_size, rank, name, "kernel_size")
    step = size if stride is None or stride == [] else per_axis(stride, rank, name, "stride")
    border = per_axis(padding, rank, name, "padding")
    usual = [(n - 1) * s + k - 2 * p for n, s, k, p in zip(shape[-rank:], step, size, border, strict=True)]
    extent = _extent(name, usual, step, output_size)
    lead = tuple(shape[:-rank])
    flat = filled((*lead, prod(extent)), 0, input.dtype, input.device)
    message = f"{name}: Found an invalid max index: {{}} (output volumes are of size {'x'.join(map(str, extent))})"
    known = record(in_range, (indices.node(),), (0, prod(extent) - 1, "RuntimeError", message))
    places = reshape(known, (*lead, prod(shape[-rank:])))
    return reshape(scatter(flat, -1, places, reshape(input, places.shape)), (*lead, *extent))


def _extent(name: str, usual: list[int], step: Sequence[int], output_size: Sequence[int] | None) -> list[int]:
    if output_size is None:
        return usual
    wanted = [int(size) for size in output_size][-len(usual) :]
    for size, default, stride in zip(wanted, usual, step, strict=True):
        if not default - stride < size < default + stride:
            raise ValueError(f"{name}: invalid output_size {list(output_size)}: each size must lie within a stride of "
                             f"{usual}")  # fmt: skip
    return wanted


def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:  # fmt: skip
    """The maxima of a signal where `max_pool1d` found them, zeros elsewhere; see `max_unpool2d`."""
    return _unpooled(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:  # fmt: skip
    """The maxima of an image where `max_pool2d` found them, zeros elsewhere.

    Args:
        input: (N, C, H, W) or (C, H, W), maxima.
        indices: where they were, as `max_pool2d` returns it.
        kernel_size, stride, padding: as they were for `max_pool2d`.
        output_size: the size of the image, which these determine up to a stride.

    Raises:
        ValueError: an output size that does not fit. RuntimeError: shapes or dtypes that do not fit, an index out of
            range.
    """
    return _unpooled(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Extent, stride: Extent | None = None, padding: Extent = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:  # fmt: skip
    """The maxima of a volume where `max_pool3d` found them, zeros elsewhere; see `max_unpool2d`."""
    return _unpooled(3, input, indices, kernel_size, stride, padding, output_size)
