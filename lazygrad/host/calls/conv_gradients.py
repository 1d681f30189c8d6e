"""Adjoints of `conv` in its input and in its weight."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.host.calls._precision import product_dtype, store
from lazygrad.host.calls.conv import Padding, block_matrices, correlate, kernel_matrices, run_blocks
from lazygrad.host.calls.conv_geometry import Block, Extent, Geometry, every, plan_blocks, strided_range
from lazygrad.host.calls.conv_panels import PanelReader
from lazygrad.host.calls.matmul import blas_ready
from lazygrad.host.numpy_support import scratch


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
        # The transposed weight: BLAS is faster with the long panel as the left operand.
        total = np.zeros((groups, prod(shape[1:]), shape[0] // groups), dtype)
        for block in blocks[first:last]:
            columns = blas_ready(block_matrices(g, block, groups).astype(dtype, copy=False)).swapaxes(-1, -2)
            total += np.matmul(reader.read(block), columns).sum(axis=0, dtype=dtype)
        partial_sums[first] = total

    run_blocks(run, len(blocks), x.shape[0] * positions * prod(shape))
    in_order = [partial_sums[first] for first in sorted(partial_sums)]
    transposed = np.sum(in_order, axis=0, dtype=dtype) if in_order else np.zeros((groups, 1, 1), dtype)
    store(out.reshape(groups, shape[0] // groups, prod(shape[1:])), transposed.swapaxes(-1, -2))


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
    """The gradient of the input images that ``blocks`` cover, ``shape`` large, in the thread's scratch memory."""
    # Positions are counted from `origin`, the lowest one a window reads; the padding around the image is cut off last.
    origin = tuple(min(-before, 0) for before in geometry.low)
    reached = [geometry.reads(axis, 0, size)[1] for axis, size in enumerate(geometry.out_extent)]
    padded = tuple(max(stop, size) - at for stop, size, at in zip(reached, shape[2:], origin, strict=True))
    largest = (*shape[:2], *geometry.kernel, blocks[0].shape[1], *geometry.out_extent[1:])
    total, memory = scratch(((*shape[:2], *padded), dtype), (largest, dtype))
    total.fill(0)
    for block in blocks:
        values = blas_ready(block_matrices(g, block, geometry.groups).astype(dtype, copy=False))
        counts = (block.shape[1], *geometry.out_extent[1:])
        columns = memory.reshape(-1)[: prod(shape[:2]) * prod(geometry.kernel) * prod(counts)]
        np.matmul(matrices, values, out=columns.reshape(shape[0], *matrices.shape[:2], prod(counts)))
        windows = columns.reshape(*shape[:2], *geometry.kernel, *counts)
        firsts = [-low - at for low, at in zip(geometry.low, origin, strict=True)]
        firsts[0] += block.rows.start * geometry.stride[0]
        for offset in np.ndindex(*geometry.kernel):
            positions = tuple(
                strided_range(first + k * d, s, count)
                for first, k, d, s, count in zip(
                    firsts, offset, geometry.dilation, geometry.stride, counts, strict=True
                )
            )
            part = total[(*every(2), *positions)]
            np.add(part, windows[(*every(2), *offset)], out=part)
    return total[(*every(2), *(slice(-at, size - at) for at, size in zip(origin, shape[2:], strict=True)))]
