"""The Gumbel distribution."""

from __future__ import annotations

import math

from lazygrad.distributions import constraints
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import AffineTransform, ExpTransform
from lazygrad.distributions.uniform import Uniform
from lazygrad.distributions.utils import broadcast_all, euler_constant
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.like import full_like, ones_like
from lazygrad.tensor import Tensor

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The distribution of loc − scale · log(−log U) for uniform U: that of the largest of many numbers.

    Args:
        loc: the mode.
        scale: positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``loc`` is NaN, or ``scale`` not positive.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        self._check_parameters(validate_args)
        limits = finfo(self.loc.dtype)
        base = Uniform(
            full_like(self.loc, limits.tiny), full_like(self.loc, 1 - limits.eps), validate_args=validate_args
        )
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=self.loc, scale=-self.scale),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
