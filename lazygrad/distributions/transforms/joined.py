"""Transforms of tensors whose parts along a dimension have transforms of their own."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce

from lazygrad.distributions import constraints
from lazygrad.distributions.constraints import Constraint
from lazygrad.distributions.transforms.transform import Transform
from lazygrad.distributions.utils import _sum_rightmost
from lazygrad.ops.shapes.joining import cat, stack
from lazygrad.tensor import Tensor


class _Joined(Transform):
    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(transform, Transform) for transform in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [transform.with_cache(cache_size) for transform in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all have an inverse."""
        return all(transform.bijective for transform in self.transforms)

    def _check(self, x: Tensor, length: int) -> None:
        if not -x.ndim <= self.dim < x.ndim:
            raise AssertionError(f"dim {self.dim} out of range for tensor with {x.ndim} dimensions")
        if x.shape[self.dim] != length:
            raise AssertionError(f"x.size({self.dim}) = {x.shape[self.dim]} must equal length {length}")


class CatTransform(_Joined):
    """Transforms of consecutive slices along ``dim``; see `lazygrad.cat`.

    Args:
        tseq: the transforms.
        dim: along which the slices lie.
        lengths: of the slices; all 1 if None.
        cache_size: see `Transform`.
    """

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @property
    def event_dim(self) -> int:
        return max(transform.event_dim for transform in self.transforms)

    @property
    def length(self) -> int:
        """Of all slices together."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, x: Tensor) -> Sequence[Tensor]:
        self._check(x, self.length)
        parts: Sequence[Tensor] = x.split(self.lengths, self.dim)
        return parts

    def _call(self, x: Tensor) -> Tensor:
        return cat([part(piece) for part, piece in zip(self.transforms, self._parts(x), strict=True)], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return cat([part.inv(piece) for part, piece in zip(self.transforms, self._parts(y), strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        terms = [
            _sum_rightmost(part.log_abs_det_jacobian(argument, value), self.event_dim - part.event_dim)
            for part, argument, value in zip(self.transforms, self._parts(x), self._parts(y), strict=True)
        ]
        dim = (self.dim - x.ndim if self.dim >= 0 else self.dim) + self.event_dim
        return cat(terms, dim) if dim < 0 else reduce(operator.add, terms)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.cat([part.domain for part in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.cat([part.codomain for part in self.transforms], self.dim, self.lengths)


class StackTransform(_Joined):
    """Transforms of the positions along ``dim``; see `lazygrad.stack`.

    Args:
        tseq: the transforms.
        dim: along which the positions lie.
        cache_size: see `Transform`.
    """

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _parts(self, x: Tensor) -> Sequence[Tensor]:
        self._check(x, len(self.transforms))
        return x.unbind(self.dim)

    def _call(self, x: Tensor) -> Tensor:
        return stack([part(piece) for part, piece in zip(self.transforms, self._parts(x), strict=True)], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return stack([part.inv(piece) for part, piece in zip(self.transforms, self._parts(y), strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        parts = zip(self.transforms, self._parts(x), self._parts(y), strict=True)
        return stack([part.log_abs_det_jacobian(argument, value) for part, argument, value in parts], self.dim)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.stack([part.domain for part in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.stack([part.codomain for part in self.transforms], self.dim)
