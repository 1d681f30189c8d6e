"""The gamma distribution."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.exp_family import ExponentialFamily
from lazygrad.distributions.utils import broadcast_all
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.from_data import as_tensor
from lazygrad.ops.pointwise.gamma_functions import igamma
from lazygrad.ops.random.gamma import standard_gamma
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """The gamma distribution, of density ∝ x^(concentration − 1) e^(−rate x).

    Args:
        concentration: the shape, positive.
        rate: the inverse scale, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: a parameter that is not positive.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        return limited(value, finfo(value.dtype).tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(as_tensor(value, dtype=self.rate.dtype, device=self.rate.device))
        return (
            self.concentration.xlogy(self.rate)
            + (self.concentration - 1).xlogy(value)
            - self.rate * value
            - self.concentration.lgamma()
        )

    def cdf(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        return igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        return (
            self.concentration
            - self.rate.log()
            + self.concentration.lgamma()
            + (1.0 - self.concentration) * self.concentration.digamma()
        )

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        return (x + 1).lgamma() + (x + 1) * (-y.reciprocal()).log()


def limited(value: Tensor, least: float) -> Tensor:
    """``value``, not below ``least``, with the gradients of ``value``."""
    return record(straight_through, (value.clamp(min=least).node(), value.node()))
