"""What a constraint is; those that depend on parameters, and those of events of several elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from numpy.typing import NDArray

Known = Callable[[Any], "NDArray[Any] | float | None"]  # a tensor's elements or None; a number itself


class Constraint:
    """A region in which values are valid.

    Attributes:
        is_discrete: whether the region is.
        event_dim: how many of the last dimensions are one event; `check` says one bool for each event.
    """

    is_discrete: bool = False
    event_dim: int = 0

    def check(self, value: Any) -> Any:
        """Bools of the shape without the last ``event_dim`` dimensions: whether each event is valid."""
        raise NotImplementedError

    def on_arrays(self, known: Known) -> Constraint | None:
        """The constraint as one whose `check` takes numpy arrays; None where it takes tensors only.

        Args:
            known: gives the value of a bound, or None where it is not computed yet.
        """
        return None

    def text(self, shapes_only: bool = False) -> str:
        """The representation; with ``shapes_only`` one that computes nothing."""
        return f"{type(self).__name__[1:]}()"

    def __repr__(self) -> str:
        return self.text()


class Elementary(Constraint):
    """A constraint whose check uses only what tensors and numpy arrays have in common."""

    def on_arrays(self, known: Known) -> Constraint | None:
        return self


class _Dependent(Constraint):
    """Stands for a constraint that only an instance knows, since it depends on other parameters."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the region is discrete.

        Raises:
            NotImplementedError: that was not said.
        """
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return bool(self._is_discrete)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many dimensions an event has.

        Raises:
            NotImplementedError: that was not said.
        """
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return int(self._event_dim)

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> Any:
        """The same with what is known of the class: ``constraints.dependent(is_discrete=True, event_dim=1)``."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Any) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property that is the constraint of an instance, and on its class stands for a dependent one.

    Used plainly or with what is known: ``@constraints.dependent_property(is_discrete=False, event_dim=0)``.
    """

    def __init__(
        self,
        fn: Callable[[Any], Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn: Callable[[Any], Any]) -> Any:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


class _IndependentConstraint(Constraint):
    """A constraint of events of ``reinterpreted_batch_ndims`` more dimensions, valid where all their parts are."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        if not isinstance(reinterpreted_batch_ndims, int):
            raise AssertionError(
                f"reinterpreted_batch_ndims must be an int, got {type(reinterpreted_batch_ndims).__name__}"
            )
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__()

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the region is discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many dimensions an event has."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        result = self.base_constraint.check(value)
        if result.ndim < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return all_of_last(result, result.ndim - self.reinterpreted_batch_ndims)

    def on_arrays(self, known: Known) -> Constraint | None:
        base = self.base_constraint.on_arrays(known)
        return None if base is None else _IndependentConstraint(base, self.reinterpreted_batch_ndims)

    def text(self, shapes_only: bool = False) -> str:
        base = self.base_constraint.text(shapes_only)
        return f"{type(self).__name__[1:]}({base}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The support of a mixture: that of all its components, which lie along the last batch dimension."""

    def __init__(self, base_constraint: Constraint) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint
        super().__init__()

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the region is discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many dimensions an event has."""
        return self.base_constraint.event_dim

    def check(self, value: Any) -> Any:
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return all_of_last(result, value.dim() - self.event_dim)

    def text(self, shapes_only: bool = False) -> str:
        return f"{type(self).__name__}({self.base_constraint.text(shapes_only)})"


def all_of_last(valid: Any, kept: int) -> Any:
    """Whether bools hold over all dimensions but the first ``kept``."""
    return valid.reshape(tuple(valid.shape[:kept]) + (-1,)).all(-1)


def is_dependent(constraint: object) -> TypeGuard[_Dependent]:
    """Whether a constraint depends on other parameters, so that the class alone cannot check it."""
    return isinstance(constraint, _Dependent)
