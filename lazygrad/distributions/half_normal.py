"""The half-normal distribution."""

from __future__ import annotations

import math

from lazygrad.distributions import constraints
from lazygrad.distributions.normal import Normal
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import AbsTransform
from lazygrad.distributions.utils import parameter_of
from lazygrad.ops.creation.like import zeros_like
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor

__all__ = ["HalfNormal"]


class HalfNormal(TransformedDistribution):
    """The distribution of |X|, where X is `Normal` (0, scale).

    Args:
        scale: that of X, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``scale`` is not positive.
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    scale = parameter_of("base_dist", "scale")

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
