"""The multivariate normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.utils import _standard_normal, lazy_property
from lazygrad.ir.shape import broadcast_shapes
from lazygrad.ops.creation.ranges import eye
from lazygrad.ops.linalg.factorizations import cholesky
from lazygrad.ops.linalg.systems import solve_triangular
from lazygrad.tensor import Tensor

__all__ = ["MultivariateNormal"]


def _batch_mv(matrices: Tensor, vectors: Tensor) -> Tensor:
    """Products of matrices (..., n, m) and vectors (..., m), broadcast."""
    return (matrices @ vectors.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(factor: Tensor, vectors: Tensor) -> Tensor:
    """xᵀ (L Lᵀ)⁻¹ x of lower triangular L of shape (..., n, n) and x of shape (..., n), broadcast.

    Vectors that share a factor are the columns of one right-hand side, so that a factor is read once.
    """
    batch = factor.ndim - 2
    sizes = tuple(factor.shape[:-2])
    outer = vectors.ndim - 1 - batch
    parts = [(size // of_factor, of_factor) for size, of_factor in zip(vectors.shape[outer:-1], sizes, strict=True)]
    split = vectors.reshape((*vectors.shape[:outer], *[size for part in parts for size in part], vectors.shape[-1]))
    repeated = [*range(outer), *range(outer, outer + 2 * batch, 2)]
    own = list(range(outer + 1, outer + 2 * batch, 2))
    last = outer + 2 * batch
    columns = split.permute(*own, last, *repeated)
    sides = columns.reshape((*sizes, vectors.shape[-1], -1))
    squares = solve_triangular(factor, sides, upper=False).pow(2).sum(-2)
    spread = squares.reshape((*sizes, *[split.shape[axis] for axis in repeated]))
    order = [*range(batch, batch + outer)]
    for axis in range(batch):
        order += [batch + outer + axis, axis]
    return spread.permute(*order).reshape(vectors.shape[:-1])


def _precision_to_scale_tril(precision: Tensor) -> Tensor:
    """The lower Cholesky factor of the inverse: that of the flipped matrix, flipped back and inverted."""
    flipped = cholesky(precision.flip(-2, -1))
    inverse = flipped.flip(-2, -1).mT
    identity = eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return solve_triangular(inverse, identity, upper=False)


def half_log_det(factor: Tensor) -> Tensor:
    """Half the logarithm of the determinant of L Lᵀ, by L's diagonal."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class MultivariateNormal(Distribution):
    """The normal distribution of vectors.

    Args:
        loc: the mean, shape (..., n).
        covariance_matrix: positive definite, shape (..., n, n). Or one of
        precision_matrix: its inverse.
        scale_tril: its lower Cholesky factor; computing with it costs least.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: not one of the matrices; too few dimensions; a matrix that is not positive definite, or for
            ``scale_tril`` not lower triangular with a positive diagonal.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given
        if matrix.dim() < 2:
            raise ValueError(f"{name.replace('_tril', '_tril matrix')} must be at least two-dimensional, with optional "
                             f"leading batch dimensions")  # fmt: skip
        batch_shape = broadcast_shapes("MultivariateNormal", matrix.shape[:-2], loc.shape[:-1])
        # Checked before it is expanded: what follows computes with the checked one.
        self.__dict__[name] = matrix
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        matrix = self.__dict__[name]
        self.__dict__[name] = matrix.expand((*batch_shape, -1, -1))
        self._unbroadcasted_scale_tril = (
            matrix if name == "scale_tril"
            else cholesky(matrix) if name == "covariance_matrix"
            else _precision_to_scale_tril(matrix)
        )  # fmt: skip

    def _matrices(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance matrix."""
        return self._matrices(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariances of the components."""
        return self._matrices(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix."""
        return self._matrices(self._unbroadcasted_scale_tril.cholesky_inverse())

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        eps = _standard_normal(shape, self.loc.dtype, self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, eps)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - half_log_det(self._unbroadcasted_scale_tril)

    def entropy(self) -> Tensor:
        constant = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (constant + half_log_det(self._unbroadcasted_scale_tril)).expand(self._batch_shape)
