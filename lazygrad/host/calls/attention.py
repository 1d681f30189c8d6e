"""Attention and its gradients, some items of the batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, prod
from typing import Any

import numpy as np

from lazygrad.host.calls.matmul import matmul

_BLOCK = 1 << 17  # scores that are computed at a time, where items are smaller: they stay in a cache


def attend(
    out: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    scale: Any,
    mask: np.ndarray | None = None,
    fill: Any = -inf,
    *,
    is_causal: bool,
    masking: str,
    nothing_is_zero: bool,
) -> None:
    """``out = softmax(query · keyᵀ · scale, masked) · value`` over the last two axes; leading axes broadcast."""
    how = (scale, fill, is_causal, masking, nothing_is_zero)
    for part in _parts(out.shape[:-2], query.shape[-2] * key.shape[-2]):
        own = [_of_part(x, part, len(out.shape) - 2) for x in (query, key, value, mask)]
        probabilities = _probabilities(own[0], own[1], own[3], out.dtype, *how)
        matmul(out[part], probabilities, own[2])


def attend_gradients(
    out: np.ndarray,
    cotangent: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    scale: Any,
    mask: np.ndarray | None = None,
    fill: Any = -inf,
    *,
    is_causal: bool,
    masking: str,
    nothing_is_zero: bool,
) -> None:
    """The gradients of `attend` in query, key and value: one after another in each item of ``out``."""
    how = (scale, fill, is_causal, masking, nothing_is_zero)
    lead = out.ndim - 1
    for part in _parts(out.shape[:-1], query.shape[-2] * key.shape[-2]):
        own = [_of_part(x, part, lead) for x in (query, key, value, mask)]
        probabilities = _probabilities(own[0], own[1], own[3], out.dtype, *how)
        g = _of_part(cotangent, part, lead)
        into_value = _product(probabilities.swapaxes(-1, -2), g)
        scores = _product(g, own[2].swapaxes(-1, -2))
        scores -= (scores * probabilities).sum(-1, keepdims=True)
        scores *= probabilities
        if own[3] is not None and masking != "added":
            np.copyto(scores, 0, where=(own[3] != 0) == (masking == "hidden"))
        scores *= scale
        into_query, into_key = _product(scores, own[1]), _product(scores.swapaxes(-1, -2), own[0])
        rows = out[part]
        end = 0
        for gradient in (into_query, into_key, into_value):
            begin, end = end, end + prod(gradient.shape[-2:])
            np.copyto(rows[..., begin:end], gradient.reshape(*gradient.shape[:-2], end - begin))


def _parts(lead: tuple[int, ...], scores: int) -> Iterator[tuple[slice, ...]]:
    """Slices of the leading axes that together are all of them, of few scores each or of one item."""
    if not lead or prod(lead) * scores <= _BLOCK:
        yield ()
        return
    inner = prod(lead[1:]) * scores
    step = max(_BLOCK // max(inner, 1), 1)
    for begin in range(0, lead[0], step):
        first = slice(begin, min(begin + step, lead[0]))
        for rest in _parts(lead[1:], scores) if inner > _BLOCK else [()]:
            yield (first, *rest)


def _of_part(x: np.ndarray | None, part: tuple[slice, ...], lead: int) -> Any:
    """What a part of ``lead`` leading axes reads of an operand, whose axes of size 1 are read by every part."""
    if x is None:
        return None
    own = [slice(None)] * x.ndim
    for axis, wanted in enumerate(part):
        at = axis - (lead + 2 - x.ndim)
        if at >= 0 and x.shape[at] != 1:
            own[at] = wanted
    return x[tuple(own)]


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.empty((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]), a.dtype)
    matmul(out, a, b)
    return out


def _probabilities(
    query: np.ndarray,
    key: np.ndarray,
    mask: np.ndarray | None,
    dtype: np.dtype,
    scale: Any,
    fill: Any,
    is_causal: bool,
    masking: str,
    nothing_is_zero: bool,
) -> np.ndarray:
    scores = _product(query, key.swapaxes(-1, -2))
    scores *= dtype.type(scale)
    if mask is not None:
        scores = _masked(scores, mask, dtype.type(fill), masking)
    if is_causal:
        np.copyto(scores, -inf, where=np.tri(*scores.shape[-2:]) == 0)
    if not scores.shape[-1]:
        return scores
    largest = scores.max(-1, keepdims=True)
    nothing = largest == -inf if nothing_is_zero else None
    if nothing is not None:
        np.copyto(scores, 0, where=nothing)
        np.copyto(largest, 0, where=nothing)
    scores -= largest
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    if nothing is not None:
        np.copyto(scores, 0, where=nothing)
    return scores


def _masked(scores: np.ndarray, mask: np.ndarray, fill: Any, masking: str) -> np.ndarray:
    if masking == "added":
        return scores + mask  # a mask may have leading axes that query and key lack
    is_set = mask != 0
    return np.where(is_set, scores, fill) if masking == "shown" else np.where(is_set, fill, scores)
