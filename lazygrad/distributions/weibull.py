"""The Weibull distribution."""

from __future__ import annotations

from lazygrad.distributions import constraints
from lazygrad.distributions.exponential import Exponential
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import AffineTransform, PowerTransform
from lazygrad.distributions.utils import broadcast_all, euler_constant, lazy_property
from lazygrad.ops.creation.like import ones_like
from lazygrad.tensor import Tensor

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """The distribution with P(X > x) = exp(−(x / scale)^concentration).

    Args:
        scale: positive.
        concentration: the exponent, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: a parameter that is not positive.
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self._check_parameters(validate_args)
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        transforms = [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    @lazy_property
    def concentration_reciprocal(self) -> Tensor:
        """1 / concentration."""
        return self.concentration.reciprocal()

    def _moment(self, n: int) -> Tensor:
        """E (X / scale)ⁿ."""
        return (1 + n * self.concentration_reciprocal).lgamma().exp()

    @property
    def mean(self) -> Tensor:
        return self.scale * self._moment(1)

    @property
    def mode(self) -> Tensor:
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> Tensor:
        squared_mean = (2 * (1 + self.concentration_reciprocal).lgamma()).exp()
        return self.scale.pow(2) * (self._moment(2) - squared_mean)

    def entropy(self) -> Tensor:
        return (
            euler_constant * (1 - self.concentration_reciprocal)
            + (self.scale * self.concentration_reciprocal).log()
            + 1
        )
