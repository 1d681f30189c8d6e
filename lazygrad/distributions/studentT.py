"""Student's t distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.chi2 import Chi2
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.utils import _standard_normal, broadcast_all
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor

__all__ = ["StudentT"]


class StudentT(Distribution):
    """The distribution of a standard normal number over the root of an independent χ²/df number, moved and scaled.

    Args:
        df: degrees of freedom, positive.
        loc: the centre.
        scale: the factor, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``df`` or ``scale`` is not positive, or ``loc`` is NaN.
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return where(self.df <= 1, math.nan, self.loc)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        is_finite = self.df > 2
        finite = self.scale.pow(2) * self.df / (where(is_finite, self.df, 3.0) - 2)
        return where(is_finite, finite, where(self.df > 1, math.inf, where(self.df <= 1, math.nan, self.df)))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        normal = _standard_normal(shape, self.df.dtype, self.df.device)
        return self.loc + self.scale * (normal * (self._chi2.rsample(sample_shape) / self.df).rsqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        y = (value - self.loc) / self.scale
        normalizer = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + (0.5 * self.df).lgamma()
            - (0.5 * (self.df + 1.0)).lgamma()
        )
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - normalizer

    def entropy(self) -> Tensor:
        half, next_half = 0.5 * self.df, 0.5 * (self.df + 1)
        return (
            self.scale.log()
            + next_half * (next_half.digamma() - half.digamma())
            + 0.5 * self.df.log()
            + half.lgamma()
            + math.lgamma(0.5)
            - next_half.lgamma()
        )
