"""Divergences between multivariate normal distributions."""

from __future__ import annotations

from lazygrad.distributions.kl.registry import register_kl
from lazygrad.distributions.multivariate_normal import MultivariateNormal, _batch_mahalanobis, half_log_det
from lazygrad.ops.linalg.systems import solve_triangular
from lazygrad.tensor import Tensor


def _trace_of_squares(matrices: Tensor) -> Tensor:
    """The trace of A Aᵀ."""
    return matrices.pow(2).flatten(-2).sum(-1)


@register_kl(MultivariateNormal, MultivariateNormal)
def _full_and_full(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    _same_events(p, q)
    p_tril, q_tril = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    trace = _trace_of_squares(solve_triangular(q_tril, p_tril, upper=False))
    distance = _batch_mahalanobis(q_tril, q.loc - p.loc)
    return half_log_det(q_tril) - half_log_det(p_tril) + 0.5 * (trace + distance - p.event_shape[0])


def _same_events(p: MultivariateNormal, q: MultivariateNormal) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot "
                         "be computed")  # fmt: skip
