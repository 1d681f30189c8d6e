"""Scaled dot-product attention."""

from __future__ import annotations

from math import inf
from typing import Any

from lazygrad.ir.build import iota, reshape, swap_last
from lazygrad.ir.composites.define import Result, check_float, composite
from lazygrad.ir.composites.softmax import softmax
from lazygrad.ir.dtype import bool_, int64
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.reduction import reduce_max
from lazygrad.ir.shape import ShapeError, broadcast_shapes


def _causal(scores: Node) -> Node:
    """Whether a query may look at a key: both counted from 0, not past itself."""
    queries, keys = scores.shape[-2:]
    row = reshape(iota(queries, int64, scores.device), (queries, 1))
    return ew.ge(row, reshape(iota(keys, int64, scores.device), (1, keys)))


def _masked(scores: Node, mask: Node | None, is_causal: bool) -> Node:
    if is_causal:
        scores = ew.where(_causal(scores), scores, scores.like(-inf))
    if mask is None:
        return scores
    return ew.where(mask, scores, scores.like(-inf)) if mask.dtype is bool_ else scores + mask


def _attention(query: Node, key: Node, value: Node, mask: Node | None = None, *, is_causal: bool, scale: float) -> Node:
    scores = _masked(matmul(query, swap_last(key)) * scale, mask, is_causal)
    last = scores.rank - 1
    if mask is None or scores.shape[last] == 0:
        return matmul(softmax(scores, axis=last), value)
    # A row whose keys are all masked attends to nothing: 0, as in PyTorch, not NaN.
    nothing = ew.eq(reduce_max(scores, axes=(last,)), scores.like(-inf))
    probability = softmax(ew.where(nothing, scores.like(0), scores), axis=last)
    return matmul(ew.where(nothing, scores.like(0), probability), value)


def _infer(
    attrs: tuple[Any, ...], query: TensorType, key: TensorType, value: TensorType, mask: TensorType | None = None
) -> Result:
    check_float("attention", query)
    for operand in (key, value):
        if operand.dtype is not query.dtype:
            raise RuntimeError(f"attention: expected query, key and value of one dtype, but got {query} and {operand}")
    if min(len(query.shape), len(key.shape), len(value.shape)) < 2:
        raise ShapeError(f"attention: query {query}, key {key} and value {value} need at least 2 dimensions")
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ShapeError(
            f"attention: query {query}, key {key} and value {value} do not fit together: expected "
            f"(…, L, E), (…, S, E) and (…, S, Ev)"
        )
    lead = broadcast_shapes("attention", query.shape[:-2], key.shape[:-2])
    scores = (*lead, query.shape[-2], key.shape[-2])
    if mask is not None:
        if mask.dtype not in (bool_, query.dtype):
            raise RuntimeError(f"attention: expected a mask of bool or {query.dtype.name}, but got {mask}")
        scores = broadcast_shapes("attention", scores, mask.shape)
    lead = broadcast_shapes("attention", scores[:-2], value.shape[:-2])
    return (*lead, scores[-2], value.shape[-1]), query.dtype


attention = composite(
    "attention", _attention, _infer, ("is_causal", "scale"), "softmax(query · keyᵀ · scale + mask) · value"
)
