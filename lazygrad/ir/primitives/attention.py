"""Attention as one call, and its gradients as another: no array of queries × keys need exist for either."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType, float32, float64
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape, ShapeError, broadcast_shapes

Result = tuple[Shape, DType]

ADDED, SHOWN, HIDDEN = "added", "shown", "hidden"
"""What a mask does: it is added to scores, or says which keys are shown, or hidden, whose scores are then `fill`."""

_ATTRS = ("is_causal", "masking", "nothing_is_zero")


_MANY_SCORES = 1 << 13


def has_many_scores(queries: int, keys: int) -> bool:
    """Whether the scores of an item are so many that one call is faster than two products with a softmax in between."""
    return queries * keys >= _MANY_SCORES


def attention_shape(query: TensorType, key: TensorType, value: TensorType, *mask: TensorType) -> Shape:
    """The shape of the result.

    Raises:
        ShapeError: operands that do not fit together.
    """
    if min(len(query.shape), len(key.shape), len(value.shape)) < 2:
        raise ShapeError(f"attention: query {query}, key {key} and value {value} need at least 2 dimensions")
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ShapeError(
            f"attention: query {query}, key {key} and value {value} do not fit together: expected "
            f"(…, L, E), (…, S, E) and (…, S, Ev)"
        )
    lead = broadcast_shapes("attention", query.shape[:-2], key.shape[:-2])
    scores = (*lead, query.shape[-2], key.shape[-2])
    for operand in mask:
        scores = broadcast_shapes("attention", scores, operand.shape)
    lead = broadcast_shapes("attention", scores[:-2], value.shape[:-2])
    return (*lead, scores[-2], value.shape[-1])


def _attend(
    attrs: tuple[Any, ...],
    query: TensorType,
    key: TensorType,
    value: TensorType,
    scale: TensorType,
    mask: TensorType | None = None,
    fill: TensorType | None = None,
) -> Result:
    if query.dtype not in (float32, float64) or not query.dtype is key.dtype is value.dtype:
        raise RuntimeError(f"attend: expected f32 or f64 for query, key and value, but got {query}, {key} and {value}")
    if mask is not None and attrs[0]:
        raise RuntimeError("attend: a mask together with is_causal")
    if scale.shape or (fill is not None and fill.shape):
        raise ShapeError(f"attend: scale {scale} and fill {fill} must be numbers")
    if mask is not None and (len(mask.shape) < 2 or (fill is None) != (attrs[1] == ADDED)):
        raise RuntimeError(f"attend: {mask} is no mask that is {attrs[1]}")
    return attention_shape(query, key, value, *[] if mask is None else [mask]), query.dtype


def _attend_gradients(attrs: tuple[Any, ...], cotangent: TensorType, *operands: TensorType) -> Result:
    shape, dtype = _attend(attrs, *operands)
    if cotangent.shape != shape or cotangent.dtype is not dtype:
        raise ShapeError(f"attend_gradients: {cotangent} does not fit a result of shape {shape}")
    query, key, value = (operand.shape for operand in operands[:3])
    return (*shape[:-2], query[-2] * query[-1] + key[-2] * key[-1] + value[-2] * value[-1]), dtype


attend = CallableOp(
    "attend",
    Kind.LIBRARY,
    _attend,
    _ATTRS,
    doc="softmax(query · keyᵀ · scale, masked) · value, from query, key, value, scale, mask and fill",
    number_inputs=(3, 5),
)
attend_gradients = CallableOp(
    "attend_gradients",
    Kind.LIBRARY,
    _attend_gradients,
    _ATTRS,
    doc="gradients of attend in query, key and value, side by side, from a cotangent and the inputs of attend",
    number_inputs=(4, 6),
)
