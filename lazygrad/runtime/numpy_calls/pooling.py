"""Max pooling's winners, and the adjoint of sliding windows."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.runtime.numpy_calls._precision import store, working_dtype
from lazygrad.runtime.numpy_calls.conv_geometry import Extent, Geometry, every, strided_range
from lazygrad.runtime.threads import parallel_for

_BLOCK_VALUES = 1 << 15  # outputs worked on at a time: with the scratch arrays, about an L2 cache
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


class _WindowSearch:
    """Visits the window offsets from last to first; a later visit wins ties, so the first maximum does.

    Masked writes branch per element, so the winner is kept as the highest ``rank`` seen instead, with ranks growing
    from visit to visit: every step is then a vector operation.
    """

    def __init__(self, extent: Extent, geometry: Geometry) -> None:
        self.extent, self.geometry = extent, geometry
        self.offsets = list(np.ndindex(*geometry.kernel))[::-1]
        self.rank_dtype = np.dtype(np.uint8 if len(self.offsets) < 256 else np.uint32)
        flat_steps = [prod(extent[axis + 1 :]) for axis in range(len(extent))]
        self.position_of_rank = np.array(
            [0, *(sum(k * d * step for k, d, step in zip(offset, geometry.dilation, flat_steps, strict=True))
                  for offset in self.offsets)]
        )  # fmt: skip
        starts = np.zeros((1,) * len(extent), np.int64)
        for axis, step in enumerate(flat_steps):
            positions = np.arange(geometry.out_extent[axis]) * geometry.stride[axis] - geometry.low[axis]
            starts = starts + (positions * step).reshape(-1, *(1,) * (len(extent) - axis - 1))
        self.window_starts = starts

    def run(self, out: np.ndarray, planes: np.ndarray) -> None:
        dtype = working_dtype(planes.dtype)
        best = np.full(out.shape, _lowest(dtype), dtype)
        candidate = np.empty(out.shape, dtype)
        wins, is_nan, replaceable = (np.empty(out.shape, bool) for _ in range(3))
        winner, rank_if_wins = np.zeros(out.shape, self.rank_dtype), np.empty(out.shape, self.rank_dtype)
        for rank, offset in enumerate(self.offsets, 1):
            inside = self._fetch(candidate, planes, offset)
            np.greater_equal(candidate, best, out=wins)
            if dtype.kind == "f":
                np.equal(best, best, out=replaceable)
                np.not_equal(candidate, candidate, out=is_nan)
                np.logical_and(is_nan, replaceable, out=is_nan)
                np.logical_or(wins, is_nan, out=wins)
            if inside is not None:
                np.logical_and(wins, inside, out=wins)
            np.maximum(candidate, best, out=best)
            np.multiply(wins, self.rank_dtype.type(rank), out=rank_if_wins)
            np.maximum(winner, rank_if_wins, out=winner)
        np.take(self.position_of_rank, winner, out=out, mode="clip")
        np.add(out, self.window_starts, out=out)
        if any(self.geometry.low):
            np.maximum(out, 0, out=out)  # a window of nothing but padding has no winner

    def _fetch(self, candidate: np.ndarray, planes: np.ndarray, offset: Extent) -> np.ndarray | None:
        """Fill ``candidate`` with the elements at one offset; returns which outputs have one, or None for all."""
        targets, sources = [], []
        for axis, (size, count) in enumerate(zip(self.extent, self.geometry.out_extent, strict=True)):
            step = self.geometry.stride[axis]
            start = offset[axis] * self.geometry.dilation[axis] - self.geometry.low[axis]
            first = max(0, -(start // step))
            last = max(first, min(count, (size - 1 - start) // step + 1))
            targets.append(slice(first, last))
            sources.append(slice(start + first * step, max(start + (last - 1) * step + 1, 0), step))
        if all(target == slice(0, count) for target, count in zip(targets, self.geometry.out_extent, strict=True)):
            np.copyto(candidate, planes[(*every(1), *sources)], casting="unsafe")
            return None
        candidate.fill(_lowest(candidate.dtype))
        np.copyto(candidate[(*every(1), *targets)], planes[(*every(1), *sources)], casting="unsafe")
        inside = np.zeros(self.geometry.out_extent, bool)
        inside[tuple(targets)] = True
        return inside


def _lowest(dtype: np.dtype) -> float | int | bool:
    if dtype.kind == "f":
        return -np.inf
    return False if dtype.kind == "b" else int(np.iinfo(dtype).min)


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
