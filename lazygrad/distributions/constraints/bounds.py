"""Constraints of single elements: intervals of the reals and of the integers."""

from __future__ import annotations

from copy import copy
from typing import Any

from lazygrad.distributions.constraints.constraint import Constraint, Elementary, Known
from lazygrad.tensor import Tensor


class _Bounded(Constraint):
    """A constraint with bounds, numbers or tensors, that are its attributes."""

    _bounds: tuple[str, ...] = ("lower_bound", "upper_bound")

    def on_arrays(self, known: Known) -> Constraint | None:
        if not any(isinstance(getattr(self, name), Tensor) for name in self._bounds):
            return self
        other = copy(self)
        for name in self._bounds:
            bound = known(getattr(self, name))
            if bound is None:
                return None
            setattr(other, name, bound)
        return other

    def text(self, shapes_only: bool = False) -> str:
        bounds = {name: getattr(self, name) for name in self._bounds}
        texts = [
            f"{name}={bound.shape if shapes_only and isinstance(bound, Tensor) else bound}"
            for name, bound in bounds.items()
        ]
        return f"{type(self).__name__[1:]}({', '.join(texts)})"


class _BoundedBelow(_Bounded):
    _bounds = ("lower_bound",)

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound
        super().__init__()


class _BoundedAbove(_Bounded):
    _bounds = ("upper_bound",)

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound
        super().__init__()


class _BoundedBelowAndAbove(_Bounded):
    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        super().__init__()


class _Boolean(Elementary):
    """0 or 1."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _Real(Elementary):
    """Any number but NaN."""

    def check(self, value: Any) -> Any:
        return value == value


class _IntegerInterval(_BoundedBelowAndAbove):
    """Integers, both bounds included."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_BoundedAbove):
    """Integers up to a bound, which is included."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_BoundedBelow):
    """Integers from a bound on, which is included."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _GreaterThan(_BoundedBelow):
    """Numbers above a bound."""

    def check(self, value: Any) -> Any:
        return self.lower_bound < value


class _GreaterThanEq(_BoundedBelow):
    """Numbers from a bound on."""

    def check(self, value: Any) -> Any:
        return self.lower_bound <= value


class _LessThan(_BoundedAbove):
    """Numbers below a bound."""

    def check(self, value: Any) -> Any:
        return value < self.upper_bound


class _Interval(_BoundedBelowAndAbove):
    """Numbers between two bounds, both included."""

    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_BoundedBelowAndAbove):
    """Numbers from a bound on, below another."""

    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value < self.upper_bound)
