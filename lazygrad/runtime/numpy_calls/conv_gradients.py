"""Adjoints of `conv` in its input and in its weight."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.runtime.numpy_calls._precision import product_dtype, store
from lazygrad.runtime.numpy_calls.conv import Padding, block_matrices, correlate, kernel_matrices, run_blocks
from lazygrad.runtime.numpy_calls.conv_geometry import Block, Extent, Geometry, plan_blocks
from lazygrad.runtime.numpy_calls.conv_panels import PanelReader
from lazygrad.runtime.numpy_calls.matmul import blas_ready


def conv_weight_grad(
    out: np.ndarray,
    g: np.ndarray,
    x: np.ndarray,
    *,
    stride: Extent,
    padding: Padding,
    dilation: Extent,
    groups: int,
    shape: Extent,
) -> None:
    """``out[o, c, k] = Σ_{n, p} g[n, o, p] · x[n, c, p·stride + k·dilation − low]``.

    Args:
        out: (C_out, C_in / groups, *kernel), which is ``shape``.
        g: (N, C_out, *out_spatial).
        x: (N, C_in, *spatial).
        stride, padding, dilation, groups: those of the convolution.
    """
    geometry = Geometry(shape[2:], stride, tuple(low for low, _ in padding), dilation, groups, g.shape[2:])
    positions = prod(geometry.out_extent)
    dtype = product_dtype(g, x, x.shape[0] * positions)
    blocks = plan_blocks(x.shape[0], geometry.out_extent, x.shape[1] * prod(geometry.kernel), dtype.itemsize)
    partial_sums: dict[int, np.ndarray] = {}

    def run(first: int, last: int) -> None:
        reader = PanelReader(x, geometry, dtype)
        total = np.zeros((groups, shape[0] // groups, prod(shape[1:])), dtype)
        for block in blocks[first:last]:
            rows = blas_ready(block_matrices(g, block, groups).astype(dtype, copy=False))
            total += np.matmul(rows, reader.read(block).swapaxes(-1, -2)).sum(axis=0, dtype=dtype)
        partial_sums[first] = total

    run_blocks(run, len(blocks), x.shape[0] * positions * prod(shape))
    in_order = [partial_sums[first] for first in sorted(partial_sums)]
    store(out, np.sum(in_order, axis=0, dtype=dtype).reshape(shape) if in_order else np.zeros(shape, dtype))


def conv_input_grad(
    out: np.ndarray,
    g: np.ndarray,
    weight: np.ndarray,
    *,
    stride: Extent,
    padding: Padding,
    dilation: Extent,
    groups: int,
    shape: Extent,
) -> None:
    """``out[n, c, i]`` = the sum of ``g[n, o, p] · weight[o, c, k]`` where ``p·stride + k·dilation − low = i``.

    Args:
        out: (N, C_in, *spatial), which is ``shape``.
        g: (N, C_out, *out_spatial).
        weight: (C_out, C_in / groups, *kernel).
        stride, padding, dilation, groups: those of the convolution.
    """
    low = tuple(before for before, _ in padding)
    geometry = Geometry(weight.shape[2:], stride, low, dilation, groups, g.shape[2:])
    if set(stride) == {1} and g.shape[1] <= 2 * shape[1]:
        _correlate_flipped(out, g, weight, geometry)
    else:
        _scatter_windows(out, g, weight, geometry)


def _correlate_flipped(out: np.ndarray, g: np.ndarray, weight: np.ndarray, geometry: Geometry) -> None:
    """With stride 1 the adjoint is a correlation of ``g`` with the kernel reversed and its channels swapped."""
    kernel, groups = geometry.kernel, geometry.groups
    outputs = weight.shape[0] // groups
    by_group = weight.reshape(groups, outputs, *weight.shape[1:])
    swapped = np.flip(by_group.swapaxes(1, 2), tuple(range(3, by_group.ndim)))
    reach = tuple((k - 1) * d for k, d in zip(kernel, geometry.dilation, strict=True))
    low = tuple(r - before for r, before in zip(reach, geometry.low, strict=True))
    reversed_geometry = Geometry(kernel, geometry.stride, low, geometry.dilation, groups, out.shape[2:])
    correlate(out, g, swapped.reshape(out.shape[1], outputs, *kernel), reversed_geometry)


def _scatter_windows(out: np.ndarray, g: np.ndarray, weight: np.ndarray, geometry: Geometry) -> None:
    """col2im: one product gives every window's gradient; each kernel offset is then added where it was read.

    With a stride, or fewer input than output channels, this moves less data than `_correlate_flipped`.
    """
    products_per_output = weight.shape[0] // geometry.groups * prod(geometry.kernel)
    dtype = product_dtype(g, weight, products_per_output)
    matrices = kernel_matrices(weight, geometry.groups, dtype).swapaxes(-1, -2)
    blocks = plan_blocks(g.shape[0], geometry.out_extent, out.shape[1] * prod(geometry.kernel), dtype.itemsize)
    by_images: dict[int, list[Block]] = {}
    for block in blocks:
        by_images.setdefault(block.images.start, []).append(block)
    image_groups = list(by_images.values())

    def run(first: int, last: int) -> None:
        for of_same_images in image_groups[first:last]:
            images = of_same_images[0].images
            store(out[images], _sum_windows(out[images].shape, g, matrices, geometry, of_same_images, dtype))

    run_blocks(run, len(image_groups), g.size * prod(weight.shape[1:]))


def _sum_windows(
    shape: Extent, g: np.ndarray, matrices: np.ndarray, geometry: Geometry, blocks: list[Block], dtype: np.dtype
) -> np.ndarray:
    """The gradient of the input images that ``blocks`` cover, ``shape`` large."""
    # Positions are counted from `origin`, the lowest one a window reads; the padding around the image is cut off last.
    origin = tuple(min(-before, 0) for before in geometry.low)
    reached = [geometry.reads(axis, 0, size)[1] for axis, size in enumerate(geometry.out_extent)]
    padded = tuple(max(stop, size) - at for stop, size, at in zip(reached, shape[2:], origin, strict=True))
    total = np.zeros((*shape[:2], *padded), dtype)
    for block in blocks:
        values = blas_ready(block_matrices(g, block, geometry.groups).astype(dtype, copy=False))
        starts = (block.rows.start, *(0 for _ in origin[1:]))
        counts = (block.shape[1], *geometry.out_extent[1:])
        windows = np.matmul(matrices, values).reshape(*total.shape[:2], *geometry.kernel, *counts)
        for offset in np.ndindex(*geometry.kernel):
            target = tuple(
                _progression(start * s + k * d - low - at, s, count)
                for start, s, k, d, low, at, count in zip(
                    starts, geometry.stride, offset, geometry.dilation, geometry.low, origin, counts, strict=True
                )
            )
            total[:, :, *target] += windows[:, :, *offset]
    return total[:, :, *(slice(-at, size - at) for at, size in zip(origin, shape[2:], strict=True))]


def _progression(first: int, step: int, count: int) -> slice:
    return slice(first, first + step * (count - 1) + 1, step)
