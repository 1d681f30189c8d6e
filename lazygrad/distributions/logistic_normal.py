"""The logistic-normal distribution."""

from __future__ import annotations

from lazygrad.distributions import constraints
from lazygrad.distributions.normal import Normal
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import StickBreakingTransform
from lazygrad.distributions.utils import parameter_of
from lazygrad.tensor import Tensor

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """The distribution on the simplex of n + 1 that n `Normal` (loc, scale) numbers have by breaking a stick.

    Args:
        loc: the means, shape (..., n).
        scale: the standard deviations, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``loc`` is NaN, or ``scale`` not positive.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    loc = parameter_of("base_dist", "base_dist", "loc")
    scale = parameter_of("base_dist", "base_dist", "scale")

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)
