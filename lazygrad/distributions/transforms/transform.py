"""What a transform is, its inverse, and the transforms that are made of others."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

from lazygrad.distributions import constraints
from lazygrad.distributions.constraints import Constraint
from lazygrad.distributions.utils import _sum_rightmost, as_size, lazy_property
from lazygrad.ops.creation.like import zeros_like
from lazygrad.size import Size
from lazygrad.tensor import Tensor

Sign = Tensor | int


class Transform:
    """A function whose inverse and whose Jacobian's determinant are known.

    A subclass defines ``domain``, ``codomain``, ``bijective``, ``_call``, ``_inverse`` and `log_abs_det_jacobian`.

    Args:
        cache_size: 1 to remember the last argument with its value, so that the inverse of a value is its argument.

    Attributes:
        bijective: whether it has an inverse; otherwise ``_inverse`` gives one of the arguments.
        domain: what it takes.
        codomain: what it gives.

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.
    """

    bijective: bool = False
    domain: Constraint
    codomain: Constraint
    _inv: Transform | None

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv = None
        self._cached_x_y: tuple[Tensor | None, Tensor | None] = (None, None)
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> int:
        """How many dimensions an argument and a value have.

        Raises:
            ValueError: they have different ones.
        """
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse, whose inverse is this transform."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> Sign:
        """1 where the function grows, −1 where it falls."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The transform with another cache."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __call__(self, x: Tensor) -> Tensor:
        """The value at ``x``."""
        if self._cache_size == 0:
            return self._call(x)
        argument, value = self._cached_x_y
        if value is None or x is not argument:
            value = self._call(x)
            self._cached_x_y = x, value
        return value

    def _inv_call(self, y: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._inverse(y)
        argument, value = self._cached_x_y
        if argument is None or y is not value:
            argument = self._inverse(y)
            self._cached_x_y = argument, y
        return argument

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log |det dy/dx| at an argument with its value, without the event dimensions."""
        raise NotImplementedError

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """The shape of values of arguments of this shape."""
        return as_size(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        """The shape of arguments with values of this shape."""
        return as_size(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Fieldless(Transform):
    """A transform without parameters: all of a kind are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))


class _InverseTransform(Transform):
    _inv: Transform

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        return self._inv.domain

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether it has an inverse."""
        return self._inv.bijective

    @property
    def sign(self) -> Sign:
        return self._inv.sign

    @property
    def inv(self) -> Transform:
        return self._inv

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return self._inv.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"


class ComposeTransform(Transform):
    """Transforms one after another.

    Args:
        parts: the first is applied first; none for the identity.
        cache_size: of each part.
    """

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        if not self.parts:
            return constraints.real
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim += part.domain.event_dim - part.codomain.event_dim
            event_dim = max(event_dim, part.domain.event_dim)
        return _of_dimensions(self.parts[0].domain, event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        if not self.parts:
            return constraints.real
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim += part.codomain.event_dim - part.domain.event_dim
            event_dim = max(event_dim, part.codomain.event_dim)
        return _of_dimensions(self.parts[-1].codomain, event_dim)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all parts have an inverse."""
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> Sign:
        """The product of the parts' signs."""
        return reduce(operator.mul, [part.sign for part in self.parts], 1)

    @property
    def inv(self) -> Transform:
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        terms = []
        event_dim = self.domain.event_dim
        for part, argument, value in zip(self.parts, values, [*values[1:], y], strict=True):
            term = part.log_abs_det_jacobian(argument, value)
            terms.append(_sum_rightmost(term, event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return reduce(operator.add, terms)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return as_size(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return as_size(shape)

    def __repr__(self) -> str:
        parts = ",\n    ".join(repr(part) for part in self.parts)
        return f"{type(self).__name__}(\n    {parts}\n)"


identity_transform = ComposeTransform([])


def _of_dimensions(constraint: Constraint, event_dim: int) -> Constraint:
    if event_dim < constraint.event_dim:
        raise AssertionError(f"event_dim {event_dim} must be >= {constraint.event_dim}, that of {constraint}")
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more else constraint
