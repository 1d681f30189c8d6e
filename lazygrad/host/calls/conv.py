"""Convolution of any number of spatial axes as matrix products, one block of gathered windows at a time."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from lazygrad.host.blas import serial_blas
from lazygrad.host.calls._precision import product_dtype
from lazygrad.host.calls.conv_depthwise import depthwise, goes_by_taps
from lazygrad.host.calls.conv_geometry import Extent, Geometry, plan_blocks
from lazygrad.host.calls.conv_panels import PanelReader, as_columns, store_columns
from lazygrad.host.threads import parallel_for

Padding = tuple[tuple[int, int], ...]

_PARALLEL_PRODUCTS = 1 << 22  # multiplications below which waking a thread costs more than it saves


def conv(
    out: np.ndarray,
    x: np.ndarray,
    weight: np.ndarray,
    *,
    stride: Extent,
    padding: Padding,
    dilation: Extent,
    groups: int,
) -> None:
    """Cross-correlation.

    Args:
        out: (N, C_out, *out_spatial).
        x: (N, C_in, *spatial).
        weight: (C_out, C_in / groups, *kernel).
        stride, padding, dilation: per spatial axis; padding as (low, high).
        groups: number of independent channel groups.
    """
    low = tuple(before for before, _ in padding)
    correlate(out, x, weight, Geometry(weight.shape[2:], stride, low, dilation, groups, out.shape[2:]))


def correlate(out: np.ndarray, x: np.ndarray, weight: np.ndarray, geometry: Geometry) -> None:
    """`conv` with its attributes as a `Geometry`."""
    if goes_by_taps(x.shape, weight.shape, geometry):
        depthwise(out, x, weight, geometry)
        return
    products_per_output = prod(weight.shape[1:])
    dtype = product_dtype(x, weight, products_per_output)
    matrices = kernel_matrices(weight, geometry.groups, dtype)
    blocks = plan_blocks(x.shape[0], geometry.out_extent, x.shape[1] * prod(geometry.kernel), matrices)

    def run(first: int, last: int) -> None:
        reader = PanelReader(x, geometry, dtype)
        for block in blocks[first:last]:
            panel, target = reader.read(block), out[block.images, :, block.rows]
            if dtype == out.dtype and len(target) == 1:
                np.matmul(matrices, panel, out=as_columns(target, geometry.groups))
            else:
                store_columns(target, np.matmul(matrices, panel))

    run_blocks(run, len(blocks), out.size * products_per_output)


def kernel_matrices(weight: np.ndarray, groups: int, dtype: np.dtype) -> np.ndarray:
    """The weight as row-major matrices (groups, outputs per group, inputs per group * kernel)."""
    outputs, *rest = weight.shape
    return np.ascontiguousarray(weight, dtype).reshape(groups, outputs // groups, prod(rest))


def run_blocks(run: Callable[[int, int], None], count: int, products: int) -> None:
    """Call ``run(first, last)`` on ranges of ``count`` blocks, on several threads if there is enough to multiply."""
    if count < 2 or products < _PARALLEL_PRODUCTS:
        run(0, count)
        return
    with serial_blas:
        parallel_for(run, count)
