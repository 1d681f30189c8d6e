"""Transforms from unconstrained numbers to what constraints allow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.distributions import constraints, transforms
from lazygrad.distributions.constraints import Constraint
from lazygrad.distributions.transforms import Transform
from lazygrad.distributions.utils import NUMBERS

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], Transform]


class ConstraintRegistry:
    """Functions that make a transform for a constraint, by the constraint's class."""

    def __init__(self) -> None:
        self._registry: dict[type[Constraint], Factory] = {}
        super().__init__()

    def register(self, constraint: Constraint | type[Constraint], factory: Factory | None = None) -> Any:
        """Register a function for a constraint's class; without ``factory``, a decorator.

        Raises:
            TypeError: ``constraint`` is neither a constraint nor a class of constraints.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Constraint) -> Transform:
        """A transform onto what the constraint allows.

        Raises:
            NotImplementedError: nothing is registered for its class.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()
_BOTH = (biject_to, transform_to)


def _onto_interval(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, NUMBERS) and low == 0 and isinstance(high, NUMBERS) and high == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def _from_exp(loc: Any, scale: float) -> Transform:
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(loc, scale)])


def _register_joined(registry: ConstraintRegistry) -> None:
    """Constraints made of others: transforms made of those that the same registry gives for them."""
    registry.register(
        constraints.independent,
        lambda c: transforms.IndependentTransform(registry(c.base_constraint), c.reinterpreted_batch_ndims),
    )
    registry.register(
        constraints.cat, lambda c: transforms.CatTransform([registry(part) for part in c.cseq], c.dim, c.lengths)
    )
    registry.register(
        constraints.stack, lambda c: transforms.StackTransform([registry(part) for part in c.cseq], c.dim)
    )


for _registry in _BOTH:
    _register_joined(_registry)
    _registry.register(constraints.real, lambda c: transforms.identity_transform)
    _registry.register(constraints.greater_than, lambda c: _from_exp(c.lower_bound, 1))
    _registry.register(constraints.greater_than_eq, lambda c: _from_exp(c.lower_bound, 1))
    _registry.register(constraints.less_than, lambda c: _from_exp(c.upper_bound, -1))
    _registry.register(constraints.interval, _onto_interval)
    _registry.register(constraints.half_open_interval, _onto_interval)
    _registry.register(constraints.corr_cholesky, lambda c: transforms.CorrCholeskyTransform())

biject_to.register(constraints.simplex, lambda c: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda c: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda c: transforms.LowerCholeskyTransform())
transform_to.register(constraints.positive_definite, lambda c: transforms.PositiveDefiniteTransform())
transform_to.register(constraints.positive_semidefinite, lambda c: transforms.PositiveDefiniteTransform())
