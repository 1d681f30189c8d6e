"""Divergences between two distributions of one kind."""

from __future__ import annotations

from math import inf
from typing import Any

from lazygrad.autograd.backward import grad
from lazygrad.distributions.bernoulli import Bernoulli
from lazygrad.distributions.beta import Beta
from lazygrad.distributions.binomial import Binomial
from lazygrad.distributions.categorical import Categorical
from lazygrad.distributions.cauchy import Cauchy
from lazygrad.distributions.continuous_bernoulli import ContinuousBernoulli
from lazygrad.distributions.dirichlet import Dirichlet
from lazygrad.distributions.exp_family import ExponentialFamily
from lazygrad.distributions.exponential import Exponential
from lazygrad.distributions.gamma import Gamma
from lazygrad.distributions.geometric import Geometric
from lazygrad.distributions.gumbel import Gumbel
from lazygrad.distributions.half_normal import HalfNormal
from lazygrad.distributions.independent import Independent
from lazygrad.distributions.kl.registry import kl_divergence, register_kl
from lazygrad.distributions.laplace import Laplace
from lazygrad.distributions.normal import Normal
from lazygrad.distributions.one_hot_categorical import OneHotCategorical
from lazygrad.distributions.pareto import Pareto
from lazygrad.distributions.poisson import Poisson
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.uniform import Uniform
from lazygrad.distributions.utils import _sum_rightmost, euler_constant
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


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    p1, p0, q1, q0 = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    normalizers = q1.lgamma() + q0.lgamma() + (p1 + p0).lgamma() - (p1.lgamma() + p0.lgamma() + (q1 + q0).lgamma())
    expected = (p1 - q1) * p1.digamma() + (p0 - q0) * p0.digamma() + (q1 + q0 - p1 - p0) * (p1 + p0).digamma()
    return normalizers + expected


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    """That of one trial, times their number; PyTorch answers it only where p has at least q's number.

    Raises:
        NotImplementedError: p has fewer trials than q.
    """
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    of_one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return where(p.total_count > q.total_count, inf, p.total_count * of_one)


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    return where(p.probs == 0, 0.0, where(q.probs == 0, inf, terms)).sum(-1)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    """Source: Chyzak and Nielsen, "A closed-form formula for the Kullback-Leibler divergence between Cauchy
    distributions", 2019."""
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    of_p = p._cont_bern_log_norm() + (-p.probs).log1p()
    of_q = q._cont_bern_log_norm() + (-q.probs).log1p()
    return p.mean * (p.logits - q.logits) + of_p - of_q


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    p_total, q_total = p.concentration.sum(-1), q.concentration.sum(-1)
    normalizers = p_total.lgamma() - q_total.lgamma() - (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    expected_logs = p.concentration.digamma() - p_total.digamma().unsqueeze(-1)
    return normalizers + ((p.concentration - q.concentration) * expected_logs).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """A(η_q) − A(η_p) − ⟨η_q − η_p, ∇A(η_p)⟩, a Bregman divergence of natural parameters.

    Raises:
        NotImplementedError: different families.
    """
    if type(p) is not type(q):
        raise NotImplementedError("The cross KL-divergence between different exponential families cannot be computed "
                                  "using Bregman divergences")  # fmt: skip
    natural = [parameter.detach().requires_grad_() for parameter in p._natural_params]
    normalizer = p._log_normalizer(*natural)
    slopes = grad(normalizer.sum(), natural, create_graph=True)
    result = q._log_normalizer(*q._natural_params) - normalizer
    for of_p, of_q, slope in zip(natural, q._natural_params, slopes, strict=True):
        result = result - _sum_rightmost((of_q - of_p) * slope, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    return (
        q.concentration * (p.rate / q.rate).log()
        + (q.concentration.lgamma() - p.concentration.lgamma())
        + (p.concentration - q.concentration) * p.concentration.digamma()
        + (q.rate - p.rate) * (p.concentration / p.rate)
    )


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio, p_loc, q_loc = p.scale / q.scale, p.loc / q.scale, q.loc / q.scale
    expected = (q_loc + (1 + ratio).lgamma() - p_loc).exp()
    return -ratio.log() - q_loc + p_loc + ratio * euler_constant + expected - (1 + euler_constant)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p: Independent[Any], q: Independent[Any]) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("KL(p || q) of Independents with different reinterpreted_batch_ndims")
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Tensor:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return where(p.scale < q.scale, inf, result)


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms:
        raise NotImplementedError("KL(p || q) of distributions with different transforms")
    if p.event_shape != q.event_shape:
        raise NotImplementedError("KL(p || q) of distributions with different event shapes")
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return where((q.low > p.low) | (q.high < p.high), inf, result)
