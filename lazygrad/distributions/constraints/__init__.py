"""Regions in which parameters and samples are valid, with PyTorch's names."""

from lazygrad.distributions.constraints.arrays import (
    _CorrCholesky,
    _LowerCholesky,
    _LowerTriangular,
    _Multinomial,
    _OneHot,
    _PositiveDefinite,
    _PositiveSemidefinite,
    _Simplex,
    _Square,
    _Symmetric,
)
from lazygrad.distributions.constraints.bounds import (
    _Boolean,
    _GreaterThan,
    _GreaterThanEq,
    _HalfOpenInterval,
    _IntegerGreaterThan,
    _IntegerInterval,
    _IntegerLessThan,
    _Interval,
    _LessThan,
    _Real,
)
from lazygrad.distributions.constraints.constraint import (
    Constraint,
    MixtureSameFamilyConstraint,
    _Dependent,
    _DependentProperty,
    _IndependentConstraint,
    is_dependent,
)
from lazygrad.distributions.constraints.joined import _Cat, _Stack

__all__ = [
    "Constraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property", "greater_than",
    "greater_than_eq", "independent", "integer_interval", "interval", "half_open_interval", "is_dependent", "less_than",
    "lower_cholesky", "lower_triangular", "MixtureSameFamilyConstraint", "multinomial", "nonnegative",
    "nonnegative_integer", "one_hot", "positive", "positive_semidefinite", "positive_definite", "positive_integer",
    "real", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval",
]  # fmt: skip

dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
integer_less_than = _IntegerLessThan
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
