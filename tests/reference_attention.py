"""Evaluators of attention: the formula, and its gradients from the softmax's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.ir.node import Node

Array = np.ndarray


def _hidden(node: Node, scores: Array, mask: Array) -> Array:
    return np.broadcast_to((mask != 0) == (node["masking"] == "hidden"), scores.shape)


def _probabilities(node: Node, q: Array, k: Array, scale: Any, mask: Array | None = None, fill: Any = None) -> Array:
    scores = np.einsum("...qe,...ke->...qk", q, k) * scale
    if mask is not None:
        scores = scores + mask if fill is None else np.where(_hidden(node, scores + mask, mask), fill, scores)
    if node["is_causal"]:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    if not scores.shape[-1]:
        return scores
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    result = exponentials / exponentials.sum(-1, keepdims=True)
    nothing = np.all(scores == -np.inf, axis=-1, keepdims=True)
    return np.where(nothing & node["nothing_is_zero"], 0, result)


def _attend(node: Node, q: Array, k: Array, v: Array, *rest: Any) -> Array:
    return np.einsum("...qk,...ke->...qe", _probabilities(node, q, k, *rest), v)


def _attend_gradients(node: Node, g: Array, q: Array, k: Array, v: Array, scale: Any, *masking: Any) -> Array:
    p = _probabilities(node, q, k, scale, *masking)
    into_p = np.einsum("...qe,...ke->...qk", g, v)
    into_scores = p * (into_p - (p * into_p).sum(-1, keepdims=True)) * scale
    if len(masking) == 2:
        into_scores = np.where(_hidden(node, into_scores, masking[0]), 0, into_scores)
    parts = (
        np.einsum("...qk,...ke->...qe", into_scores, k),
        np.einsum("...qk,...qe->...ke", into_scores, q),
        np.einsum("...qk,...qe->...ke", p, g),
    )
    return np.concatenate([part.reshape(*node.shape[:-1], -1) for part in parts], axis=-1)


EVALUATORS: dict[str, Callable[..., Any]] = {"attend": _attend, "attend_gradients": _attend_gradients}
