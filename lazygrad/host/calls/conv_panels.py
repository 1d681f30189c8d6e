"""im2col: the windows of a block of a convolution's input, gathered into a panel that BLAS can multiply.

A panel has a column for each image and output position of its block, so that one product serves all its images. The
columns of one image lie side by side, or, where rows are short, those of one position: numpy copies what lies side by
side at once.
"""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.host.calls._precision import store
from lazygrad.host.calls.conv_geometry import Block, Extent, Geometry, every
from lazygrad.host.calls.matmul import blas_ready
from lazygrad.host.numpy_support import scratch

_Slices = tuple[slice, ...]

_SHORT_ROW = 16  # output positions of a row; of fewer, images lie side by side


def has_images_last(images: int, width: int) -> bool:
    """Whether the columns of a panel begin with all images of the first position, not all positions of the first image.

    Args:
        images: in the block.
        width: output positions in a row.
    """
    return images > 1 and width < _SHORT_ROW


def as_columns(x: np.ndarray, groups: int) -> np.ndarray:
    """A block (images, channels, *spatial) as (groups, channels per group, columns), in the order of a panel's.

    A view of one image whose rows follow each other.
    """
    images, channels, *spatial = x.shape
    by_column = np.moveaxis(x, 0, -1 if has_images_last(images, x.shape[-1]) else 1)
    return by_column.reshape(groups, channels // groups, images * prod(spatial))


def store_columns(out: np.ndarray, columns: np.ndarray) -> None:
    """Write columns, (groups, channels per group, columns), to the block (images, channels, *spatial) that they are."""
    images, channels, *spatial = out.shape
    if has_images_last(images, out.shape[-1]):
        by_image = np.moveaxis(columns.reshape(channels, *spatial, images), -1, 0)
    else:
        by_image = np.moveaxis(columns.reshape(channels, images, *spatial), 1, 0)
    store(out, by_image)


class PanelReader:
    """Reads blocks of ``x`` as panels of shape (groups, channels per group * kernel, columns).

    Args:
        x: (images, channels, *spatial), with any strides.
        geometry: which input positions each output position reads.
        dtype: of the panels.
    """

    def __init__(self, x: np.ndarray, geometry: Geometry, dtype: np.dtype) -> None:
        self.x, self.geometry, self.dtype = x, geometry, dtype
        self.slab_form: tuple[object, ...] = ()
        self.slab: _Slab  # made by the first `read`, and whenever a block needs another form

    def read(self, block: Block) -> np.ndarray:
        """The panel of a block, valid until the next `read`."""
        images, rows = block.shape
        geometry = self.geometry
        if geometry.reads_in_place(self.x.shape[2:]) and self.x.dtype == self.dtype:
            return blas_ready(as_columns(self.x[block.images, :, block.rows], geometry.groups))
        extent, source, interior = reads_of_rows(geometry, block.rows, self.x.shape[2:])
        form = (block.shape, extent, interior)
        if form != self.slab_form:  # rare: blocks differ only at the edges
            self.slab = _Slab((images, self.x.shape[1], *extent), interior, geometry, rows, self.dtype)
            self.slab_form = form
        panel = self.slab.gather(self.x[(block.images, slice(None), *source)])
        values = self.x.shape[1] // geometry.groups * prod(geometry.kernel)
        return panel.reshape(geometry.groups, values, images * rows * prod(geometry.out_extent[1:]))


class _Slab:
    """A zero-padded copy of what one block reads, with a fixed view of all its windows, in the thread's scratch memory.

    Args:
        shape: (images, channels, *extent), padding included.
        interior: the part of the extent that input elements fill.
        geometry: of the convolution.
        rows: output rows in the block.
        dtype: of slab and panel.
    """

    def __init__(self, shape: Extent, interior: _Slices, geometry: Geometry, rows: int, dtype: np.dtype) -> None:
        images, channels, *extent = shape
        counts = (rows, *geometry.out_extent[1:])
        is_last = has_images_last(images, counts[-1])
        columns = (*counts, images) if is_last else (images, *counts)
        windows_shape = (channels, *geometry.kernel, *columns)
        padded, self.panel = scratch(((channels, *extent, images) if is_last else shape, dtype), (windows_shape, dtype))
        padded.fill(0)
        by_image = np.moveaxis(padded, -1, 0) if is_last else padded
        to_image, to_channel, *spatial = by_image.strides
        # What is stepped over once may be any number, too great for a stride in bytes too.
        taps = [step * d * (k > 1) for step, d, k in zip(spatial, geometry.dilation, geometry.kernel, strict=True)]
        steps = [step * s * (n > 1) for step, s, n in zip(spatial, geometry.stride, counts, strict=True)]
        strides = (to_channel, *taps, *([*steps, to_image] if is_last else [to_image, *steps]))
        self.interior = by_image[(*every(2), *interior)]
        self.windows = np.lib.stride_tricks.as_strided(padded, windows_shape, strides)

    def gather(self, source: np.ndarray) -> np.ndarray:
        """The windows over ``source``: (channels, *kernel, *columns)."""
        np.copyto(self.interior, source, casting="unsafe")
        np.copyto(self.panel, self.windows)
        return self.panel


def reads_of_rows(geometry: Geometry, rows: slice, input_extent: Extent) -> tuple[Extent, _Slices, _Slices]:
    """What a range of output rows reads: the extent, the part that exists in the input, and its place in the extent."""
    extent, source, interior = [], [], []
    for axis, (size, positions) in enumerate(zip(input_extent, geometry.out_extent, strict=True)):
        start, stop = geometry.reads(axis, rows.start, rows.stop) if axis == 0 else geometry.reads(axis, 0, positions)
        first = min(max(start, 0), size)
        last = max(min(stop, size), first)
        extent.append(stop - start)
        source.append(slice(first, last))
        interior.append(slice(first - start, last - start))
    return tuple(extent), tuple(source), tuple(interior)
