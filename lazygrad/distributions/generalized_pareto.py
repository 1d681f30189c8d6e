"""The generalized Pareto distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan

from lazygrad.distributions import constraints
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.utils import broadcast_all
from lazygrad.ops.creation.like import ones_like, zeros_like
from lazygrad.ops.pointwise.comparison import isclose
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.random.tensors import rand
from lazygrad.tensor import Tensor

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The distribution of density (1 + ξ z)^(−1/ξ − 1) / scale, where z = (x − loc) / scale; for ξ = 0 that is e^−z.

    Args:
        loc: where it begins.
        scale: positive.
        concentration: ξ; where it is negative, the density ends at loc − scale / ξ.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``scale`` is not positive, or another parameter NaN.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(
        self,
        loc: Tensor | float,
        scale: Tensor | float,
        concentration: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        end = where(self.concentration < 0, self.loc - self.scale / self.concentration, inf)
        return constraints.interval(self.loc, end)

    def _near_zero(self) -> tuple[Tensor, Tensor]:
        """Where ξ counts as 0, and ξ with ones there, so that it can be divided by."""
        is_zero = isclose(self.concentration, zeros_like(self.concentration))
        return is_zero, where(is_zero, ones_like(self.concentration), self.concentration)

    @property
    def mean(self) -> Tensor:
        exists = self.concentration < 1
        result = self.loc + self.scale / (1 - where(exists, self.concentration, 0.5))
        return where(exists, result, nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        exists = self.concentration < 0.5
        concentration = where(exists, self.concentration, 0.25)
        return where(exists, self.scale**2 / ((1 - concentration) ** 2 * (1 - 2 * concentration)), nan)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        z = (value - self.loc) / self.scale
        is_zero, concentration = self._near_zero()
        power = 1 / concentration + ones_like(z)
        nonzero = where(power == 0, power, power * (concentration * z).log1p())
        return -self.scale.log() - where(is_zero, z, nonzero)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of samples above ``value``."""
        value = self._checked_sample(value)
        z = (value - self.loc) / self.scale
        is_zero, concentration = self._near_zero()
        return where(is_zero, -z, -(concentration * z).log1p() / concentration)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of samples up to ``value``."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        return self.log_cdf(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        is_zero, concentration = self._near_zero()
        log_rest = (-value).log1p()
        nonzero = self.loc + self.scale / concentration * (-concentration * log_rest).expm1()
        return where(is_zero, self.loc - self.scale * log_rest, nonzero)

    def entropy(self) -> Tensor:
        return (self.scale.log() + self.concentration + 1).expand(self._batch_shape)
