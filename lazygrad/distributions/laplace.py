"""The Laplace distribution."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.utils import broadcast_all
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.filled import empty
from lazygrad.tensor import Tensor

__all__ = ["Laplace"]


class Laplace(Distribution):
    """The Laplace distribution, of density ∝ exp(−|x − loc| / scale).

    Args:
        loc: the mean.
        scale: the mean distance from it, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``loc`` is NaN, or ``scale`` not positive.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        u = empty(shape, dtype=self.loc.dtype, device=self.loc.device).uniform_(finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * (-distance.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()
