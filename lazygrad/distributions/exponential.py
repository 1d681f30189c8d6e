"""The exponential distribution."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.exp_family import ExponentialFamily
from lazygrad.distributions.utils import broadcast_all
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.creation.like import zeros_like
from lazygrad.tensor import Tensor

__all__ = ["Exponential"]


class Exponential(ExponentialFamily):
    """The distribution of density rate · e^(−rate x).

    Args:
        rate: positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``rate`` is not positive.
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.rate)

    @property
    def stddev(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return empty(shape, dtype=self.rate.dtype, device=self.rate.device).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - self.rate.log()

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (-self.rate,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        return -(-natural_params[0]).log()
