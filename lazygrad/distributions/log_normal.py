"""The log-normal distribution."""

from __future__ import annotations

from lazygrad.distributions import constraints
from lazygrad.distributions.normal import Normal
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import ExpTransform
from lazygrad.distributions.utils import parameter_of
from lazygrad.tensor import Tensor

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """The distribution of exp X, where X is `Normal` (loc, scale).

    Args:
        loc: the mean of X.
        scale: its standard deviation, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``loc`` is NaN, or ``scale`` not positive.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True
    loc = parameter_of("base_dist", "loc")
    scale = parameter_of("base_dist", "scale")

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc
