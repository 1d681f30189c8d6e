"""The multivariate normal distribution with a covariance of low rank and a diagonal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.multivariate_normal import _batch_mahalanobis, _batch_mv, half_log_det
from lazygrad.distributions.utils import _standard_normal, lazy_property
from lazygrad.ops.creation.ranges import eye
from lazygrad.ops.linalg.factorizations import cholesky
from lazygrad.ops.linalg.systems import solve_triangular
from lazygrad.ops.shapes.reshaping import broadcast_tensors
from lazygrad.tensor import Tensor

__all__ = ["LowRankMultivariateNormal"]


def _plus_identity(matrices: Tensor) -> Tensor:
    return matrices + eye(matrices.shape[-1], dtype=matrices.dtype, device=matrices.device)


def _batch_capacitance_tril(factor: Tensor, diagonal: Tensor) -> Tensor:
    """The Cholesky factor of I + Wᵀ D⁻¹ W."""
    return cholesky(_plus_identity(factor.mT / diagonal.unsqueeze(-2) @ factor))


def _batch_lowrank_logdet(diagonal: Tensor, capacitance_tril: Tensor) -> Tensor:
    """log det (W Wᵀ + D), by the matrix determinant lemma."""
    return 2 * half_log_det(capacitance_tril) + diagonal.log().sum(-1)


def _batch_lowrank_mahalanobis(factor: Tensor, diagonal: Tensor, x: Tensor, capacitance_tril: Tensor) -> Tensor:
    """xᵀ (W Wᵀ + D)⁻¹ x, by Woodbury's identity."""
    projected = _batch_mv(factor.mT / diagonal.unsqueeze(-2), x)
    return (x.pow(2) / diagonal).sum(-1) - _batch_mahalanobis(capacitance_tril, projected)


class LowRankMultivariateNormal(Distribution):
    """The normal distribution of vectors with covariance W Wᵀ + D, whose inverse needs only an m × m factorization.

    Args:
        loc: the mean, shape (..., n).
        cov_factor: W, shape (..., n, m).
        cov_diag: the diagonal of D, positive, shape (..., n).
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: shapes that do not fit, a diagonal that is not positive.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            columns, factor, diagonal = broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag "
                             f"{cov_diag.shape}") from error  # fmt: skip
        # Checked before they are expanded: what follows computes with the checked ones.
        self.loc, self.cov_factor, self.cov_diag = columns[..., 0], cov_factor, cov_diag
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = self.cov_factor, self.cov_diag
        self.cov_factor = self.cov_factor.expand(factor.shape)
        self.cov_diag = self.cov_diag.expand(diagonal.shape[:-1])
        self._capacitance_tril = _batch_capacitance_tril(self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag)

    def _vectors(self, vector: Tensor) -> Tensor:
        return vector.expand(self._batch_shape + self._event_shape)

    def _matrices(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """The diagonal of the covariance."""
        return self._vectors(self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the covariance: D^½ times that of I + D^−½ W Wᵀ D^−½."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._matrices(root * cholesky(_plus_identity(scaled @ scaled.mT)))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """W Wᵀ + D."""
        factor = self._unbroadcasted_cov_factor
        return self._matrices(factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance, by Woodbury's identity."""
        scaled = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        part = solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._matrices(self._unbroadcasted_cov_diag.reciprocal().diag_embed() - part.mT @ part)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        rank = self._unbroadcasted_cov_factor.shape[-1]
        of_factor = _standard_normal(shape[:-1] + (rank,), self.loc.dtype, self.loc.device)
        of_diagonal = _standard_normal(shape, self.loc.dtype, self.loc.device)
        moved = self.loc + _batch_mv(self._unbroadcasted_cov_factor, of_factor)
        return moved + self._unbroadcasted_cov_diag.sqrt() * of_diagonal

    def _log_det(self) -> Tensor:
        return _batch_lowrank_logdet(self._unbroadcasted_cov_diag, self._capacitance_tril)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        distance = _batch_lowrank_mahalanobis(
            self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, value - self.loc, self._capacitance_tril
        )
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + distance)

    def entropy(self) -> Tensor:
        constant = self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (0.5 * (constant + self._log_det())).expand(self._batch_shape)
