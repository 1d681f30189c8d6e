"""im2col: the windows of a block of a convolution's input, gathered into a panel that BLAS can multiply."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.runtime.numpy_calls.conv_geometry import Block, Geometry
from lazygrad.runtime.numpy_calls.matmul import blas_ready


class PanelReader:
    """Reads blocks of ``x`` as panels of shape (images, groups, channels per group * kernel, positions).

    Args:
        x: (images, channels, *spatial), with any strides.
        geometry: which input positions each output position reads.
        dtype: of the panels.
    """

    def __init__(self, x: np.ndarray, geometry: Geometry, dtype: np.dtype) -> None:
        self.x, self.geometry, self.dtype = x, geometry, dtype
        self.slab_memory = np.empty(0, dtype)
        self.panel_memory = np.empty(0, dtype)

    def read(self, block: Block) -> np.ndarray:
        """The panel of a block, valid until the next `read`."""
        images, rows = block.shape
        geometry, channels = self.geometry, self.x.shape[1]
        positions = rows * prod(geometry.out_extent[1:])
        panel_shape = (images, geometry.groups, channels // geometry.groups * prod(geometry.kernel), positions)
        if geometry.reads_in_place and self.x.dtype == self.dtype:
            return blas_ready(self.x[block.images, :, block.rows].reshape(panel_shape))
        windows = self._windows(self._slab(block), rows)
        self.panel_memory, panel = _reuse(self.panel_memory, windows.shape)
        np.copyto(panel, windows, casting="unsafe")
        return panel.reshape(panel_shape)

    def _windows(self, slab: np.ndarray, rows: int) -> np.ndarray:
        """View of shape (images, channels, *kernel, rows, *other output positions)."""
        geometry, spatial = self.geometry, slab.strides[2:]
        taps = tuple(step * d for step, d in zip(spatial, geometry.dilation, strict=True))
        steps = tuple(step * s for step, s in zip(spatial, geometry.stride, strict=True))
        shape = (*slab.shape[:2], *geometry.kernel, rows, *geometry.out_extent[1:])
        return np.lib.stride_tricks.as_strided(slab, shape, slab.strides[:2] + taps + steps, writeable=False)

    def _slab(self, block: Block) -> np.ndarray:
        """The input elements a block reads, padded with zeros; a view where nothing is missing."""
        ranges = [self.geometry.reads(0, block.rows.start, block.rows.stop)]
        ranges += [self.geometry.reads(axis, 0, size) for axis, size in enumerate(self.geometry.out_extent) if axis]
        inside, target = [], []
        for (start, stop), size in zip(ranges, self.x.shape[2:], strict=True):
            first, last = min(max(start, 0), size), max(min(stop, size), 0)
            inside.append(slice(first, max(first, last)))
            target.append(slice(first - start, max(first, last) - start))
        source = self.x[block.images, :, *inside]
        shape = (*source.shape[:2], *(stop - start for start, stop in ranges))
        if source.shape == shape and source.dtype == self.dtype:
            return source
        self.slab_memory, slab = _reuse(self.slab_memory, shape)
        slab.fill(0)
        np.copyto(slab[:, :, *target], source, casting="unsafe")
        return slab


def _reuse(memory: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """An array of ``shape`` in flat ``memory``, which is replaced by a larger one if too small."""
    size = prod(shape)
    if memory.size < size:
        memory = np.empty(size, memory.dtype)
    return memory, memory[:size].reshape(shape)
