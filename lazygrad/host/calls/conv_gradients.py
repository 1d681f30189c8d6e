"""Adjoints of `conv` in its input and in its weight."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.host.calls._precision import product_dtype, store
from lazygrad.host.calls.conv import Padding, correlate, kernel_matrices, run_blocks
from lazygrad.host.calls.conv_depthwise import (
    depthwise_input_gradient,
    depthwise_weight_gradient,
    goes_by_taps,
)
from lazygrad.host.calls.conv_geometry import Block, Extent, Geometry, every, plan_blocks, strided_range
from lazygrad.host.calls.conv_panels import PanelReader, as_columns, has_images_last
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
    if goes_by_taps(x.shape, shape, geometry):
        depthwise_weight_gradient(out, g, x, geometry)
        return
    terms = x.shape[0] * prod(geometry.out_extent)
    dtype = product_dtype(g, x, terms)
    matrices = out.reshape(groups, shape[0] // groups, prod(shape[1:]))
    target = matrices if dtype == out.dtype else np.empty(matrices.shape, dtype)
    blocks = plan_blocks(x.shape[0], geometry.out_extent, x.shape[1] * prod(geometry.kernel), target)
    if not blocks or not target.size:
        out[...] = 0
        return
    # BLAS is faster with the panel as the left operand, but a weight longer than that would take long to transpose.
    positions = max([prod(block.shape) for block in blocks]) * prod(geometry.out_extent[1:])
    is_transposed = positions >= shape[0] // groups
    sums: dict[int, np.ndarray] = {}

    def run(first: int, last: int) -> None:
        reader = PanelReader(x, geometry, dtype)
        for block in blocks[first:last]:
            panel = reader.read(block)
            columns = blas_ready(as_columns(g[block.images, :, block.rows].astype(dtype, copy=False), groups))
            if is_transposed:
                product = panel @ columns.swapaxes(-1, -2)
            else:
                product = np.matmul(columns, panel.swapaxes(-1, -2), out=target if block is blocks[0] else None)
            sums[first] = product if block is blocks[first] else np.add(sums[first], product, out=sums[first])

    run_blocks(run, len(blocks), terms * prod(shape))
    total, *others = [sums[first] for first in sorted(sums)]
    for other in others:
        total += other
    total = total.swapaxes(-1, -2) if is_transposed else total
    if total is not matrices:
        store(matrices, total)


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
    # To flip a kernel takes longer than to read few images.
    has_small_kernel = weight.shape[0] // groups <= g.shape[0] * prod(g.shape[2:])
    flips = set(stride) == {1} and g.shape[1] <= 2 * shape[1] and has_small_kernel
    if goes_by_taps(shape, weight.shape, geometry, adds_windows=not flips):
        depthwise_input_gradient(out, g, weight, geometry)
    elif flips:
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
    blocks = plan_blocks(g.shape[0], geometry.out_extent, out.shape[1] * prod(geometry.kernel), matrices)
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
    images, channels, *spatial = shape
    origin = tuple(min(-before, 0) for before in geometry.low)
    reached = [geometry.reads(axis, 0, size)[1] for axis, size in enumerate(geometry.out_extent)]
    padded = [max(stop, size) - at for stop, size, at in zip(reached, spatial, origin, strict=True)]
    largest = channels * prod(geometry.kernel) * images * blocks[0].shape[1] * prod(geometry.out_extent[1:])
    is_last = has_images_last(images, g.shape[-1])
    total, memory = scratch(
        ((channels, *padded, images) if is_last else (channels, images, *padded), dtype), ((largest,), dtype)
    )
    total.fill(0)
    spatial_axes = every(1 if is_last else 2)
    for block in blocks:
        values = blas_ready(as_columns(g[block.images, :, block.rows].astype(dtype, copy=False), geometry.groups))
        counts = (block.shape[1], *geometry.out_extent[1:])
        columns = memory[: matrices.shape[0] * matrices.shape[1] * values.shape[-1]]
        np.matmul(matrices, values, out=columns.reshape(*matrices.shape[:2], values.shape[-1]))
        windows = columns.reshape(channels, *geometry.kernel, *((*counts, images) if is_last else (images, *counts)))
        firsts = [-low - at for low, at in zip(geometry.low, origin, strict=True)]
        firsts[0] += block.rows.start * geometry.stride[0]
        for offset in np.ndindex(*geometry.kernel):
            positions = tuple(
                strided_range(first + k * d, s, count)
                for first, k, d, s, count in zip(
                    firsts, offset, geometry.dilation, geometry.stride, counts, strict=True
                )
            )
            part = total[(*spatial_axes, *positions)]
            np.add(part, windows[(slice(None), *offset)], out=part)
    by_image = np.moveaxis(total, -1 if is_last else 1, 0)
    return by_image[(*every(2), *(slice(-at, size - at) for at, size in zip(origin, spatial, strict=True)))]
