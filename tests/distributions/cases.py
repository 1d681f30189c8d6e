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
        rough: factor on the tolerance of gradients that PyTorch approximates.
    """

    make: Make
    at: Any = None
    closeness: float = 0.0
    slack: float = 2.0
    rough: float = 2.0


def _scalars(*values: Any) -> Any:
    return values


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
}
