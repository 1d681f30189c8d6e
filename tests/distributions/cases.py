"""Distributions to compare with PyTorch's, each with parameters of several shapes.

A case makes its distribution from ``t``, either framework, and ``p``, which makes parameters: tensors that require
gradients, in the order in which the gradients are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Make = Callable[[Any, Callable[..., Any]], Any]


@dataclass(frozen=True)
class Case:
    """A distribution and where to ask about it.

    Attributes:
        make: the distribution.
        at: values inside the support, as nested lists that broadcast with the batch; None takes samples.
        closeness: factor on the tolerance of samples, 0 for PyTorch's bits.
        slack: factor on the tolerance of densities, moments and gradients.
        rough: factor on the tolerance of samples' gradients, which PyTorch approximates for gamma and beta numbers.
        drawn_by: the method whose gradients are compared.
    """

    make: Make
    at: Any = None
    closeness: float = 0.0
    slack: float = 2.0
    rough: float = 2.0
    drawn_by: str = "rsample"


# PyTorch cannot differentiate the samples of Wishart, only what they are made of.
CASES: dict[str, Case] = {
    "Normal of numbers": Case(lambda t, p: t.distributions.Normal(0.5, 2.0)),
    "Normal": Case(lambda t, p: t.distributions.Normal(p(0.3, -1.0, 2.0), p(0.5, 1.0, 2.0))),
    "Normal of a tensor and a number": Case(lambda t, p: t.distributions.Normal(p([0.3, -1.0], [2.0, 0.1]), 3)),
    "Normal broadcast": Case(lambda t, p: t.distributions.Normal(p([0.3], [-1.0]), p(0.5, 1.0, 2.0)), closeness=1),
    "Normal float64": Case(
        lambda t, p: t.distributions.Normal(p(0.3, -1.0, dtype="float64"), p(0.5, 1.0, dtype="float64"))
    ),
    "Uniform of numbers": Case(lambda t, p: t.distributions.Uniform(-1, 3), at=2.5),
    "Uniform": Case(lambda t, p: t.distributions.Uniform(p(-1.0, 0.0), p(3.0, 0.5)), at=[0.2, 0.25]),
    "Bernoulli of a number": Case(lambda t, p: t.distributions.Bernoulli(0.3)),
    "Bernoulli": Case(lambda t, p: t.distributions.Bernoulli(p([0.2, 0.7], [0.5, 0.9]))),
    "Bernoulli of logits": Case(lambda t, p: t.distributions.Bernoulli(logits=p(-3.0, 0.2, 1.5))),
    "Categorical": Case(lambda t, p: t.distributions.Categorical(p([1.0, 2.0, 3.0], [0.2, 0.2, 0.6]))),
    "Categorical of logits": Case(lambda t, p: t.distributions.Categorical(logits=p(-1.0, 0.5, 2.0, 0.0))),
    "Categorical of a batch": Case(
        lambda t, p: t.distributions.Categorical(logits=p([[0.0, 1.0], [2.0, 0.3]], [[1.0, 1.0], [-4.0, 0.3]]))
    ),
    "Independent": Case(
        lambda t, p: t.distributions.Independent(t.distributions.Normal(p([0.3, -1.0], [2.0, 0.1]), p(0.5, 1.0)), 1),
        closeness=1,
    ),
    "Independent of nothing": Case(lambda t, p: t.distributions.Independent(t.distributions.Bernoulli(p(0.3, 0.6)), 0)),
    "MultivariateNormal of a covariance": Case(
        lambda t, p: t.distributions.MultivariateNormal(p(0.0, 1.0), p([2.0, 0.5], [0.5, 1.0])), closeness=1, slack=5
    ),
    "MultivariateNormal of a precision": Case(
        lambda t, p: t.distributions.MultivariateNormal(p(0.0, 1.0), precision_matrix=p([2.0, 0.5], [0.5, 1.0])),
        closeness=1,
        slack=5,
    ),
    "MultivariateNormal of a factor": Case(
        lambda t, p: t.distributions.MultivariateNormal(
            p([0.0, 1.0], [3.0, 0.2], [0.1, -0.5]), scale_tril=p([2.0, 0.0], [0.5, 1.0])
        ),
        closeness=1,
        slack=5,
    ),
    "Gamma": Case(lambda t, p: t.distributions.Gamma(p(0.3, 1.0, 7.5), p(2.0, 0.5, 1.0)), rough=200),
    "Gamma of numbers": Case(lambda t, p: t.distributions.Gamma(2.0, 3.0)),
    "Gamma float64": Case(
        lambda t, p: t.distributions.Gamma(p([0.05, 40.0], dtype="float64"), p([2.0], [1.0], dtype="float64")),
        slack=100,  # PyTorch's incomplete gamma function has nine digits
        rough=2e6,
    ),
    "Beta": Case(lambda t, p: t.distributions.Beta(p([0.5, 2.0], [9.0, 1.0]), p(3.0, 0.7)), rough=200),
    "Beta of numbers": Case(lambda t, p: t.distributions.Beta(2, 3.5)),
    "Dirichlet": Case(lambda t, p: t.distributions.Dirichlet(p([0.5, 2.0, 4.0], [0.3, 0.2, 0.8])), rough=200),
    "Binomial": Case(lambda t, p: t.distributions.Binomial(7, p(0.2, 0.9))),
    "Binomial of logits": Case(
        lambda t, p: t.distributions.Binomial(t.tensor([3.0, 20.0]), logits=p([0.0, 1.0], [-2.0, 0.3])), at=[2.0, 11.0]
    ),
    "Cauchy": Case(lambda t, p: t.distributions.Cauchy(p(0.3, -1.0), p(0.5, 2.0)), closeness=1),
    "Chi2": Case(lambda t, p: t.distributions.Chi2(p(0.6, 3.0, 12.0)), rough=200),
    "Chi2 of a number": Case(lambda t, p: t.distributions.Chi2(3)),
    "Exponential": Case(lambda t, p: t.distributions.Exponential(p([0.2, 3.0], [1.0, 1.5]))),
    "Geometric": Case(lambda t, p: t.distributions.Geometric(p(0.2, 0.7, 1.0)), at=[[0.0], [2.0]], closeness=1),
    "Geometric of logits": Case(lambda t, p: t.distributions.Geometric(logits=p(0.2, -1.0)), closeness=1),
    "HalfNormal": Case(lambda t, p: t.distributions.HalfNormal(p(0.5, 2.0))),
    "HalfNormal of a number": Case(lambda t, p: t.distributions.HalfNormal(2)),
    "HalfCauchy": Case(lambda t, p: t.distributions.HalfCauchy(p(0.5, 2.0)), closeness=1),
    "Laplace": Case(lambda t, p: t.distributions.Laplace(p(0.3, -1.0), p([0.5, 2.0], [1.0, 1.0])), closeness=1),
    "LogNormal": Case(lambda t, p: t.distributions.LogNormal(p(0.3, -1.0), p(0.5, 1.5)), closeness=1),
    "Multinomial": Case(lambda t, p: t.distributions.Multinomial(6, p([1.0, 2.0, 3.0], [0.1, 0.2, 0.7])), slack=10),
    "Multinomial of logits": Case(lambda t, p: t.distributions.Multinomial(4, logits=p(0.1, -2.0, 0.7)), slack=10),
    "OneHotCategorical": Case(lambda t, p: t.distributions.OneHotCategorical(p([1.0, 2.0, 3.0], [0.1, 0.2, 0.7]))),
    "OneHotCategorical of logits": Case(lambda t, p: t.distributions.OneHotCategorical(logits=p(1.0, 2.0, 3.0))),
    "OneHotCategoricalStraightThrough": Case(
        lambda t, p: t.distributions.OneHotCategoricalStraightThrough(p(0.2, 0.3, 0.5)), closeness=1
    ),
    "Poisson": Case(lambda t, p: t.distributions.Poisson(p(0.2, 3.0, 40.0))),
    "StudentT": Case(
        lambda t, p: t.distributions.StudentT(p(0.5, 1.5, 5.0), p(0.0, 1.0, 2.0), p(1.0, 2.0, 0.5)),
        closeness=1,
        rough=200,
    ),
    "StudentT of a number": Case(lambda t, p: t.distributions.StudentT(4.0), closeness=1),
    "TransformedDistribution": Case(
        lambda t, p: t.distributions.TransformedDistribution(
            t.distributions.Normal(p(0.3, -1.0), p(0.5, 1.5)),
            [t.distributions.AffineTransform(p(0.1), p(-2.0)), t.distributions.SigmoidTransform()],
        ),
        closeness=1,
        slack=10,
        rough=10,
    ),
    "TransformedDistribution that expands": Case(
        lambda t, p: t.distributions.TransformedDistribution(
            t.distributions.Normal(p(0.3), 1.0), t.distributions.AffineTransform(p([1.0, 2.0], [3.0, 4.0]), 3.0)
        ),
        closeness=1,
    ),
    "TransformedDistribution of vectors": Case(
        lambda t, p: t.distributions.TransformedDistribution(
            t.distributions.Normal(p([0.3, 1.0, 0.2], [0.0, 0.0, -0.3]), 1.0),
            t.distributions.CorrCholeskyTransform(),
        ),
        closeness=2,
        slack=10,
    ),
    "ContinuousBernoulli": Case(
        lambda t, p: t.distributions.ContinuousBernoulli(p(0.2, 0.5, 0.9)), closeness=2, slack=20, rough=50
    ),
    "ContinuousBernoulli of logits": Case(
        lambda t, p: t.distributions.ContinuousBernoulli(logits=p(0.2, -2.5)), closeness=2, slack=20, rough=50
    ),
    "FisherSnedecor": Case(
        lambda t, p: t.distributions.FisherSnedecor(p(1.0, 3.0, 12.0), p(2.0, 5.0, 10.0)), closeness=1, rough=300
    ),
    "GeneralizedPareto": Case(
        lambda t, p: t.distributions.GeneralizedPareto(p(0.0, 1.0, 0.5), p(1.0, 2.0, 0.7), p(0.3, 0.0, -0.4)),
        closeness=2,
        slack=5,
        rough=5,
    ),
    "Gumbel": Case(lambda t, p: t.distributions.Gumbel(p(0.3, -1.0), p(0.5, 2.0)), closeness=2, rough=5),
    "Gumbel of numbers": Case(lambda t, p: t.distributions.Gumbel(0.3, 2), closeness=2),
    "InverseGamma": Case(
        lambda t, p: t.distributions.InverseGamma(p(0.7, 2.5, 4.0), p(1.0, 2.0, 0.5)), closeness=1, rough=300
    ),
    "Kumaraswamy": Case(
        lambda t, p: t.distributions.Kumaraswamy(p(0.7, 2.5, 4.0), p(1.5, 2.0, 0.5)), closeness=2, slack=20, rough=20
    ),
    "LKJCholesky": Case(lambda t, p: t.distributions.LKJCholesky(3, p(0.7, 2.0)), closeness=2, slack=5),
    "LKJCholesky of a number": Case(lambda t, p: t.distributions.LKJCholesky(2, 1.0), closeness=2),
    "LogisticNormal": Case(
        lambda t, p: t.distributions.LogisticNormal(p(0.3, -1.0), p(0.5, 1.5)), closeness=2, slack=5
    ),
    "LowRankMultivariateNormal": Case(
        lambda t, p: t.distributions.LowRankMultivariateNormal(
            p([0.3, -1.0, 0.2], [0.0, 0.5, 1.0]), p([0.5, 1.0], [1.0, 0.0], [0.2, 0.3]), p(0.5, 1.0, 2.0)
        ),
        closeness=1,
        slack=10,
    ),
    "MixtureSameFamily": Case(
        lambda t, p: t.distributions.MixtureSameFamily(
            t.distributions.Categorical(p(0.3, 0.7)), t.distributions.Normal(p(0.5, -1.0), p(1.0, 2.0))
        )
    ),
    "MixtureSameFamily of vectors": Case(
        lambda t, p: t.distributions.MixtureSameFamily(
            t.distributions.Categorical(logits=p([0.3, 0.7], [0.0, 0.0], [1.0, -1.0])),
            t.distributions.Independent(
                t.distributions.Normal(p([[0.5, -1.0], [0.1, 0.2]]).expand(3, 2, 2), p(1.0, 2.0)), 1
            ),
        ),
        closeness=1,
    ),
    "NegativeBinomial": Case(lambda t, p: t.distributions.NegativeBinomial(p(3.0, 0.5), p(0.2, 0.7))),
    "NegativeBinomial of logits": Case(lambda t, p: t.distributions.NegativeBinomial(4, logits=p(0.2, -0.7))),
    "Pareto": Case(lambda t, p: t.distributions.Pareto(p(1.0, 0.5, 2.0), p(0.7, 1.5, 3.0)), closeness=2, slack=5),
    "RelaxedBernoulli": Case(
        lambda t, p: t.distributions.RelaxedBernoulli(t.tensor(0.7), p(0.2, 0.6)), closeness=2, slack=5
    ),
    "RelaxedBernoulli of logits": Case(
        lambda t, p: t.distributions.RelaxedBernoulli(t.tensor([0.7]), logits=p(0.2, -0.6)), closeness=2, slack=5
    ),
    "RelaxedOneHotCategorical": Case(
        lambda t, p: t.distributions.RelaxedOneHotCategorical(t.tensor(0.7), p([0.2, 0.6, 0.2], [1.0, 2.0, 3.0])),
        closeness=2,
        slack=10,
        rough=10,
    ),
    "VonMises": Case(lambda t, p: t.distributions.VonMises(p(0.3, -2.0, 1.0), p(0.5, 10.0, 3.0)), closeness=1, slack=5),
    "Weibull": Case(lambda t, p: t.distributions.Weibull(p(1.0, 0.5), p(0.7, 3.0)), closeness=2, slack=5, rough=5),
    "Wishart of a covariance": Case(
        lambda t, p: t.distributions.Wishart(p(4.0, 7.5), p([2.0, 0.5], [0.5, 1.0])),
        closeness=2,
        slack=10,
        rough=300,
        drawn_by="_bartlett_sampling",
    ),
    "Wishart of a factor": Case(
        lambda t, p: t.distributions.Wishart(5.0, scale_tril=p([2.0, 0.0], [0.5, 1.0])),
        closeness=2,
        slack=10,
        rough=300,
        drawn_by="_bartlett_sampling",
    ),
    "Wishart of a precision": Case(
        lambda t, p: t.distributions.Wishart(
            p(5.0, 6.0), precision_matrix=p([[2.0, 0.0], [0.0, 1.0]], [[1.0, 0.3], [0.3, 2.0]])
        ),
        closeness=2,
        slack=10,
        rough=300,
        drawn_by="_bartlett_sampling",
    ),
}
