"""Pairs whose divergence is infinite, since q has no density where p has one."""

from __future__ import annotations

from math import inf
from typing import Any

from lazygrad.distributions.bernoulli import Bernoulli
from lazygrad.distributions.beta import Beta
from lazygrad.distributions.binomial import Binomial
from lazygrad.distributions.continuous_bernoulli import ContinuousBernoulli
from lazygrad.distributions.exponential import Exponential
from lazygrad.distributions.gamma import Gamma
from lazygrad.distributions.gumbel import Gumbel
from lazygrad.distributions.kl.registry import Divergence, register_kl
from lazygrad.distributions.laplace import Laplace
from lazygrad.distributions.normal import Normal
from lazygrad.distributions.pareto import Pareto
from lazygrad.distributions.poisson import Poisson
from lazygrad.distributions.uniform import Uniform
from lazygrad.ops.creation.like import full_like
from lazygrad.tensor import Tensor

_BOUNDED = (Beta, ContinuousBernoulli, Pareto, Uniform)
_POSITIVE = (*_BOUNDED, Exponential, Gamma)

# By p, the parameter whose shape and dtype the answer has, and what q may be.
_INFINITE: dict[type, tuple[str, tuple[type, ...]]] = {
    Beta: ("concentration1", (Pareto,)),
    ContinuousBernoulli: ("probs", (Pareto,)),
    Exponential: ("rate", _BOUNDED),
    Gamma: ("concentration", _BOUNDED),
    Gumbel: ("loc", _POSITIVE),
    Laplace: ("loc", _POSITIVE),
    Normal: ("loc", _POSITIVE),
    Pareto: ("scale", (Beta, ContinuousBernoulli, Uniform)),
    Poisson: ("rate", (Bernoulli, Binomial)),
}


def _infinite(parameter: str) -> Divergence:
    def divergence(p: Any, q: Any) -> Tensor:
        return full_like(getattr(p, parameter), inf)

    return divergence


for _p, (_parameter, _others) in _INFINITE.items():
    for _q in _others:
        register_kl(_p, _q)(_infinite(_parameter))
