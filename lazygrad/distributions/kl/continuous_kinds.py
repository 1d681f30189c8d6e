"""Divergences between distributions of different kinds: p is a beta, Bernoulli, exponential, gamma or uniform one.

Each is −H(p) − E log q(x), spelled out where that saves terms.
"""

from __future__ import annotations

import math
from math import inf, pi

from lazygrad.distributions.bernoulli import Bernoulli
from lazygrad.distributions.beta import Beta
from lazygrad.distributions.continuous_bernoulli import ContinuousBernoulli
from lazygrad.distributions.exponential import Exponential
from lazygrad.distributions.gamma import Gamma
from lazygrad.distributions.gumbel import Gumbel
from lazygrad.distributions.kl.registry import register_kl
from lazygrad.distributions.normal import Normal
from lazygrad.distributions.pareto import Pareto
from lazygrad.distributions.poisson import Poisson
from lazygrad.distributions.uniform import Uniform
from lazygrad.distributions.utils import euler_constant
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor


@register_kl(Bernoulli, Poisson)
def _bernoulli_and_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _beta_and_continuous_bernoulli(p: Beta, q: ContinuousBernoulli) -> Tensor:
    return -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _beta_and_exponential(p: Beta, q: Exponential) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _beta_and_gamma(p: Beta, q: Gamma) -> Tensor:
    expected_log = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    return -p.entropy() + normalizer - (q.concentration - 1) * expected_log + q.rate * p.mean


@register_kl(Beta, Normal)
def _beta_and_normal(p: Beta, q: Normal) -> Tensor:
    mean, variance = p.mean, q.scale.pow(2)
    half_square = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    expected = (half_square - q.loc * mean + q.loc.pow(2) * 0.5) / variance
    return -p.entropy() + 0.5 * (variance * 2 * pi).log() + expected


@register_kl(Beta, Uniform)
def _beta_and_uniform(p: Beta, q: Uniform) -> Tensor:
    return where((q.low > 0) | (q.high < 1), inf, -p.entropy() + (q.high - q.low).log())


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_and_exponential(p: ContinuousBernoulli, q: Exponential) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_and_normal(p: ContinuousBernoulli, q: Normal) -> Tensor:
    normalizer = 0.5 * (math.log(2.0 * pi) + (q.loc / q.scale).square()) + q.scale.log()
    expected = (p.variance + p.mean.square() - 2.0 * q.loc * p.mean) / (2.0 * q.scale.square())
    return -p.entropy() + normalizer + expected


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_and_uniform(p: ContinuousBernoulli, q: Uniform) -> Tensor:
    # As PyTorch has it: also where the interval begins at 0 or above, or ends at 1 or below.
    return where((q.low >= 0) | (q.high <= 1), inf, -p.entropy() + (q.high - q.low).log())


@register_kl(Exponential, Gamma)
def _exponential_and_gamma(p: Exponential, q: Gamma) -> Tensor:
    ratio = q.rate / p.rate
    constant = q.concentration.lgamma() + q.concentration * euler_constant - (1 + euler_constant)
    return -q.concentration * ratio.log() + ratio + constant


@register_kl(Exponential, Gumbel)
def _exponential_and_gumbel(p: Exponential, q: Gumbel) -> Tensor:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - ratio + ratio.exp() * product / (product + 1) + product.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_and_normal(p: Exponential, q: Normal) -> Tensor:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    expected = (square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5) / variance
    return 0.5 * (square * variance * 2 * pi).log() - 1 + expected


@register_kl(Gamma, Exponential)
def _gamma_and_exponential(p: Gamma, q: Exponential) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _gamma_and_gumbel(p: Gamma, q: Gumbel) -> Tensor:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    of_p = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
    expected = ratio.exp() * (1 + product.reciprocal()).pow(-p.concentration) - ratio
    return of_p + product.log() + p.concentration / product + expected


@register_kl(Gamma, Normal)
def _gamma_and_normal(p: Gamma, q: Normal) -> Tensor:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    normalizer = 0.5 * (square * variance * 2 * pi).log() - p.concentration - p.concentration.lgamma()
    half_square = 0.5 * (p.concentration.pow(2) + p.concentration) / square
    expected = (half_square - q.loc * p.concentration / p.rate + 0.5 * q.loc.pow(2)) / variance
    return normalizer + (p.concentration - 1) * p.concentration.digamma() + expected


def _x_log_x(x: Tensor) -> Tensor:
    return x.xlogy(x)


def _expected_log(p: Uniform) -> Tensor:
    """E log x."""
    width = p.high - p.low
    return (_x_log_x(p.high) - _x_log_x(p.low) - width) / width


@register_kl(Uniform, Beta)
def _uniform_and_beta(p: Uniform, q: Beta) -> Tensor:
    width = p.high - p.low
    expected_other = (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    normalizer = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    logs = (q.concentration0 - 1) * expected_other - (q.concentration1 - 1) * _expected_log(p)
    return where((p.high > 1) | (p.low < 0), inf, logs + normalizer - width.log())


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_and_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Tensor:
    result = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()
    # As PyTorch has it: also where the interval ends at 1 or begins at 0.
    return where((p.high >= 1) | (p.low <= 0), inf, result)


@register_kl(Uniform, Exponential)
def _uniform_and_exponential(p: Uniform, q: Exponential) -> Tensor:
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return where(p.low < 0, inf, result)


@register_kl(Uniform, Gamma)
def _uniform_and_gamma(p: Uniform, q: Gamma) -> Tensor:
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    expected = (1 - q.concentration) * _expected_log(p) + q.rate * (p.high + p.low) / 2
    return where(p.low < 0, inf, -(p.high - p.low).log() + normalizer + expected)


@register_kl(Uniform, Gumbel)
def _uniform_and_gumbel(p: Uniform, q: Gumbel) -> Tensor:
    ratio = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return ratio.log() + 0.5 * (high + low) - ratio * ((-high).exp() - (-low).exp())


@register_kl(Uniform, Normal)
def _uniform_and_normal(p: Uniform, q: Normal) -> Tensor:
    width = p.high - p.low
    expected = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return (math.sqrt(pi * 2) * q.scale / width).log() + 0.5 * expected / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_and_pareto(p: Uniform, q: Pareto) -> Tensor:
    normalizer = (q.alpha * q.scale.pow(q.alpha) * (p.high - p.low)).log()
    return where(p.low < q.scale, inf, _expected_log(p) * (q.alpha + 1) - normalizer)
