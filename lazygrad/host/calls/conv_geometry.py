"""Where convolution windows lie, and how a convolution is cut into blocks that fit the cache."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from lazygrad.host.threads import get_num_threads

Extent = tuple[int, ...]

# The gathered windows of one block should stay in a core's L2 cache until BLAS has read them. Each block reads the
# weight, or adds to its gradient: that takes longer than to read a panel, where the weight is larger.
_PANEL_BYTES = 1 << 20


def strided_range(first: int, step: int, count: int) -> slice:
    """``count`` positions from ``first`` on, ``step`` apart."""
    return slice(first, first + step * (count - 1) + 1, step)


def every(axes: int) -> tuple[slice, ...]:
    """The index that keeps that many axes whole."""
    return (slice(None),) * axes


@dataclass(frozen=True, slots=True)
class Geometry:
    """Output position o and kernel offset k read input position ``o * stride + k * dilation - low``, per axis.

    Attributes:
        kernel, stride, low, dilation: one number per spatial axis; ``low`` is the padding before the first element.
        groups: channels are split into this many independent convolutions.
        out_extent: output positions per spatial axis; it implies the padding after the last element.
    """

    kernel: Extent
    stride: Extent
    low: Extent
    dilation: Extent
    groups: int
    out_extent: Extent

    def reads_in_place(self, extent: Extent) -> bool:
        """Whether the output positions are those of an input of this extent, and each reads its own, as if 1×1."""
        trivial = (1,) * len(self.kernel)
        return self.kernel == self.stride == trivial and not any(self.low) and self.out_extent == extent

    def reads(self, axis: int, start: int, stop: int) -> tuple[int, int]:
        """The range of input positions that output positions [start, stop) of an axis read; it may stick out."""
        first = start * self.stride[axis] - self.low[axis]
        last = (stop - 1) * self.stride[axis] - self.low[axis] + (self.kernel[axis] - 1) * self.dilation[axis]
        return first, last + 1


class Block(NamedTuple):
    """A range of images and, where one image is too much, of rows (positions of the first spatial axis)."""

    images: slice
    rows: slice

    @property
    def shape(self) -> tuple[int, int]:
        return self.images.stop - self.images.start, self.rows.stop - self.rows.start


def plan_blocks(images: int, extent: Extent, values_per_position: int, weight: np.ndarray) -> list[Block]:
    """Blocks whose panel fits the cache or is no larger than the weight, one per thread where there is that much.

    Args:
        images: batch size.
        extent: output positions per spatial axis.
        values_per_position: input values that one output position reads.
        weight: or its gradient, in the dtype of the products.
    """
    rows = extent[0]
    row_bytes = max(prod(extent[1:]) * values_per_position * weight.itemsize, 1)
    threads = get_num_threads()
    panel_bytes = max(_PANEL_BYTES, weight.nbytes // 2)
    images_per_block = max(1, min(panel_bytes // (row_bytes * max(rows, 1)), -(-images // threads)))
    rows_per_block = rows
    if images_per_block == 1:
        shares = -(-threads // max(images, 1))
        rows_per_block = max(1, min(panel_bytes // row_bytes, -(-rows // shares)))
    return [
        Block(slice(image, min(image + images_per_block, images)), slice(row, min(row + rows_per_block, rows)))
        for image in range(0, images, images_per_block)
        for row in range(0, rows, rows_per_block)
    ]
