"""Bitonic sorting (Batcher, "Sorting networks and their applications", 1968)."""

from __future__ import annotations

from lazygrad.targets.cuda.library.arrays import Array
from lazygrad.targets.cuda.writer import Writer

_MOST_BLOCKS = 1 << 12
_BLOCK = 256
_TOGETHER = 1024  # keys that a block sorts in shared memory


def sort(writer: Writer, keys: Array, places: Array) -> None:
    """Sort rows of unsigned keys in place, and their places with them; equal keys by place.

    Args:
        writer: of the plan.
        keys: (lines, padded), the second a power of two from 2 on; 64 bits.
        places: of the same shape, int64.
    """
    lines, padded = keys.shape
    together, total = min(padded, _TOGETHER), lines * padded
    block, blocks = max(32, together // 2), max(1, min(_MOST_BLOCKS, -(-total // 2 // _BLOCK)))
    shared = {"lines": lines, "padded": padded, "together": together, "block": block}
    parameters = [keys.start, places.start]
    name = writer.library("sort_block", "sort_block", **shared, first=2, last=together)
    writer.launch(name, total // together, block, parameters)
    span = together * 2
    while span <= padded:
        distance = span // 2
        while distance >= together:
            name = writer.library(
                "sort_step", "sort_step", span=span, distance=distance, pairs=total // 2, padded=padded,
                threads=blocks * _BLOCK,
            )  # fmt: skip
            writer.launch(name, blocks, _BLOCK, parameters)
            distance //= 2
        name = writer.library("sort_block", "sort_block", **shared, first=span, last=span)
        writer.launch(name, total // together, block, parameters)
        span *= 2
