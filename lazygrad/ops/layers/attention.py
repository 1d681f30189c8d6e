"""Scaled dot-product attention. Source: Vaswani et al., "Attention Is All You Need", 2017."""

from __future__ import annotations

from math import inf, sqrt

from lazygrad.ir.build import iota
from lazygrad.ir.composites.attention import attention
from lazygrad.ir.dtype import bool_, float32, int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import movement
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.precision import lower_precision
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.layers.dropout import dropout, dropped_as_drawn
from lazygrad.ops.layers.softmax import softmax
from lazygrad.ops.linalg.products import matmul
from lazygrad.ops.pointwise.arithmetic import add, mul
from lazygrad.ops.pointwise.relational import eq, ge
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.reductions.extrema import amax
from lazygrad.ops.shapes.permuting import transpose
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node


@lower_precision
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query · keyᵀ · scale + mask) · value.

    Args:
        query: (…, L, E), floating.
        key: (…, S, E).
        value: (…, S, Ev).
        attn_mask: (…, L, S), bool with True where a query may look, or numbers added to the scores.
        dropout_p: probability of a weight to be dropped, also outside training.
        is_causal: a query sees no key whose position is greater than its own.
        scale: 1/√E for None.
        enable_gqa: let groups of query heads, the third dimension from the end, share a head of key and value.

    Returns:
        (…, L, Ev). A query that may look nowhere gets 0 under a mask.

    Raises:
        RuntimeError: a mask together with ``is_causal``, heads that do not divide, a probability out of range, or
            shapes and dtypes that do not fit together.
    """
    if attn_mask is not None and is_causal:
        raise RuntimeError("scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    if min(tensor_argument(query, "scaled_dot_product_attention", "query").ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError(f"Expected query, key, and value to all be at least 2 dimensional, but got query.dim: "
                           f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead.")  # fmt: skip
    if enable_gqa:
        key, value = _shared_heads(query, key), _shared_heads(query, value)
    factor = 1 / sqrt(max(query.shape[-1], 1)) if scale is None else float(scale)
    mask = None if attn_mask is None else _mask_node(attn_mask, query)
    if dropout_p > 0:
        weights = _weights(query, key, mask, is_causal, factor)
        return matmul(dropout(weights, dropout_p), value)
    inputs = (query.node(), key.node(), value.node(), *([] if mask is None else [mask]))
    return record(attention, inputs, (bool(is_causal), factor))


def _mask_node(mask: Tensor, query: Tensor) -> Node:
    node = tensor_argument(mask, "scaled_dot_product_attention", "attn_mask").node()
    if node.dtype not in (bool_, query.dtype) and not (node.dtype is float32 and query.dtype.is_half):
        raise RuntimeError(f"Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                           f"attn_mask.dtype: {node.dtype.name} and query.dtype: {query.dtype.name}.")  # fmt: skip
    return node if node.dtype is bool_ else cast_node(node, query.dtype)


def _shared_heads(query: Tensor, x: Tensor) -> Tensor:
    """Every head of ``x`` repeated for the group of query heads that shares it.

    Raises:
        RuntimeError: the heads do not divide the query's.
    """
    wanted = query.shape[-3]
    *lead, heads, length, width = x.shape
    if wanted % heads:
        raise RuntimeError(f"scaled_dot_product_attention: Number of heads in key and value ({heads}) must divide the "
                           f"number of heads in query ({wanted})")  # fmt: skip
    grouped = reshaped(x.node(), (*lead, heads, 1, length, width))
    repeated = record_node(movement.expand, (grouped,), ((*lead, heads, wanted // heads, length, width),))
    return Tensor.from_node(reshaped(repeated, (*lead, wanted, length, width)))


@lower_precision
def attention_as_drawn(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, is_causal: bool, dropout_p: float, kept: Tensor
) -> Tensor:
    """`scaled_dot_product_attention` whose dropout keeps the weights that ``kept``, (…, L, S), says."""
    mask = None if attn_mask is None else _mask_node(attn_mask, query)
    weights = _weights(query, key, mask, is_causal, 1 / sqrt(max(query.shape[-1], 1)))
    return matmul(dropped_as_drawn(weights, kept, dropout_p), value)


def _weights(query: Tensor, key: Tensor, mask: Node | None, is_causal: bool, scale: float) -> Tensor:
    """The weights of `scaled_dot_product_attention`, spelled out for dropout, which changes them."""
    scores = mul(matmul(query, transpose(key, -2, -1)), scale)
    if is_causal:
        mask = _not_later(scores)
    if mask is not None and mask.dtype is bool_:
        scores = where(Tensor.from_node(mask), scores, -inf)
    elif mask is not None:
        scores = add(scores, Tensor.from_node(mask))
    return _softmax_or_zero(scores)


def _softmax_or_zero(scores: Tensor) -> Tensor:
    """softmax over keys; 0 for a query that may look nowhere."""
    nowhere = eq(amax(scores, -1, keepdim=True), -inf)
    return where(nowhere, 0.0, softmax(where(nowhere, 0.0, scores), -1))


def _not_later(scores: Tensor) -> Node:
    """(L, S): whether a key's position is not greater than the query's."""
    queries, keys = scores.shape[-2:]
    rows = Tensor.from_node(reshaped(iota(queries, int64, scores.device), (queries, 1)))
    return ge(rows, Tensor.from_node(iota(keys, int64, scores.device))).node()
