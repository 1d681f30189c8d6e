"""The LKJ distribution of correlation matrices, by their Cholesky factors."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.beta import Beta
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.utils import broadcast_all
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.pointwise.gamma_functions import mvlgamma
from lazygrad.ops.random.tensors import randn
from lazygrad.ops.shapes.padding import pad
from lazygrad.tensor import Tensor

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Lower Cholesky factors of correlation matrices C, of density ∝ det(C)^(concentration − 1).

    Source: Lewandowski, Kurowicka and Joe, "Generating random correlation matrices based on vines and extended onion
    method", Journal of Multivariate Analysis 100, 2009; samples are drawn by the onion method.

    Args:
        dim: rows of a matrix, at least 2.
        concentration: positive; 1 for a uniform distribution over correlation matrices.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``dim`` is below 2, or the concentration not positive.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Tensor | float = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = pad(arange(dim - 1, dtype=marginal.dtype, device=marginal.device), [1, 0])
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.shape, (dim, dim), validate_args=validate_args)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        # A row is a direction on a sphere, times the root of a beta number, and what makes its length 1.
        squares = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = randn(self._extended_shape(sample_shape), dtype=squares.dtype, device=squares.device).tril(-1)
        below = normal[..., 1:, :]
        directions = pad(below / below.norm(dim=-1, keepdim=True), [0, 0, 1, 0])
        rows = squares.sqrt() * directions
        diagonal = (1 - (rows**2).sum(-1)).clamp(min=finfo(rows.dtype).tiny).sqrt()
        return rows + diagonal.diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        row = arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - row
        others = self.dim - 1
        alpha = self.concentration + 0.5 * others
        normalizer = 0.5 * others * math.log(math.pi) + mvlgamma(alpha - 0.5, others) - alpha.lgamma() * others
        return (order * diagonal.log()).sum(-1) - normalizer
