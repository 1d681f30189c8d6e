"""Kullback-Leibler divergences, with PyTorch's names."""

from lazygrad.distributions.kl import multivariate, same_kind  # noqa: F401, they register themselves
from lazygrad.distributions.kl.registry import kl_divergence, register_kl

__all__ = ["register_kl", "kl_divergence"]
