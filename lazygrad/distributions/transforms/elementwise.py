"""Transforms of single elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lazygrad.distributions import constraints
from lazygrad.distributions.constraints import Constraint
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.transforms.transform import Fieldless, Sign, Transform
from lazygrad.distributions.utils import NUMBERS, broadcast_all, lazy_property
from lazygrad.ir.shape import broadcast_shapes
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.like import full_like
from lazygrad.ops.layers.smooth_activations import softplus
from lazygrad.size import Size
from lazygrad.tensor import Tensor


class ExpTransform(Fieldless):
    """y = exp x."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """y = x^exponent.

    Args:
        exponent: not zero.
        cache_size: see `Transform`.
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Tensor | float, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @lazy_property
    def sign(self) -> Sign:
        """That of the exponent."""
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and _are_equal(self.exponent, other.exponent)

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return Size(broadcast_shapes("PowerTransform", tuple(shape), tuple(self.exponent.shape)))

    inverse_shape = forward_shape


def _clipped_sigmoid(x: Tensor) -> Tensor:
    limits = finfo(x.dtype)
    return x.sigmoid().clamp(min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(Fieldless):
    """y = 1 / (1 + exp −x), strictly between 0 and 1."""

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        limits = finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Fieldless):
    """y = log(1 + exp x)."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(Fieldless):
    """y = tanh x. A cache spares the inverse, which is inexact near ±1."""

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Fieldless):
    """y = |x|."""

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """y = loc + scale · x.

    Args:
        loc: a number or a tensor.
        scale: a number or a tensor, not zero.
        event_dim: how many dimensions an event has.
        cache_size: see `Transform`.
    """

    bijective = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AffineTransform)
            and _are_equal(self.loc, other.loc)
            and _are_equal(self.scale, other.scale)
        )

    @property
    def sign(self) -> Sign:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        shape, scale = x.shape, self.scale
        result = scale.abs().log() if isinstance(scale, Tensor) else full_like(x, math.log(abs(scale)))
        if self.event_dim:
            result = result.view(result.shape[: -self.event_dim] + (-1,)).sum(-1)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        others = [tuple(part.shape) for part in (self.loc, self.scale) if isinstance(part, Tensor)]
        return Size(broadcast_shapes("AffineTransform", tuple(shape), *others))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(Transform):
    """y = P(X ≤ x) of a distribution.

    Args:
        distribution: one with `cdf` and `icdf`.
        cache_size: see `Transform`.
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Constraint:  # type: ignore[override]
        """The support of the distribution."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)


def _are_equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    equal = a == b
    return equal if isinstance(a, NUMBERS) and isinstance(b, NUMBERS) else bool(equal.all())
