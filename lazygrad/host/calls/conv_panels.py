"""im2col: the windows of a block of a convolution's input, gathered into a panel that BLAS can multiply."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.host.calls.conv_geometry import Block, Extent, Geometry, every
from lazygrad.host.calls.matmul import blas_ready
from lazygrad.host.numpy_support import scratch

_Slices = tuple[slice, ...]


class PanelReader:
    """Reads blocks of ``x`` as panels of shape (images, groups, channels per group * kernel, positions).

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
        geometry, channels = self.geometry, self.x.shape[1] // self.geometry.groups
        positions = rows * prod(geometry.out_extent[1:])
        shape = images, geometry.groups, channels * prod(geometry.kernel), positions
        if geometry.reads_in_place(self.x.shape[2:]) and self.x.dtype == self.dtype:
            return blas_ready(self.x[block.images, :, block.rows].reshape(shape))
        extent, source, interior = _reads(geometry, block.rows, self.x.shape[2:])
        form = (block.shape, extent, interior)
        if form != self.slab_form:  # rare: blocks differ only at the edges
            self.slab = _Slab((images, self.x.shape[1], *extent), interior, geometry, rows, self.dtype)
            self.slab_form = form
        return self.slab.gather(self.x[(block.images, slice(None), *source)]).reshape(shape)


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
        counts = (rows, *geometry.out_extent[1:])
        windows_shape = (*shape[:2], *geometry.kernel, *counts)
        padded, self.panel = scratch((shape, dtype), (windows_shape, dtype))
        padded.fill(0)
        spatial = padded.strides[2:]
        # What is stepped over once may be any number, too great for a stride in bytes too.
        taps = tuple(step * d * (k > 1) for step, d, k in zip(spatial, geometry.dilation, geometry.kernel, strict=True))
        steps = tuple(step * s * (n > 1) for step, s, n in zip(spatial, geometry.stride, counts, strict=True))
        self.interior = padded[(*every(2), *interior)]
        self.windows = np.lib.stride_tricks.as_strided(padded, windows_shape, padded.strides[:2] + taps + steps)

    def gather(self, source: np.ndarray) -> np.ndarray:
        """The windows over ``source``: (images, channels, *kernel, *positions)."""
        np.copyto(self.interior, source, casting="unsafe")
        np.copyto(self.panel, self.windows)
        return self.panel


def _reads(geometry: Geometry, rows: slice, input_extent: Extent) -> tuple[Extent, _Slices, _Slices]:
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
