"""Orthogonal matrices as functions of matrices of the same shape."""

from __future__ import annotations

from lazygrad.grad_mode import no_grad
from lazygrad.linalg import householder_product, solve
from lazygrad.nn.core.module import Module
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.like import zeros_like
from lazygrad.ops.creation.ranges import eye
from lazygrad.ops.linalg.decompositions import geqrf
from lazygrad.ops.linalg.matrix_functions import matrix_exp
from lazygrad.ops.pointwise.comparison import allclose
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.random.tensors import randn
from lazygrad.ops.shapes.joining import cat
from lazygrad.tensor import Tensor

MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    """The parametrization; see `parametrizations.orthogonal` for the arguments."""

    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.dtype.is_complex and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        """An orthogonal matrix of the shape of ``x``."""
        is_wide = x.shape[-2] < x.shape[-1]
        q = self._map(x.mT if is_wide else x)
        if self._has_base():
            assert self.base is not None
            q = self.base @ q
        return q.mT if is_wide else q

    def _map(self, x: Tensor) -> Tensor:
        """Of a matrix with at least as many rows as columns."""
        rows, columns = x.shape[-2:]
        if self.orthogonal_map == "householder":
            reflectors = x.tril(diagonal=-1)
            scales = 2.0 / (1.0 + (reflectors * reflectors).sum(dim=-2))
            # The diagonal of an original holds signs only.
            return householder_product(reflectors, scales) * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        x = x.tril()
        if rows != columns:
            x = cat([x, x.new_zeros((*x.shape[:-1], rows - columns))], dim=-1)
        skew = x - x.mH
        if self.orthogonal_map == "matrix_exp":
            q = matrix_exp(skew)
        else:
            identity = eye(rows, dtype=skew.dtype, device=skew.device)
            q = solve(identity - 0.5 * skew, identity + 0.5 * skew)
        return q if rows == columns else q[..., :columns]

    def _has_base(self) -> bool:
        return "base" in self._buffers

    def right_inverse(self, q: Tensor) -> Tensor:
        """What is mapped to ``q``; with trivialization ``q`` becomes the fixed matrix, made orthogonal if it is not.

        Raises:
            ValueError: another shape.
            NotImplementedError: an exponential or Cayley map without trivialization.
        """
        if q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {q.shape}."
            )
        is_wide = q.shape[-2] < q.shape[-1]
        with no_grad():
            tall = q.mT if is_wide else q
            if self._has_base():
                self.base = _completed(tall)
                negative = -eye(*q.shape[-2:], dtype=q.dtype, device=q.device)
                return zeros_like(q) + negative
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            reflectors, scales = geqrf(tall)
            signs = reflectors.diagonal(dim1=-2, dim2=-1).sign()
            signs = where(scales == 0.0, -signs, signs)
            below = reflectors.tril(diagonal=-1) + reflectors.triu(diagonal=1)
            original = below + signs.unsqueeze(-2) * eye(*tall.shape[-2:], dtype=q.dtype, device=q.device)
            return original.mT if is_wide else original


def _completed(q: Tensor) -> Tensor:
    """A square orthogonal matrix that begins with the columns of ``q``, or with those that it spans."""
    rows, columns = q.shape[-2:]
    if rows != columns:
        drawn = randn((*q.shape[:-2], rows, rows - columns), dtype=q.dtype, device=q.device)
        return _made_orthogonal(cat([q, drawn], dim=-1))
    return q.clone() if _is_orthogonal(q) else _made_orthogonal(q)


def _is_orthogonal(q: Tensor) -> bool:
    rows, columns = q.shape[-2:]
    tolerance = 10.0 * rows * finfo(q.dtype).eps
    return allclose(q.mH @ q, eye(columns, dtype=q.dtype, device=q.device), atol=tolerance)


def _made_orthogonal(matrix: Tensor) -> Tensor:
    """The Q of a QR decomposition whose R has a positive diagonal."""
    reflectors, scales = geqrf(matrix)
    return householder_product(reflectors, scales) * reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
