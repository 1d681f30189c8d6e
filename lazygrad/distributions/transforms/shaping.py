"""Transforms of shapes: batch dimensions that become part of the event, and reshaped events."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.constraints import Constraint
from lazygrad.distributions.transforms.transform import Sign, Transform
from lazygrad.distributions.utils import _sum_rightmost, as_size
from lazygrad.size import Size
from lazygrad.tensor import Tensor


class IndependentTransform(Transform):
    """A transform of events of ``reinterpreted_batch_ndims`` more dimensions, over which its Jacobian is summed.

    Args:
        base_transform: the transform of the parts.
        reinterpreted_batch_ndims: how many dimensions more.
        cache_size: see `Transform`.
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether it has an inverse."""
        return self.base_transform.bijective

    @property
    def sign(self) -> Sign:
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        if x.dim() < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        if y.dim() < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """Events in another shape.

    Args:
        in_shape: of an argument.
        out_shape: of a value.
        cache_size: see `Transform`.

    Raises:
        ValueError: the shapes have different numbers of elements.
    """

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape = as_size(in_shape)
        self.out_shape = as_size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[: x.ndim - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(y.shape[: y.ndim - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.ndim - len(self.in_shape)])

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return _exchanged(as_size(shape), self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return _exchanged(as_size(shape), self.out_shape, self.in_shape)


def _exchanged(shape: Size, end: Size, other: Size) -> Size:
    cut = len(shape) - len(end)
    if cut < 0:
        raise ValueError("Too few dimensions on input")
    if shape[cut:] != end:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {end}")
    return shape[:cut] + other
