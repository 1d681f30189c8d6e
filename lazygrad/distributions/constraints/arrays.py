"""Constraints of vectors and of matrices."""

from __future__ import annotations

from typing import Any

from lazygrad.distributions.constraints.bounds import _BoundedAbove
from lazygrad.distributions.constraints.constraint import Constraint, Elementary
from lazygrad.ir.dtype import bool_
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.filled import full
from lazygrad.ops.linalg.eigenvalues import eigvalsh
from lazygrad.ops.linalg.factorizations import cholesky_ex
from lazygrad.ops.pointwise.comparison import isclose
from lazygrad.tensor import Tensor


class _OneHot(Elementary):
    """Vectors of zeros and a single one."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Simplex(Elementary):
    """Vectors of numbers that are not negative and sum to 1, to within 1e-6."""

    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & (abs(value.sum(-1) - 1) < 1e-6)


class _Multinomial(_BoundedAbove):
    """Vectors of counts that sum to at most a bound."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)

    def text(self, shapes_only: bool = False) -> str:
        return "Multinomial()"


class _Matrices(Constraint):
    event_dim = 2


class _LowerTriangular(_Matrices):
    """Square matrices that are zero above the diagonal."""

    def check(self, value: Tensor) -> Tensor:
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(_LowerTriangular):
    """Lower triangular matrices with a positive diagonal."""

    def check(self, value: Tensor) -> Tensor:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    """Lower triangular matrices with a positive diagonal and rows of length 1."""

    def check(self, value: Tensor) -> Tensor:
        tolerance = finfo(value.dtype).eps * value.shape[-1] * 10
        row_norm = value.detach().norm(dim=-1)
        return super().check(value) & ((row_norm - 1.0).abs() <= tolerance).all(-1)


class _Square(_Matrices):
    """Square matrices."""

    def check(self, value: Tensor) -> Tensor:
        is_square = value.shape[-2] == value.shape[-1]
        return full(value.shape[:-2], is_square, dtype=bool_, device=value.device)


class _Symmetric(_Square):
    """Symmetric matrices, to within 1e-6."""

    def check(self, value: Tensor) -> Tensor:
        if value.shape[-2] != value.shape[-1]:
            return super().check(value)
        return isclose(value, value.mT, atol=1e-6).flatten(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without negative eigenvalues."""

    def check(self, value: Tensor) -> Tensor:
        symmetric = super().check(value)
        return symmetric & (eigvalsh(value) >= 0).all(-1) if value.shape[-2] == value.shape[-1] else symmetric


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices that have a Cholesky factor."""

    def check(self, value: Tensor) -> Tensor:
        symmetric = super().check(value)
        return symmetric & (cholesky_ex(value).info == 0) if value.shape[-2] == value.shape[-1] else symmetric
