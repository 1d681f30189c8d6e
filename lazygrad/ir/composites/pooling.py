"""Pooling by maxima: values come from a reduction over windows, gradients go back to the winners' places."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.build import reshape
from lazygrad.ir.composites.define import Result, composite
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.contraction import pool_argmax
from lazygrad.ir.primitives.reduction import reduce_max

Extent = tuple[int, ...]


def _max_pool(x: Node, size: Extent, stride: Extent, padding: tuple[tuple[int, int], ...], dilation: Extent) -> Node:
    lead = x.rank - len(size)
    if any(amount for pair in padding for amount in pair):
        before, after = ((0,) * lead + tuple(pair[side] for pair in padding) for side in (0, 1))
        x = ix.pad(x, x.like(x.dtype.lowest), before=before, after=after)
    windows = mv.windows(x, size=size, stride=stride, dilation=dilation)
    rank = lead + len(size)
    return reshape(reduce_max(windows, axes=tuple(range(rank, windows.rank))), windows.shape[:rank])


def _infer(attrs: tuple[Any, ...], x: TensorType) -> Result:
    shape, _ = pool_argmax.infer(attrs, x)
    return shape, x.dtype


max_pool = composite(
    "max_pool",
    _max_pool,
    _infer,
    ("size", "stride", "padding", "dilation"),
    "largest element of each window; padding as (low, high) per spatial axis",
    widened=False,
)
