"""Divergences between distributions of different kinds: p is a Gumbel, Laplace, normal or Pareto one."""

from __future__ import annotations

import math
from math import inf, pi

from lazygrad.distributions.exponential import Exponential
from lazygrad.distributions.gamma import Gamma
from lazygrad.distributions.gumbel import Gumbel
from lazygrad.distributions.kl.registry import register_kl
from lazygrad.distributions.laplace import Laplace
from lazygrad.distributions.normal import Normal
from lazygrad.distributions.pareto import Pareto
from lazygrad.distributions.utils import euler_constant
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor


@register_kl(Gumbel, Normal)
def _gumbel_and_normal(p: Gumbel, q: Normal) -> Tensor:
    ratio = p.scale / q.scale
    expected = (pi * ratio * 0.5).pow(2) / 3 + ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -(ratio / math.sqrt(2 * pi)).log() + expected - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_and_normal(p: Laplace, q: Normal) -> Tensor:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    expected = (0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)) / variance
    return -0.5 * (2 * ratio / pi).log() + ratio + expected - 1


@register_kl(Normal, Gumbel)
def _normal_and_gumbel(p: Normal, q: Gumbel) -> Tensor:
    p_loc, q_loc, ratio = p.loc / q.scale, q.loc / q.scale, (p.scale / q.scale).pow(2)
    expected = (-p_loc + 0.5 * ratio + q_loc).exp()
    return -ratio.log() * 0.5 + p_loc - q_loc + expected - 0.5 * (1 + math.log(2 * pi))


@register_kl(Normal, Laplace)
def _normal_and_laplace(p: Normal, q: Laplace) -> Tensor:
    distance = p.loc - q.loc
    steps = distance / p.scale
    tails = math.sqrt(2 / pi) * p.scale * (-0.5 * steps.pow(2)).exp() + distance * (math.sqrt(0.5) * steps).erf()
    return -(p.scale / q.scale).log() + tails / q.scale - 0.5 * (1 + math.log(0.5 * pi))


@register_kl(Pareto, Exponential)
def _pareto_and_exponential(p: Pareto, q: Exponential) -> Tensor:
    product = p.scale * q.rate
    result = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return where(p.alpha <= 1, inf, result)


@register_kl(Pareto, Gamma)
def _pareto_and_gamma(p: Pareto, q: Gamma) -> Tensor:
    expected_log = p.scale.log() + p.alpha.reciprocal()
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    expected = (1 - q.concentration) * expected_log + q.rate * p.alpha * p.scale / (p.alpha - 1)
    return where(p.alpha <= 1, inf, p.alpha.log() - expected_log + normalizer + expected - 1)


@register_kl(Pareto, Normal)
def _pareto_and_normal(p: Pareto, q: Normal) -> Tensor:
    part = p.scale / (p.alpha - 1)
    squares = p.alpha * part.pow(2) / (p.alpha - 2) + (p.alpha * part - q.loc).pow(2)
    normalizer = (math.sqrt(2 * pi) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal()
    return where(p.alpha <= 2, inf, normalizer + squares / (2 * q.scale.pow(2)) - 1)
