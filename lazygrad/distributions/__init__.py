"""Probability distributions, with PyTorch's names."""

from lazygrad.distributions import constraints, transforms
from lazygrad.distributions.bernoulli import Bernoulli
from lazygrad.distributions.beta import Beta
from lazygrad.distributions.binomial import Binomial
from lazygrad.distributions.categorical import Categorical
from lazygrad.distributions.cauchy import Cauchy
from lazygrad.distributions.chi2 import Chi2
from lazygrad.distributions.constraint_registry import biject_to, transform_to
from lazygrad.distributions.continuous_bernoulli import ContinuousBernoulli
from lazygrad.distributions.dirichlet import Dirichlet
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.exp_family import ExponentialFamily
from lazygrad.distributions.exponential import Exponential
from lazygrad.distributions.fishersnedecor import FisherSnedecor
from lazygrad.distributions.gamma import Gamma
from lazygrad.distributions.generalized_pareto import GeneralizedPareto
from lazygrad.distributions.geometric import Geometric
from lazygrad.distributions.gumbel import Gumbel
from lazygrad.distributions.half_cauchy import HalfCauchy
from lazygrad.distributions.half_normal import HalfNormal
from lazygrad.distributions.independent import Independent
from lazygrad.distributions.inverse_gamma import InverseGamma
from lazygrad.distributions.kl import kl_divergence, register_kl
from lazygrad.distributions.kumaraswamy import Kumaraswamy
from lazygrad.distributions.laplace import Laplace
from lazygrad.distributions.lkj_cholesky import LKJCholesky
from lazygrad.distributions.log_normal import LogNormal
from lazygrad.distributions.logistic_normal import LogisticNormal
from lazygrad.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from lazygrad.distributions.mixture_same_family import MixtureSameFamily
from lazygrad.distributions.multinomial import Multinomial
from lazygrad.distributions.multivariate_normal import MultivariateNormal
from lazygrad.distributions.negative_binomial import NegativeBinomial
from lazygrad.distributions.normal import Normal
from lazygrad.distributions.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
from lazygrad.distributions.pareto import Pareto
from lazygrad.distributions.poisson import Poisson
from lazygrad.distributions.relaxed_bernoulli import RelaxedBernoulli
from lazygrad.distributions.relaxed_categorical import RelaxedOneHotCategorical
from lazygrad.distributions.studentT import StudentT
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import *
from lazygrad.distributions.uniform import Uniform
from lazygrad.distributions.von_mises import VonMises
from lazygrad.distributions.weibull import Weibull
from lazygrad.distributions.wishart import Wishart

__all__ = [
    "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "ContinuousBernoulli", "Dirichlet",
    "Distribution", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma", "GeneralizedPareto", "Geometric",
    "Gumbel", "HalfCauchy", "HalfNormal", "Independent", "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace",
    "LogNormal", "LogisticNormal", "LowRankMultivariateNormal", "MixtureSameFamily", "Multinomial",
    "MultivariateNormal", "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough",
    "Pareto", "RelaxedBernoulli", "RelaxedOneHotCategorical", "StudentT", "Poisson", "Uniform", "VonMises", "Weibull",
    "Wishart", "TransformedDistribution", "biject_to", "constraints", "kl_divergence", "register_kl", "transform_to",
    *transforms.__all__,
]  # fmt: skip
