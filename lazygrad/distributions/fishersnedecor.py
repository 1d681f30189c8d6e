"""The F distribution of Fisher and Snedecor."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from lazygrad.distributions import constraints
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.gamma import Gamma
from lazygrad.distributions.utils import broadcast_all
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The distribution of the ratio of two independent χ²/df numbers.

    Args:
        df1: degrees of freedom of the numerator, positive.
        df2: degrees of freedom of the denominator, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: a parameter that is not positive.
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Tensor | float, df2: Tensor | float, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        df2 = where(self.df2 <= 2, nan, self.df2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return where(self.df1 <= 2, nan, mode)

    @property
    def variance(self) -> Tensor:
        df2 = where(self.df2 <= 4, nan, self.df2)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        numerator, denominator = self._gamma1.rsample(sample_shape), self._gamma2.rsample(sample_shape)
        tiny = finfo(denominator.dtype).tiny
        return (numerator / denominator.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        constant = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        power = half1 * ratio.log() + (half1 - 1) * value.log()
        return constant + power - (half1 + half2) * (ratio * value).log1p()
