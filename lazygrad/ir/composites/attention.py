"""Scaled dot-product attention."""

from __future__ import annotations

from math import inf
from typing import Any

from lazygrad.ir.build import filled, iota, reshape, swap_last
from lazygrad.ir.composites.define import Result, check_float, composite
from lazygrad.ir.composites.softmax import softmax
from lazygrad.ir.dtype import bool_, int64
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.attention import ADDED, SHOWN, attend, attention_shape, has_many_scores
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.reduction import reduce_max


def _attention(query: Node, key: Node, value: Node, mask: Node | None = None, *, is_causal: bool, scale: float) -> Node:
    operands, masking = [query, key, value, filled((), scale, query)], ADDED
    if mask is not None:
        operands.append(reshape(mask, (*[1] * (2 - mask.rank), *mask.shape)))
        if mask.dtype is bool_:
            masking = SHOWN
            operands.append(filled((), -inf, query))
    make = attend if has_many_scores(query.shape[-2], key.shape[-2]) else spelled_out_attention
    # A query whose keys are all masked attends to nothing: 0, as in PyTorch, not NaN.
    return make(*operands, is_causal=is_causal, masking=masking, nothing_is_zero=mask is not None)


def spelled_out_attention(
    query: Node, key: Node, value: Node, scale: Node, *mask: Node, is_causal: bool, masking: str, nothing_is_zero: bool
) -> Node:
    """What `attend` computes, by operations that have derivatives of their own."""
    scores = _masked(matmul(query, swap_last(key)) * scale, masking, *mask)
    if is_causal:
        scores = ew.where(_causal(scores), scores, scores.like(-inf))
    last = scores.rank - 1
    if not nothing_is_zero or scores.shape[last] == 0:
        return matmul(softmax(scores, axis=last), value)
    nothing = ew.eq(reduce_max(scores, axes=(last,)), scores.like(-inf))
    probability = softmax(ew.where(nothing, scores.like(0), scores), axis=last)
    return matmul(ew.where(nothing, scores.like(0), probability), value)


def _masked(scores: Node, masking: str, mask: Node | None = None, fill: Node | None = None) -> Node:
    if mask is None:
        return scores
    if fill is None:
        return scores + mask
    is_set = mask if mask.dtype is bool_ else ew.ne(mask, mask.like(0))
    return ew.where(is_set, scores, fill) if masking == SHOWN else ew.where(is_set, fill, scores)


def _causal(scores: Node) -> Node:
    """Whether a query may look at a key: both counted from 0, not past itself."""
    queries, keys = scores.shape[-2:]
    row = reshape(iota(queries, int64, scores.device), (queries, 1))
    return ew.ge(row, reshape(iota(keys, int64, scores.device), (1, keys)))


def _infer(
    attrs: tuple[Any, ...], query: TensorType, key: TensorType, value: TensorType, mask: TensorType | None = None
) -> Result:
    check_float("attention", query)
    for operand in (key, value):
        if operand.dtype is not query.dtype:
            raise RuntimeError(f"attention: expected query, key and value of one dtype, but got {query} and {operand}")
    if mask is not None and mask.dtype not in (bool_, query.dtype):
        raise RuntimeError(f"attention: expected a mask of bool or {query.dtype.name}, but got {mask}")
    if mask is not None and attrs[0]:
        raise RuntimeError("attention: a mask together with is_causal")
    return attention_shape(query, key, value, *[] if mask is None else [mask]), query.dtype


attention = composite(
    "attention", _attention, _infer, ("is_causal", "scale"), "softmax(query · keyᵀ · scale + mask) · value"
)
