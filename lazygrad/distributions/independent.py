"""Batch dimensions that become part of the event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from lazygrad.distributions import constraints
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.utils import _sum_rightmost
from lazygrad.tensor import Tensor

__all__ = ["Independent"]

D = TypeVar("D", bound=Distribution)


class Independent(Distribution, Generic[D]):
    """A distribution whose last batch dimensions are dimensions of its events: `log_prob` sums over them.

    Args:
        base_distribution: the distribution of the parts.
        reinterpreted_batch_ndims: how many batch dimensions become event dimensions.
        validate_args: whether to check samples.

    Raises:
        ValueError: the distribution has fewer batch dimensions.
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    base_dist: D

    def __init__(self, base_distribution: D, reinterpreted_batch_ndims: int, validate_args: bool | None = None) -> None:
        batch_dims = len(base_distribution.batch_shape)
        if reinterpreted_batch_ndims > batch_dims:
            raise ValueError(f"Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                             f"{reinterpreted_batch_ndims} vs {batch_dims}")  # fmt: skip
        shape = base_distribution.batch_shape + base_distribution.event_shape
        kept = batch_dims - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:kept], shape[kept:], validate_args=validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether `rsample` is there."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """Whether `enumerate_support` is there."""
        return self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> constraints.Constraint:
        support = self.base_dist.support
        if self.reinterpreted_batch_ndims:
            return constraints.independent(support, self.reinterpreted_batch_ndims)
        return support

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def text(self, shapes_only: bool = False) -> str:
        return f"{type(self).__name__}({self.base_dist.text(shapes_only)}, {self.reinterpreted_batch_ndims})"
