"""Attention of several heads, with its projections. Source: Vaswani et al., "Attention Is All You Need", 2017."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

from lazygrad.ir.dtype import DType, bool_
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.layers.attention import attention_as_drawn, scaled_dot_product_attention
from lazygrad.ops.layers.dropout import draws_on_host, dropout, dropped_as_drawn, kept_elements
from lazygrad.ops.layers.softmax import softmax
from lazygrad.ops.linalg.products import linear, matmul
from lazygrad.ops.pointwise.bitwise import logical_not, logical_or
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.reductions.sums import mean
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.padding import pad
from lazygrad.ops.shapes.parts import chunk
from lazygrad.ops.shapes.permuting import permute, transpose
from lazygrad.ops.shapes.reshaping import expand, reshape, squeeze, unsqueeze
from lazygrad.tensor import Tensor


@dataclass(frozen=True, slots=True)
class _Projections:
    """What makes those of all heads of query, key and value.

    Attributes:
        weights: of query, key and value; or one weight (3 · E, E), which does all three.
        bias: (3 · E), or None.
        bias_k, bias_v: (1, 1, E), another key and its value; or None.
    """

    weights: tuple[Tensor | None, ...]
    bias: Tensor | None
    bias_k: Tensor | None
    bias_v: Tensor | None


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """The function of `nn.MultiheadAttention`, which says what most arguments are.

    Args:
        query, key, value: (L, N, E), (S, N, Ek) and (S, N, Ev), or without N.
        embed_dim_to_check: E.
        use_separate_proj_weight: whether ``q_proj_weight``, ``k_proj_weight`` and ``v_proj_weight`` are used instead of
            ``in_proj_weight``.
        static_k, static_v: (N · heads, S, E / heads), in place of the projected key and value.

    Raises:
        AssertionError, RuntimeError: shapes that do not fit, masks of another dtype, ``is_causal`` without a mask.
    """
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else (in_proj_weight,)
    if any(weight is None for weight in weights):
        raise AssertionError(f"use_separate_proj_weight is {use_separate_proj_weight}, but a weight is None")
    found = multi_head_attention(
        query,
        key,
        value,
        embed_dim_to_check,
        num_heads,
        weights,
        in_proj_bias,
        bias_k,
        bias_v,
        out_proj_weight,
        out_proj_bias,
        add_zero_attn,
        dropout_p if training else 0.0,
        key_padding_mask,
        need_weights,
        attn_mask,
        average_attn_weights,
        is_causal,
        False,
        static_k,
        static_v,
    )
    return found[0], found[1] if need_weights else None


def multi_head_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim: int,
    num_heads: int,
    weights: tuple[Tensor | None, ...],
    bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    out_weight: Tensor,
    out_bias: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    key_padding_mask: Tensor | None,
    need_weights: bool,
    attn_mask: Tensor | None,
    average_attn_weights: bool,
    is_causal: bool,
    batch_first: bool,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """`multi_head_attention_forward`, whose operands may also be (N, L, E); ``weights`` are one or three.

    The result has no second tensor without ``need_weights``.

    Without weights, and as long as nobody reads them, queries meet keys in one call that stores no scores.
    """
    masks = (attn_mask, key_padding_mask)
    is_batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    kept: Tensor | None = None
    if draws_on_host(query.device, dropout_p):
        batch, queries = (query.shape[:2] if batch_first else query.shape[1::-1]) if is_batched else (1, query.shape[0])
        keys = key.shape[1 if batch_first and is_batched else 0] if static_k is None else static_k.shape[1]
        keys += int(bias_k is not None) + add_zero_attn
        kept = kept_elements((batch, num_heads, queries, keys), dropout_p, query.device)
    # Numbers that are drawn inside belong to one call, and of masks of two dtypes each call warns.
    is_alike = (kept is not None or not dropout_p) and len({x.dtype for x in masks if x is not None}) < 2
    attended = _attended_alike if is_alike else _attended
    result, *seen = attended(
        query,
        key,
        value,
        embed_dim,
        num_heads,
        weights,
        bias,
        bias_k,
        bias_v,
        out_weight,
        out_bias,
        add_zero_attn,
        dropout_p,
        *masks,
        need_weights,
        average_attn_weights,
        is_causal,
        batch_first,
        static_k,
        static_v,
        kept,
    )
    if batch_first or not is_batched:
        result = transpose(result, 0, 1)
    if not is_batched:
        return tuple([squeeze(x, 0) for x in (result, *seen)])
    return (result, *seen)


def _attended(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim: int,
    num_heads: int,
    weights: tuple[Tensor | None, ...],
    bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    out_weight: Tensor,
    out_bias: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    attn_mask: Tensor | None,
    key_padding_mask: Tensor | None,
    need_weights: bool,
    average_attn_weights: bool,
    is_causal: bool,
    batch_first: bool,
    static_k: Tensor | None,
    static_v: Tensor | None,
    kept: Tensor | None,
) -> tuple[Tensor, ...]:
    """The result of `multi_head_attention` as (L, N, E), with an N of 1 where there is none.

    ``kept`` says which weights dropout keeps, where that is drawn before; None without dropout.
    """
    is_batched = query.ndim == 3
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                           "`generate_square_subsequent_mask` to create this mask.")  # fmt: skip
    if query.shape[-1] != embed_dim:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim}, but got {query.shape[-1]}")
    if len(weights) == 3 and key.shape[:-1] != value.shape[:-1]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    if len(weights) == 1 and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
    if not is_batched:
        batch_first, is_self = True, query is key is value
        query, key, value = (unsqueeze(x, 0) for x in (query, key, value))
        key, value = (query, query) if is_self else (key, value)
        key_padding_mask = None if key_padding_mask is None else unsqueeze(key_padding_mask, 0)
    batch = query.shape[0 if batch_first else 1]
    queries, keys = (x.shape[1 if batch_first else 0] for x in (query, key))
    if bias_k is not None and (static_k is not None or static_v is not None):
        raise AssertionError(f"bias cannot be added to static {'value' if static_k is None else 'key'}.")
    projections = _Projections(weights, bias, bias_k, bias_v)
    own = [_heads(x, num_heads, batch_first) for x in _projected(query, key, value, projections, batch_first)]
    q, k, v = own[0], _static(static_k, own[1]), _static(static_v, own[2])
    added = int(bias_k is not None)
    if add_zero_attn:
        k, v = (cat([x, zeros((batch, num_heads, 1, x.shape[3]), dtype=x.dtype, device=x.device)], 2) for x in (k, v))
        added += 1
    uses_hint = is_causal and key_padding_mask is None and not need_weights
    mask = None
    if not uses_hint:
        _check_masks(attn_mask, key_padding_mask, (batch, num_heads, queries, keys))
        mask = _mask(attn_mask, key_padding_mask, (batch, num_heads, queries, keys), added, q.dtype)
    if need_weights:
        shown = _weights(q, k, mask)
        shown = dropout(shown, dropout_p) if kept is None else dropped_as_drawn(shown, kept, dropout_p)
        # Where nobody reads the weights, what this output is made of can be one call.
        output = matmul(shown if dropout_p else _weights(q, k, mask), v)
        seen: tuple[Tensor, ...] = (mean(shown, 1) if average_attn_weights else shown,)
    else:
        seen = ()
        shows = logical_not(mask) if mask is not None and mask.dtype is bool_ else mask
        if kept is None:
            output = scaled_dot_product_attention(q, k, v, shows, dropout_p, is_causal and uses_hint)
        else:
            output = attention_as_drawn(q, k, v, shows, is_causal and uses_hint, dropout_p, kept)
    # (L, N, E) in memory, as in PyTorch: dropout draws in that order.
    joined = reshape(permute(output, (2, 0, 1, 3)), (queries, batch, num_heads * output.shape[3]))
    return (linear(joined, out_weight, out_bias), *seen)


_attended_alike = traced(_attended)


# Projections.


def _projected(query: Tensor, key: Tensor, value: Tensor, p: _Projections, batch_first: bool) -> list[Tensor]:
    """Query, key and value of all heads: (L, N, E), or (N, L, E) for ``batch_first``."""
    if len(p.weights) == 3:
        biases = [None] * 3 if p.bias is None else chunk(p.bias, 3)
        operands = zip((query, key, value), p.weights, biases, strict=True)
        projected = [linear(x, weight, bias) for x, weight, bias in operands if weight is not None]
    else:
        projected = packed_projections(query, key, value, p.weights[0], p.bias)
    if p.bias_k is None and p.bias_v is None:
        return projected
    if p.bias_k is None or p.bias_v is None:
        raise AssertionError(f"bias_{'v' if p.bias_k is None else 'k'} is set but the other one is None")
    batch, axis = (query.shape[0], 1) if batch_first else (query.shape[1], 0)
    for i, bias in ((1, p.bias_k), (2, p.bias_v)):
        size = (batch, 1, bias.shape[-1]) if batch_first else (1, batch, bias.shape[-1])
        projected[i] = cat([projected[i], expand(bias, size)], axis)
    return projected


def packed_projections(
    query: Tensor, key: Tensor, value: Tensor, weight: Tensor | None, bias: Tensor | None
) -> list[Tensor]:
    """Projections with one weight: one product for operands that are the same tensor."""
    assert weight is not None
    size = query.shape[-1]
    if query is key is value:
        return list(chunk(linear(query, weight, bias), 3, -1))
    if key is value:
        weights = weight.split([size, 2 * size])
        biases = [None] * 2 if bias is None else bias.split([size, 2 * size])
        return [linear(query, weights[0], biases[0]), *chunk(linear(key, weights[1], biases[1]), 2, -1)]
    biases = [None] * 3 if bias is None else chunk(bias, 3)
    return [linear(x, w, b) for x, w, b in zip((query, key, value), chunk(weight, 3), biases, strict=True)]


def _heads(x: Tensor, num_heads: int, batch_first: bool) -> Tensor:
    """(N, heads, L, E / heads)."""
    width = x.shape[-1] // num_heads
    if width * num_heads != x.shape[-1]:
        raise AssertionError(f"embed_dim {x.shape[-1]} not divisible by num_heads {num_heads}")
    return permute(reshape(x, (*x.shape[:2], num_heads, width)), (0, 2, 1, 3) if batch_first else (1, 2, 0, 3))


def _static(given: Tensor | None, projected: Tensor) -> Tensor:
    if given is None:
        return projected
    batch, heads, _, width = projected.shape
    if given.shape[0] != batch * heads:
        raise AssertionError(f"expecting static size(0) of {batch * heads}, but got {given.shape[0]}")
    if given.shape[2] != width:
        raise AssertionError(f"expecting static size(2) of {width}, but got {given.shape[2]}")
    return reshape(given, (batch, heads, given.shape[1], width))


def _weights(query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor:
    """(N, heads, L, S): the softmax of the scores."""
    scores = matmul(query * sqrt(1 / max(query.shape[3], 1)), transpose(key, 2, 3))
    if mask is not None:
        scores = where(mask, -inf, scores) if mask.dtype is bool_ else scores + mask
    return softmax(scores, -1)


# Masks.


def canonical_mask(mask: Tensor | None, name: str, other: DType | None, other_name: str) -> Tensor | None:
    """A mask that is bool, True where a key is hidden, or is added to scores.

    Raises:
        AssertionError: another dtype.
    """
    if mask is None:
        return None
    if mask.dtype is not bool_ and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other:
        warn_user(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
        )
    return mask


def _mask(
    attn_mask: Tensor | None, padding: Tensor | None, sizes: tuple[int, int, int, int], added: int, dtype: DType
) -> Tensor | None:
    """Both masks as one that broadcasts to (N, heads, L, S + added); keys that were added are seen."""
    batch, heads, queries, keys = sizes
    padding = canonical_mask(padding, "key_padding_mask", None if attn_mask is None else attn_mask.dtype, "attn_mask")
    attn_mask = canonical_mask(attn_mask, "attn_mask", None, "")
    given = []
    if attn_mask is not None:
        given.append(
            reshape(attn_mask, (1, 1, queries, keys) if attn_mask.ndim == 2 else (batch, heads, queries, keys))
        )
    if padding is not None:
        given.append(reshape(padding, (batch, 1, 1, keys)))
    if any(mask.dtype is not bool_ for mask in given):
        given = [where(mask, -inf, zeros((), dtype=dtype)) if mask.dtype is bool_ else mask.to(dtype) for mask in given]
    given = [pad(mask, (0, added)) if added else mask for mask in given]
    if len(given) < 2:
        return given[0] if given else None
    return logical_or(*given) if given[0].dtype is bool_ else given[0] + given[1]


def _check_shapes(
    query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, attn_mask: Tensor | None, num_heads: int
) -> bool:
    """Whether there is a batch.

    Raises:
        AssertionError: ranks that do not fit together.
    """
    rank = query.ndim
    if rank not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor")
    what = f"For {'batched' if rank == 3 else 'unbatched'} ({rank}-D) `query`, expected"
    if key.ndim != rank or value.ndim != rank:
        raise AssertionError(
            f"{what} `key` and `value` to be {rank}-D but found {key.ndim}-D and {value.ndim}-D tensors respectively"
        )
    if padding is not None and padding.ndim != rank - 1:
        raise AssertionError(
            f"{what} `key_padding_mask` to be `None` or {rank - 1}-D but found {padding.ndim}-D tensor instead"
        )
    if attn_mask is not None and attn_mask.ndim not in (2, 3):
        raise AssertionError(f"{what} `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.ndim}-D tensor instead")
    if rank == 2 and attn_mask is not None and attn_mask.ndim == 3:
        expected = (num_heads, query.shape[0], key.shape[0])
        if tuple(attn_mask.shape) != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")
    return rank == 3


def _check_masks(attn_mask: Tensor | None, padding: Tensor | None, sizes: tuple[int, int, int, int]) -> None:
    batch, heads, queries, keys = sizes
    if attn_mask is not None:
        expected = (queries, keys) if attn_mask.ndim == 2 else (batch * heads, queries, keys)
        if tuple(attn_mask.shape) != expected:
            raise RuntimeError(f"The shape of the {attn_mask.ndim}D attn_mask is {attn_mask.shape}, but should be "
                               f"{expected}.")  # fmt: skip
    if padding is not None:
        for axis, size in enumerate((batch, keys)):
            if padding.shape[axis] != size:
                raise AssertionError(f"Expected key_padded_mask.shape[{axis}] to be {size}, but got "
                                     f"{padding.shape[axis]}")  # fmt: skip
