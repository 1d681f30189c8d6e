"""The Wishart distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lazygrad.distributions import constraints
from lazygrad.distributions.chi2 import Chi2
from lazygrad.distributions.exp_family import ExponentialFamily
from lazygrad.distributions.multivariate_normal import _precision_to_scale_tril, half_log_det
from lazygrad.distributions.utils import NUMBERS, Number, as_size, lazy_property, vec_to_tril_matrix
from lazygrad.distributions.validation import known
from lazygrad.ir.shape import broadcast_shapes
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.creation.ranges import arange, eye
from lazygrad.ops.linalg.determinants import slogdet
from lazygrad.ops.linalg.factorizations import cholesky
from lazygrad.ops.pointwise.gamma_functions import mvlgamma
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.random.tensors import randn
from lazygrad.size import Size
from lazygrad.tensor import Tensor

__all__ = ["Wishart"]

_LOG_2 = math.log(2)
_TRIES = 10


class Wishart(ExponentialFamily):
    """The distribution of Σ x xᵀ over ``df`` normal vectors x of mean 0.

    Args:
        df: degrees of freedom, above n − 1.
        covariance_matrix: of the vectors, positive definite, shape (..., n, n). Or one of
        precision_matrix: its inverse.
        scale_tril: its lower Cholesky factor.
        validate_args: whether to check parameters and samples.

    Raises:
        AssertionError: not one of the matrices.
        ValueError: too few dimensions or degrees of freedom; a matrix that is not positive definite.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        df: Tensor | Number,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        matrices = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, NUMBERS):
            df = tensor(df, dtype=matrix.dtype, device=matrix.device)
        batch_shape = Size(broadcast_shapes("Wishart", tuple(matrix.shape[:-2]), tuple(df.shape)))
        event_shape = matrix.shape[-2:]
        self.df = df.expand(batch_shape)
        _warn_of_few(self.df, event_shape[-1])
        # Checked before it is expanded: what follows computes with the checked one.
        self.__dict__[name] = matrix
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        matrix = self.__dict__[name]
        self.__dict__[name] = matrix.expand((*batch_shape, -1, -1))
        self._unbroadcasted_scale_tril = (
            matrix if name == "scale_tril"
            else cholesky(matrix) if name == "covariance_matrix"
            else _precision_to_scale_tril(matrix)
        )  # fmt: skip
        row = arange(event_shape[-1], dtype=matrix.dtype, device=matrix.device)
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - row)

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def _matrices(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of the vectors' covariance matrix."""
        return self._matrices(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The vectors' covariances."""
        return self._matrices(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the vectors' covariance matrix."""
        factor = self._unbroadcasted_scale_tril
        identity = eye(self._event_shape[-1], dtype=factor.dtype, device=factor.device)
        return self._matrices(identity.cholesky_solve(factor))

    def _per_matrix(self, value: Tensor) -> Tensor:
        return value.reshape(self._batch_shape + (1, 1))

    @property
    def mean(self) -> Tensor:
        return self._per_matrix(self.df) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self._event_shape[-1] - 1
        return self._per_matrix(where(factor <= 0, math.nan, factor)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self._per_matrix(self.df) * (covariance.pow(2) + outer)

    def _bartlett_sampling(self, sample_shape: Size) -> Tensor:
        """Source: Bartlett, "On the theory of statistical regression", Proceedings of the RSE 53, 1933."""
        n = self._event_shape[-1]
        roots = self._dist_chi2.rsample(sample_shape).sqrt()
        diagonal = roots.clamp(min=finfo(roots.dtype).eps).diag_embed()
        shape = sample_shape + self._batch_shape + (n * (n - 1) // 2,)
        below = randn(shape, dtype=diagonal.dtype, device=diagonal.device)
        factor = self._unbroadcasted_scale_tril @ (diagonal + vec_to_tril_matrix(below, diag=-1))
        return factor @ factor.mT

    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: int | None = None) -> Tensor:
        """Samples; those that are singular within rounding are drawn again.

        As in PyTorch, which draws once more what is not singular, the first draw is not used.

        Args:
            sample_shape: how many samples.
            max_try_correction: how often to draw again; 10 times if None.
        """
        shape = as_size(sample_shape)
        self._bartlett_sampling(shape)
        sample = self._bartlett_sampling(shape)
        for _ in range(_TRIES if max_try_correction is None else max_try_correction):
            valid = self.support.check(sample.detach())
            if valid.all():
                break
            sample = where(valid.unsqueeze(-1).unsqueeze(-1), sample, self._bartlett_sampling(shape))
        return sample

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        nu, n, factor = self.df, self._event_shape[-1], self._unbroadcasted_scale_tril
        log_det = half_log_det(factor)
        trace = value.cholesky_solve(factor).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (
            -nu * (n * _LOG_2 / 2 + log_det)
            - mvlgamma(nu / 2, p=n)
            + (nu - n - 1) / 2 * slogdet(value).logabsdet
            - trace / 2
        )

    def entropy(self) -> Tensor:
        nu, n = self.df, self._event_shape[-1]
        return (
            (n + 1) * (n * _LOG_2 / 2 + half_log_det(self._unbroadcasted_scale_tril))
            + mvlgamma(nu / 2, p=n)
            - (nu - n - 1) / 2 * _mvdigamma(nu / 2, n)
            + nu * n / 2
        )

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        n = self._event_shape[-1]
        half = y + (n + 1) / 2
        return half * (-slogdet(-2 * x).logabsdet + _LOG_2 * n) + mvlgamma(half, p=n)


def _mvdigamma(x: Tensor, n: int) -> Tensor:
    """Σ ψ(x − j/2) over j < n, the derivative of the multivariate log Γ."""
    halves = arange(n, dtype=x.dtype, device=x.device) / 2
    return (x.unsqueeze(-1) - halves).digamma().sum(-1)


def _warn_of_few(df: Tensor, n: int) -> None:
    """What is pending is checked as a parameter instead.

    Raises:
        ValueError: too few degrees of freedom.
    """
    values = known(df)
    if values is None:
        return
    if np.any(values <= n - 1):
        raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
    if np.any(values < n):
        warn_user(
            "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
        )
