"""Kullback-Leibler divergences, with PyTorch's names."""

from lazygrad.distributions.kl import (  # noqa: F401, they register themselves
    continuous_kinds,
    infinite,
    multivariate,
    real_kinds,
    same_kind,
)
from lazygrad.distributions.kl.registry import kl_divergence, register_kl

__all__ = ["register_kl", "kl_divergence"]
