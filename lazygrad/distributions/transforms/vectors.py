"""Transforms of vectors and matrices: onto the simplex, and onto matrices of special forms."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.transforms.elementwise import _clipped_sigmoid
from lazygrad.distributions.transforms.transform import Fieldless, Transform
from lazygrad.distributions.utils import as_size, tril_matrix_to_vec, vec_to_tril_matrix
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.ranges import arange, eye
from lazygrad.ops.layers.smooth_activations import logsigmoid, softplus
from lazygrad.ops.linalg.factorizations import cholesky
from lazygrad.ops.shapes.padding import pad
from lazygrad.size import Size
from lazygrad.tensor import Tensor


class CorrCholeskyTransform(Transform):
    """Vectors of n(n − 1)/2 numbers to Cholesky factors of n × n correlation matrices.

    A number's tanh is a partial correlation. Source: Lewandowski, Kurowicka and Joe, "Generating random correlation
    matrices based on vines and extended onion method", Journal of Multivariate Analysis 100, 2009.
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        eps = finfo(x.dtype).eps
        partial = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        remaining = (1 - partial**2).sqrt().cumprod(-1)
        with_diagonal = partial + eye(partial.shape[-1], dtype=partial.dtype, device=partial.device)
        return with_diagonal * pad(remaining[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        remaining = pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        partial = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(remaining, diag=-1).sqrt()
        return (partial.log1p() - partial.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        remaining = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        of_tanh = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)
        return 0.5 * remaining.log().sum(-1) + of_tanh

    def forward_shape(self, shape: Sequence[int]) -> Size:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        length = shape[-1]
        size = round((0.25 + 2 * length) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != length:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return as_size(shape)[:-1] + (size, size)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return as_size(shape)[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class _OfVectors(Fieldless):
    def _changed(self, shape: Sequence[int], change: int) -> Size:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return as_size(shape)[:-1] + (shape[-1] + change,)


class SoftmaxTransform(_OfVectors):
    """y ∝ exp x on the simplex. It has no inverse, since adding a number to x changes nothing."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        weights = (x - x.amax(-1, keepdim=True)).exp()
        return weights / weights.sum(-1, keepdim=True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return self._changed(shape, 0)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return self._changed(shape, 0)


class StickBreakingTransform(_OfVectors):
    """n numbers to a point of the simplex of n + 1: each takes its share of what the ones before have left."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        share = _clipped_sigmoid(x - _pieces(x).log())
        left = (1 - share).cumprod(-1)
        return pad(share, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        taken = y[..., :-1]
        left = (1 - taken.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return taken.log() - left.log() + _pieces(taken).log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        x = x - _pieces(x).log()
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return self._changed(shape, 1)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return self._changed(shape, -1)


def _pieces(x: Tensor) -> Tensor:
    """n, n − 1, …, 1: into how many more pieces the rest is broken after each."""
    return arange(x.shape[-1], 0, -1, dtype=x.dtype, device=x.device)


class LowerCholeskyTransform(Fieldless):
    """Square matrices to lower triangular ones with a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Fieldless):
    """Square matrices to positive definite ones."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(cholesky(y))
