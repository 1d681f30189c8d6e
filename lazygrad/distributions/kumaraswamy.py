"""Kumaraswamy's distribution."""

from __future__ import annotations

from math import nan

from lazygrad.distributions import constraints
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import AffineTransform, PowerTransform
from lazygrad.distributions.uniform import Uniform
from lazygrad.distributions.utils import broadcast_all, euler_constant
from lazygrad.ops.creation.like import full_like
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """The distribution on [0, 1] with P(X ≤ x) = 1 − (1 − x^a)^b.

    Args:
        concentration1: a, positive.
        concentration0: b, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: a parameter that is not positive.
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, concentration1: Tensor | float, concentration0: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        self._check_parameters(validate_args)
        zeros, ones = full_like(self.concentration0, 0), full_like(self.concentration0, 1)
        base = Uniform(zeros, ones, validate_args=validate_args)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def _moment(self, n: int) -> Tensor:
        """E Xⁿ = b · B(1 + n/a, b)."""
        argument = 1 + n / self.concentration1
        log_beta = argument.lgamma() + self.concentration0.lgamma() - (argument + self.concentration0).lgamma()
        return self.concentration0 * log_beta.exp()

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        log_mode = (
            self.concentration0.reciprocal() * (-self.concentration0).log1p()
            - (-self.concentration0 * self.concentration1).log1p()
        )
        return where((self.concentration0 < 1) | (self.concentration1 < 1), nan, log_mode).exp()

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        harmonic = (self.concentration0 + 1).digamma() + euler_constant
        return (
            (1 - self.concentration0.reciprocal())
            + (1 - self.concentration1.reciprocal()) * harmonic
            - self.concentration1.log()
            - self.concentration0.log()
        )
