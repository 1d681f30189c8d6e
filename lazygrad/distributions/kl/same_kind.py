"""Divergences between two distributions of one kind."""

from __future__ import annotations

from math import inf
from typing import Any

from lazygrad.distributions.bernoulli import Bernoulli
from lazygrad.distributions.categorical import Categorical
from lazygrad.distributions.independent import Independent
from lazygrad.distributions.kl.registry import kl_divergence, register_kl
from lazygrad.distributions.normal import Normal
from lazygrad.distributions.uniform import Uniform
from lazygrad.distributions.utils import _sum_rightmost
from lazygrad.ops.layers.smooth_activations import softplus
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    ones = where(p.probs == 0, 0.0, where(q.probs == 0, inf, ones))
    zeros = where(p.probs == 1, 0.0, where(q.probs == 1, inf, zeros))
    return ones + zeros


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    return where(p.probs == 0, 0.0, where(q.probs == 0, inf, terms)).sum(-1)


@register_kl(Independent, Independent)
def _independent(p: Independent[Any], q: Independent[Any]) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("KL(p || q) of Independents with different reinterpreted_batch_ndims")
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return where((q.low > p.low) | (q.high < p.high), inf, result)
