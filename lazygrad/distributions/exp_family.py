"""Exponential families: densities exp(⟨η, t(x)⟩ − A(η) + k(x))."""

from __future__ import annotations

from lazygrad.autograd.backward import grad
from lazygrad.distributions.distribution import Distribution
from lazygrad.tensor import Tensor

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A family given by its natural parameters η and its log normalizer A, which has the entropy's formula.

    A subclass defines ``_natural_params``, ``_log_normalizer`` and ``_mean_carrier_measure``, the expected k(x).
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """A(η) − ⟨η, ∇A(η)⟩ − E k(x).

        Source: Nielsen and Nock, "Entropies and cross-entropies of exponential families", ICIP 2010.
        """
        natural = [parameter.detach().requires_grad_() for parameter in self._natural_params]
        normalizer = self._log_normalizer(*natural)
        slopes = grad(normalizer.sum(), natural, create_graph=True)
        result = normalizer - self._mean_carrier_measure
        for parameter, slope in zip(natural, slopes, strict=True):
            result = result - (parameter * slope).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
