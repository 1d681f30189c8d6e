"""The softmax family. Every step keeps its axes, so that a whole row fuses into one kernel."""

from __future__ import annotations

from math import inf
from typing import Any

from lazygrad.ir.build import cast, real, reduce_sum
from lazygrad.ir.composites.define import Result, check_float, composite, float_like_first
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.reduction import reduce_max


def _softmax(x: Node, axis: int) -> Node:
    if x.shape[axis] == 0:
        return x
    exponential = ew.exp(x - reduce_max(x, axes=(axis,)))
    return exponential / reduce_sum(exponential, (axis,))


def _log_softmax(x: Node, axis: int) -> Node:
    if x.shape[axis] == 0:
        return x
    shifted = x - reduce_max(x, axes=(axis,))
    return shifted - ew.log(reduce_sum(ew.exp(shifted), (axis,)))


def _logsumexp(x: Node, axes: tuple[int, ...]) -> Node:
    if any(x.shape[axis] == 0 for axis in axes):
        return ew.log(reduce_sum(x, axes))
    largest = reduce_max(real(x), axes=axes)
    # An infinite maximum must not be subtracted from itself.
    largest = cast(ew.where(ew.eq(ew.abs_(largest), largest.like(inf)), largest.like(0), largest), x.dtype)
    return ew.log(reduce_sum(ew.exp(x - largest), axes)) + largest


def _infer_logsumexp(attrs: tuple[Any, ...], x: TensorType) -> Result:
    check_float("logsumexp", x, complex_too=True)
    return tuple(1 if axis in attrs[0] else size for axis, size in enumerate(x.shape)), x.dtype


softmax = composite("softmax", _softmax, float_like_first("softmax"), ("axis",), "exp(x) / Σ exp(x) along an axis")
log_softmax = composite(
    "log_softmax", _log_softmax, float_like_first("log_softmax"), ("axis",), "x - log Σ exp(x) along an axis"
)
logsumexp = composite("logsumexp", _logsumexp, _infer_logsumexp, ("axes",), "log Σ exp(x) over axes, which it keeps")
