"""The Pareto distribution."""

from __future__ import annotations

from lazygrad.distributions import constraints
from lazygrad.distributions.exponential import Exponential
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import AffineTransform, ExpTransform
from lazygrad.distributions.utils import broadcast_all
from lazygrad.tensor import Tensor

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """The distribution from ``scale`` on with P(X > x) = (scale / x)^alpha.

    Args:
        scale: where it begins, positive.
        alpha: the exponent, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: a parameter that is not positive.
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Tensor | float, alpha: Tensor | float, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        self._check_parameters(validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        alpha = self.alpha.clamp(min=1)
        return alpha * self.scale / (alpha - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        alpha = self.alpha.clamp(min=2)
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
