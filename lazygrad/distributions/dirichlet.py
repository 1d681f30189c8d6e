"""The Dirichlet distribution."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.exp_family import ExponentialFamily
from lazygrad.ops.indexing.masking import one_hot
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.random.gamma import dirichlet
from lazygrad.tensor import Tensor

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """The distribution on the simplex of density ∝ Π xᵢ^(concentrationᵢ − 1).

    Args:
        concentration: positive, shape (..., n).
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: a concentration that is not positive, or without dimensions.
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, keepdim=True)
        corner = one_hot(mode.argmax(dim=-1), above.shape[-1]).to(mode)
        return where((self.concentration < 1).all(-1, keepdim=True), corner, mode)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        return (
            (self.concentration - 1.0).xlogy(value).sum(-1)
            + self.concentration.sum(-1).lgamma()
            - self.concentration.lgamma().sum(-1)
        )

    def entropy(self) -> Tensor:
        total = self.concentration.sum(-1)
        return (
            self.concentration.lgamma().sum(-1)
            - total.lgamma()
            - (self.concentration.shape[-1] - total) * total.digamma()
            - ((self.concentration - 1.0) * self.concentration.digamma()).sum(-1)
        )

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.concentration,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()
