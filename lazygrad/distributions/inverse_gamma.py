"""The inverse gamma distribution."""

from __future__ import annotations

from math import inf

from lazygrad.distributions import constraints
from lazygrad.distributions.gamma import Gamma
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import PowerTransform
from lazygrad.distributions.utils import parameter_of
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """The distribution of 1 / X, where X is `Gamma` (concentration, rate).

    Args:
        concentration: that of X, positive.
        rate: that of X, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: a parameter that is not positive.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    concentration = parameter_of("base_dist", "concentration")
    rate = parameter_of("base_dist", "rate")

    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        transform = PowerTransform(-base.rate.new_ones(()))
        super().__init__(base, transform, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return where(self.concentration > 1, self.rate / (self.concentration - 1), inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        finite = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return where(self.concentration > 2, finite, inf)

    def entropy(self) -> Tensor:
        return (
            self.concentration
            + self.rate.log()
            + self.concentration.lgamma()
            - (1 + self.concentration) * self.concentration.digamma()
        )
