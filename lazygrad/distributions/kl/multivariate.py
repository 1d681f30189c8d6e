"""Divergences between multivariate normal distributions, of full covariance and of low rank with a diagonal."""

from __future__ import annotations

from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.kl.registry import register_kl
from lazygrad.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal, _batch_lowrank_mahalanobis
from lazygrad.distributions.multivariate_normal import MultivariateNormal, _batch_mahalanobis, half_log_det
from lazygrad.ops.linalg.systems import solve_triangular
from lazygrad.tensor import Tensor


def _trace_of_squares(matrices: Tensor) -> Tensor:
    """The trace of A Aᵀ."""
    return matrices.pow(2).flatten(-2).sum(-1)


def _distance(q: LowRankMultivariateNormal, between: Tensor) -> Tensor:
    factor, diagonal = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag
    return _batch_lowrank_mahalanobis(factor, diagonal, between, q._capacitance_tril)


def _projection(q: LowRankMultivariateNormal) -> Tensor:
    """L⁻¹ Wᵀ D⁻¹ of q, by which its precision is D⁻¹ less the projection's square (Woodbury)."""
    scaled = q._unbroadcasted_cov_factor.mT / q._unbroadcasted_cov_diag.unsqueeze(-2)
    return solve_triangular(q._capacitance_tril, scaled, upper=False)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_and_low(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    _require_same_events(p, q)
    p_diagonal, q_diagonal = p._unbroadcasted_cov_diag, q._unbroadcasted_cov_diag
    projection = _projection(q)
    trace = (
        (p_diagonal / q_diagonal).sum(-1)
        + _trace_of_squares(p._unbroadcasted_cov_factor * q_diagonal.rsqrt().unsqueeze(-1))
        - _trace_of_squares(projection * p_diagonal.sqrt().unsqueeze(-2))
        - _trace_of_squares(projection @ p._unbroadcasted_cov_factor)
    )
    return 0.5 * (q._log_det() - p._log_det() + trace + _distance(q, q.loc - p.loc) - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _full_and_low(p: MultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    _require_same_events(p, q)
    p_tril = p._unbroadcasted_scale_tril
    trace = _trace_of_squares(p_tril * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)) - _trace_of_squares(
        _projection(q) @ p_tril
    )
    log_dets = q._log_det() - 2 * half_log_det(p_tril)
    return 0.5 * (log_dets + trace + _distance(q, q.loc - p.loc) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_and_full(p: LowRankMultivariateNormal, q: MultivariateNormal) -> Tensor:
    _require_same_events(p, q)
    q_tril = q._unbroadcasted_scale_tril
    trace = _trace_of_squares(solve_triangular(q_tril, p._unbroadcasted_cov_factor, upper=False)) + _trace_of_squares(
        solve_triangular(q_tril, p._unbroadcasted_cov_diag.sqrt().diag_embed(), upper=False)
    )
    distance = _batch_mahalanobis(q_tril, q.loc - p.loc)
    return 0.5 * (2 * half_log_det(q_tril) - p._log_det() + trace + distance - p.event_shape[0])


@register_kl(MultivariateNormal, MultivariateNormal)
def _full_and_full(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    _require_same_events(p, q)
    p_tril, q_tril = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    trace = _trace_of_squares(solve_triangular(q_tril, p_tril, upper=False))
    distance = _batch_mahalanobis(q_tril, q.loc - p.loc)
    return half_log_det(q_tril) - half_log_det(p_tril) + 0.5 * (trace + distance - p.event_shape[0])


def _require_same_events(p: Distribution, q: Distribution) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot "
                         "be computed")  # fmt: skip
