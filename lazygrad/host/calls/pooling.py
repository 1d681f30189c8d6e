"""Max pooling's winners, and the adjoint of sliding windows."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.host.calls._precision import lowest, store, working_dtype
from lazygrad.host.calls.conv_geometry import Extent, Geometry, every, strided_range
from lazygrad.host.numpy_support import scratch
from lazygrad.host.threads import parallel_for

_BLOCK_VALUES = 1 << 16  # outputs worked on at a time: with the scratch arrays, about an L2 cache
_GRAIN_VALUES = 1 << 14  # outputs worth a thread


def pool_argmax(
    out: np.ndarray,
    x: np.ndarray,
    *,
    size: Extent,
    stride: Extent,
    padding: tuple[tuple[int, int], ...],
    dilation: Extent,
) -> None:
    """Position of each window's first maximum in its plane; or of its last NaN, if there is one, as in PyTorch.

    Args:
        out: (*lead, *windows), int64; positions count the elements of an unpadded plane in row-major order.
        x: (*lead, *spatial).
        size, stride, padding, dilation: per spatial axis; padding as (low, high), and never the maximum.
    """
    lead = x.ndim - len(size)
    geometry = Geometry(size, stride, tuple(low for low, _ in padding), dilation, 1, out.shape[lead:])
    planes = x.reshape(prod(x.shape[:lead]), *x.shape[lead:])
    winners = out.reshape(prod(x.shape[:lead]), *geometry.out_extent)
    search = _WindowSearch(planes.shape[1:], geometry)
    outputs_per_plane = max(prod(geometry.out_extent), 1)
    planes_per_block = max(1, _BLOCK_VALUES // outputs_per_plane)

    def run(first: int, last: int) -> None:
        for start in range(first, last, planes_per_block):
            block = slice(start, min(start + planes_per_block, last))
            search.run(winners[block], planes[block])

    parallel_for(run, len(planes), max(1, _GRAIN_VALUES // outputs_per_plane))


class _Visit:
    """One offset inside every window: which elements it reads, and for which windows it has any.

    Attributes:
        position: of the offset's element relative to the window's start, in row-major elements.
        source: the elements read.
        target: the windows that read them; the others read padding.
        inside: True for those windows, or None when that is all of them.
    """

    def __init__(self, offset: Extent, extent: Extent, geometry: Geometry) -> None:
        self.position = 0
        target, source = [], []
        for axis, (size, count) in enumerate(zip(extent, geometry.out_extent, strict=True)):
            step, shift = geometry.stride[axis], offset[axis] * geometry.dilation[axis]
            start = shift - geometry.low[axis]
            first = max(0, -(start // step))
            last = max(first, min(count, (size - 1 - start) // step + 1))
            target.append(slice(first, last))
            source.append(slice(start + first * step, max(start + (last - 1) * step + 1, 0), step))
            self.position += shift * prod(extent[axis + 1 :])
        self.target, self.source = (*every(1), *target), (*every(1), *source)
        self.inside: np.ndarray | None = None
        if any(part != slice(0, count) for part, count in zip(target, geometry.out_extent, strict=True)):
            self.inside = np.zeros(geometry.out_extent, bool)
            self.inside[tuple(target)] = True

    def read(self, planes: np.ndarray, out: np.ndarray) -> None:
        """Fill ``out`` with this offset's element of each window."""
        if self.inside is not None:
            out.fill(lowest(out.dtype))
        np.copyto(out[self.target], planes[self.source], casting="unsafe")


class _WindowSearch:
    """Visits the window offsets from last to first; a later visit wins ties, so the first maximum does.

    Masked writes branch per element, so the winner is kept as the highest ``rank`` seen instead, with ranks growing
    from visit to visit: every step is then a vector operation.
    """

    def __init__(self, extent: Extent, geometry: Geometry) -> None:
        self.visits = [_Visit(offset, extent, geometry) for offset in list(np.ndindex(*geometry.kernel))[::-1]]
        self.position_of_rank = np.array([0, *(visit.position for visit in self.visits)])
        self.rank_dtype = np.dtype(np.uint8 if len(self.visits) < 256 else np.uint32)
        starts = [
            (np.arange(count) * geometry.stride[axis] - geometry.low[axis]) * prod(extent[axis + 1 :])
            for axis, count in enumerate(geometry.out_extent)
        ]
        self.window_starts = sum(np.ix_(*starts))
        self.is_padded = any(visit.inside is not None for visit in self.visits)

    def run(self, out: np.ndarray, planes: np.ndarray) -> None:
        dtype = working_dtype(planes.dtype)
        best, candidate, wins, is_nan, was_number, winner, rank_if_wins = scratch(
            *[(out.shape, dtype)] * 2, *[(out.shape, bool)] * 3, *[(out.shape, self.rank_dtype)] * 2
        )
        best.fill(lowest(dtype))
        winner.fill(0)
        for rank, visit in enumerate(self.visits, 1):
            visit.read(planes, candidate)
            np.greater_equal(candidate, best, out=wins)
            if dtype.kind == "f":
                np.equal(best, best, out=was_number)
                np.not_equal(candidate, candidate, out=is_nan)
                np.logical_and(is_nan, was_number, out=is_nan)
                np.logical_or(wins, is_nan, out=wins)
            if visit.inside is not None:
                np.logical_and(wins, visit.inside, out=wins)
            np.maximum(candidate, best, out=best)
            np.multiply(wins, self.rank_dtype.type(rank), out=rank_if_wins)
            np.maximum(winner, rank_if_wins, out=winner)
        np.take(self.position_of_rank, winner, out=out, mode="clip")
        np.add(out, self.window_starts, out=out)
        if self.is_padded:
            np.maximum(out, 0, out=out)  # a window of nothing but padding has no winner


def windows_adjoint(
    out: np.ndarray, g: np.ndarray, *, shape: Extent, size: Extent, stride: Extent, dilation: Extent
) -> None:
    """Adjoint of sliding windows over the last axes: each window's values are added where the window read them.

    Args:
        out: ``shape``, (*lead, *spatial).
        g: (*lead, *windows, *size).
        size, stride, dilation: per spatial axis.
    """
    lead = len(shape) - len(size)
    if lead == 0:
        windows_adjoint(out[None], g[None], shape=(1, *shape), size=size, stride=stride, dilation=dilation)
        return
    counts = g.shape[lead : lead + len(size)]
    dtype = working_dtype(out.dtype)

    def run(first: int, last: int) -> None:
        target, windows = out[first:last], g[first:last]
        total = target if dtype == target.dtype else np.empty(target.shape, dtype)
        total.fill(0)
        for offset in np.ndindex(*size):
            positions = tuple(
                strided_range(k * d, s, count) for k, d, s, count in zip(offset, dilation, stride, counts, strict=True)
            )
            part = total[(*every(lead), *positions)]
            np.add(part, windows[(*every(lead + len(size)), *offset)], out=part)
        if total is not target:
            store(target, total)

    parallel_for(run, shape[0], max(1, _GRAIN_VALUES // max(prod(g.shape[1:]), 1)))
