"""Adafactor (Shazeer and Stern, 2018): the second moment of a matrix is kept as the product of a row and a column."""

from __future__ import annotations

from math import sqrt
from typing import Any

from lazygrad.ir.build import mean, reduce_sum
from lazygrad.ir.composites.define import Result, check_float, composite
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.shape import numel


def _like_first(attrs: tuple[Any, ...], x: TensorType, *others: TensorType) -> Result:
    check_float("adafactor", x)
    return x.shape, x.dtype


def _moment(moment: Node, gradient: Node, weight: Node, axis: int | None) -> Node:
    square = gradient * gradient
    observed = square if axis is None else mean(square, (len(gradient.shape) + axis,))
    return moment + weight * (observed - moment)


def _update(
    parameter: Node,
    gradient: Node,
    rate: Node,
    decay: Node,
    smallest_scale: Node,
    threshold: Node,
    eps: Node,
    smallest_square: Node,
    *moments: Node,
) -> Node:
    update = gradient / ew.sqrt(ew.maximum(_variance(moments, eps), smallest_square))
    clipping = ew.maximum(_root_mean_square(update) / threshold, threshold.like(1))
    scale = ew.maximum(_root_mean_square(parameter), smallest_scale) * rate
    return parameter * decay - scale / clipping * update


def _variance(moments: tuple[Node, ...], eps: Node) -> Node:
    if len(moments) == 1:
        return moments[0]
    row, column = moments
    return row * column / ew.maximum(mean(row, (len(row.shape) - 2,)), eps)


def _root_mean_square(x: Node) -> Node:
    return ew.sqrt(reduce_sum(x * x, tuple(range(len(x.shape))))) * (1 / sqrt(max(numel(x.shape), 1)))


adafactor_moment = composite(
    "adafactor_moment",
    _moment,
    _like_first,
    ("axis",),
    "v + weight · (the mean of g² along an axis - v), of g² itself without axis",
)
adafactor_update = composite(
    "adafactor_update",
    _update,
    _like_first,
    doc="decay · p - rate · max(rms(p), smallest_scale) / max(1, rms(u) / threshold) · u, where u = g / sqrt(variance)",
)
