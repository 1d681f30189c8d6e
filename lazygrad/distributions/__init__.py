"""Probability distributions, with PyTorch's names."""

from lazygrad.distributions import constraints
from lazygrad.distributions.bernoulli import Bernoulli
from lazygrad.distributions.categorical import Categorical
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.exp_family import ExponentialFamily
from lazygrad.distributions.independent import Independent
from lazygrad.distributions.kl import kl_divergence, register_kl
from lazygrad.distributions.multivariate_normal import MultivariateNormal
from lazygrad.distributions.normal import Normal
from lazygrad.distributions.uniform import Uniform

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "ExponentialFamily",
    "Independent",
    "MultivariateNormal",
    "Normal",
    "Uniform",
    "constraints",
    "kl_divergence",
    "register_kl",
]
