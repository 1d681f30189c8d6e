"""Attention whose scores a function of the user changes, and whose mask is a function.

Dong et al., Flex Attention: A Programming Model for Generating Optimized Attention Kernels, arXiv 2412.05496.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lazygrad.ir.dtype import float32, float64
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn.attention.block_mask import (
    _DEFAULT_SPARSE_BLOCK_SIZE as _DEFAULT_SPARSE_BLOCK_SIZE,
)
from lazygrad.nn.attention.block_mask import (
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    index_tensors,
    mask_of_a_part,
    noop_mask,
    or_masks,
)
from lazygrad.ops.layers.softmax import softmax
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.reductions.sums import logsumexp
from lazygrad.tensor import Tensor

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]

ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
"""(score, batch, head, query, key) → the score that counts."""

# PyTorch's names for types, which models import.
_score_mod_signature = ScoreMod
_mask_mod_signature = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


class AuxRequest(NamedTuple):
    """What `flex_attention` gives beside its output."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What was asked for: logarithms of sums of exponentials, and largest scores, of shape [B, heads, L]."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: ScoreMod | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: Mapping[str, Any] | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Tensor | tuple[Tensor, Tensor] | tuple[Tensor, AuxOutput]:
    """softmax(score_mod(query · keyᵀ · scale)) · value, where the mask shows keys; a query that sees none gets zeros.

    ``score_mod`` is recorded like the rest, so it is differentiated, fused and compiled with it. It is called once,
    with all scores, of shape [B, heads, L, S], and indices that broadcast to it. The mask is read for each score.

    Args:
        query: [B, heads, L, E].
        key: [B, key heads, S, E].
        value: [B, key heads, S, Ev].
        score_mod: changes a score by where it stands.
        block_mask: its ``mask_mod`` says which keys a query sees.
        scale: 1 / √E if None.
        enable_gqa: whether there may be fewer heads of keys than of queries; each serves as many queries.
        return_lse: give the logarithms of the sums too.
        kernel_options: accepted; they steer PyTorch's kernels.
        return_aux: what to give beside the output.

    Returns:
        [B, heads, L, Ev] of the query's dtype, alone or with what was asked for.

    Raises:
        NotImplementedError: a tensor has not four dimensions.
        ValueError: heads, batch sizes or lengths do not fit, or both ways to ask for more are used.
        RuntimeError: ``block_mask`` is a part of another one.
    """
    _check(query, key, value, block_mask, enable_gqa)
    if return_lse:
        if return_aux is not None:
            raise ValueError(
                "Cannot specify both return_lse and return_aux. "
                "return_lse is deprecated, please use return_aux=AuxRequest(lse=True) instead."
            )
        warn_user("return_lse is deprecated. Please use return_aux=AuxRequest(lse=True) instead.", FutureWarning)
    if enable_gqa:
        key, value = (tensor.repeat_interleave(query.shape[1] // tensor.shape[1], 1) for tensor in (key, value))
    scores = _scores(query, key, score_mod, block_mask, 1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    largest = scores.amax(-1, keepdim=True)
    sees_none = largest == -math.inf
    weights = softmax(where(sees_none, 0.0, scores), -1)
    output = where(sees_none, 0.0, weights).to(query.dtype) @ value
    if return_aux is not None:
        return output, AuxOutput(
            logsumexp(scores, -1) if return_aux.lse else None, largest.squeeze(-1) if return_aux.max_scores else None
        )
    return (output, logsumexp(scores, -1)) if return_lse else output


def _scores(
    query: Tensor, key: Tensor, score_mod: ScoreMod | None, block_mask: BlockMask | None, scale: float
) -> Tensor:
    """In float32 at least; negative infinity where a key is hidden."""
    precision = float64 if query.dtype == float64 else float32
    scores = (query @ key.transpose(-2, -1)).to(precision) * scale
    if score_mod is None and block_mask is None:
        return scores
    indices = index_tensors(scores.shape, scores.device)
    if score_mod is not None:
        scores = score_mod(scores, *indices)
    return scores if block_mask is None else where(block_mask.mask_mod(*indices), scores, -math.inf)


def _check(query: Tensor, key: Tensor, value: Tensor, block_mask: BlockMask | None, enable_gqa: bool) -> None:
    if not query.ndim == key.ndim == value.ndim == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    heads, key_heads = query.shape[1], key.shape[1]
    if not enable_gqa and heads != key_heads:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={heads} and Hkv={key_heads}. "
            "Try setting enable_gqa=True for GQA."
        )
    if heads % key_heads != 0:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and Hkv={key_heads}."
        )
    if block_mask is None:
        if query.shape[0] != key.shape[0]:
            raise ValueError(
                "Expect query and key/value to have the same batch size, or non-none block_mask, "
                f"but got block_mask=None, Bq={query.shape[0]}, and Bkv={key.shape[0]}."
            )
        return
    if block_mask.mask_mod is mask_of_a_part:
        raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")
    if block_mask.seq_lengths != (query.shape[2], key.shape[2]):
        raise ValueError(
            f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={query.shape[2]} and "
            f"kv_len={key.shape[2]}: create a new block mask for these lengths."
        )
