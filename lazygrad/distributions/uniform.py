"""The uniform distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from lazygrad.distributions import constraints
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.utils import broadcast_all
from lazygrad.ops.random.tensors import rand
from lazygrad.tensor import Tensor

__all__ = ["Uniform"]


class Uniform(Distribution):
    """The uniform distribution on [low, high).

    Args:
        low: where the interval begins.
        high: where it ends, above ``low``.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``low`` is not below ``high``.
    """

    has_rsample = True

    def __init__(self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return nan * self.high

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.low + rand(shape, dtype=self.low.dtype, device=self.low.device) * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        above, below = (self.low <= value).type_as(self.low), (self.high > value).type_as(self.low)
        return (above * below).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()
