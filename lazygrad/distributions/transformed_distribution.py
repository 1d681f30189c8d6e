"""Distributions of transformed samples of others."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

from lazygrad.distributions import constraints
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.independent import Independent
from lazygrad.distributions.transforms import ComposeTransform, Transform
from lazygrad.distributions.transforms.transform import Sign
from lazygrad.distributions.utils import _sum_rightmost
from lazygrad.grad_mode import no_grad
from lazygrad.tensor import Tensor

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of transformed samples.

    Args:
        base_distribution: the samples' own distribution.
        transforms: one, or several to be applied one after another.
        validate_args: whether to check samples.

    Attributes:
        base_dist: the own distribution, expanded and with as many event dimensions as the transforms take.
        transforms: a list.

    Raises:
        ValueError: no transforms, or samples with too few dimensions.
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    base_dist: Any
    transforms: list[Transform]

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | Sequence[Transform],
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(transform, Transform) for transform in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        transform = ComposeTransform(self.transforms)
        domain, codomain = transform.domain.event_dim, transform.codomain.event_dim
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_event_dim = len(base_distribution.event_shape)
        if len(base_shape) < domain:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {domain}, but got {base_shape}."
            )
        # A transform with parameters of a larger shape expands what it is applied to.
        forward_shape = transform.forward_shape(base_shape)
        expanded_shape = transform.inverse_shape(forward_shape)
        if base_shape != expanded_shape:
            base_distribution = base_distribution.expand(expanded_shape[: len(expanded_shape) - base_event_dim])
        if domain > base_event_dim:
            base_distribution = Independent(base_distribution, domain - base_event_dim)
        self.base_dist = base_distribution
        event_dim = max(codomain, base_event_dim + codomain - domain)
        cut = len(forward_shape) - event_dim
        super().__init__(forward_shape[:cut], forward_shape[cut:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> constraints.Constraint:
        if not self.transforms:
            found: constraints.Constraint = self.base_dist.support
            return found
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether `rsample` is there."""
        return bool(self.base_dist.has_rsample)

    def _transformed(self, x: Tensor) -> Tensor:
        return reduce(lambda value, transform: transform(value), self.transforms, x)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """The base's logarithm of the density at the value transformed back, minus those of the Jacobians."""
        y = self._checked_sample(value)
        event_dim = len(self.event_shape)
        log_prob: Tensor | float = 0.0
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            jacobian = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - _sum_rightmost(jacobian, event_dim - transform.domain.event_dim)
            y = x
        base = _sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))
        return log_prob + base

    def _monotonize_cdf(self, value: Tensor) -> Tensor:
        """A probability of values up to x where the transforms grow, from x on where they fall."""
        sign: Sign = reduce(operator.mul, [transform.sign for transform in self.transforms], 1)
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            value = self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))
