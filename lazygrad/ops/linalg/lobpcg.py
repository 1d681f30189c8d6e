"""A few extreme eigenvalues of a large symmetric matrix."""

from __future__ import annotations

from math import inf
from typing import Any

from lazygrad.grad_mode import is_grad_enabled, no_grad
from lazygrad.ir.composites.linear_algebra import epsilon
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.creation.ranges import eye
from lazygrad.ops.linalg.eigenvalues import eigh
from lazygrad.ops.linalg.factorizations import cholesky, qr
from lazygrad.ops.linalg.products import matmul
from lazygrad.ops.linalg.systems import solve, solve_triangular
from lazygrad.ops.pointwise.arithmetic import abs, add, mul, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.random.tensors import randn
from lazygrad.ops.reductions.extrema import max as max_
from lazygrad.ops.reductions.sums import sum as sum_
from lazygrad.ops.reductions.vector_norm import vector_norm
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.permuting import transpose
from lazygrad.ops.shapes.repeating import flip
from lazygrad.ops.shapes.reshaping import reshape, unsqueeze
from lazygrad.tensor import Tensor

__all__ = ["lobpcg"]

_MOST_ITERATIONS = 1000  # where no limit is given: convergence has stopped long before


def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """(eigenvalues, eigenvectors): the ``k`` largest or smallest solutions of A·x = λ·B·x.

    The locally optimal block preconditioned conjugate gradient method (A. V. Knyazev, 2001). It looks at values, so A
    is computed when this is called. The gradient, to the first order, is that of the equations the solutions satisfy.

    Args:
        A: symmetric, shape (…, m, m), float32 or float64.
        k: how many; by default the number of columns of ``X``, or 1.
        B: symmetric and positive definite, like A; by default the identity.
        X: where to start, shape (…, m, n); by default random.
        n: how many vectors to iterate; ``k`` by default. m must be at least 3·n.
        iK: preconditioner, like A; by default the identity.
        niter: at most so many iterations.
        tol: residuals, relative to the norms of A, B and the vectors, at which to stop; by default the root of the
            precision.
        largest: False for the smallest eigenvalues.
        method: "ortho" or "basic"; both do the same.
        tracker, ortho_iparams, ortho_fparams, ortho_bparams: accepted, and not used.

    Returns:
        Eigenvalues (…, k), largest first, or smallest first if not ``largest``; eigenvectors (…, m, k).

    Raises:
        ValueError: m is less than 3·n, or an unknown ``method``.
        AssertionError: shapes that do not fit.
    """
    matrix = tensor_argument(A, "lobpcg", "A")
    _check_shapes(matrix, B, X, iK)
    if method not in (None, "basic", "ortho"):
        raise ValueError(f"lobpcg: method must be 'basic' or 'ortho', not {method!r}")
    count = (1 if X is None else X.shape[-1]) if k is None else k
    width = X.shape[-1] if X is not None else count if n is None else n
    rows = matrix.shape[-1]
    if rows < 3 * width:
        raise ValueError(f"lobpcg is not applicable when the number of A rows (={rows}) is smaller than 3 x the number "
                         f"of requested eigenpairs (={width})")  # fmt: skip
    with no_grad():
        start = randn(*matrix.shape[:-1], width, dtype=matrix.dtype, device=matrix.device) if X is None else X
        search = _Search(matrix.detach(), None if B is None else B.detach(), iK, largest is not False, count)
        limit = epsilon(matrix.node()) ** 0.5 if tol is None else tol
        values, vectors = search.run(start.detach(), _MOST_ITERATIONS if niter is None or niter < 0 else niter, limit)
    if is_grad_enabled() and (matrix.requires_grad or (B is not None and B.requires_grad)):
        return _as_function_of(matrix, B, values, vectors)
    return values, vectors


def _check_shapes(A: Tensor, B: Tensor | None, X: Tensor | None, iK: Tensor | None) -> None:
    square = (*A.shape[:-1], A.shape[-2]) if A.ndim > 1 else None
    assert A.shape == square, f"lobpcg: A must be square matrices, but has the shape {A.shape}"
    for name, other in (("B", B), ("iK", iK)):
        assert other is None or other.shape[-2:] == A.shape[-2:], f"lobpcg: {name} must have the shape of A, {A.shape}"
    assert X is None or X.shape[:-1] == A.shape[:-1], f"lobpcg: X must have the rows and the batch of A, {A.shape}"


class _Search:
    """Minimizes, or maximizes, the Rayleigh quotient over the span of the vectors, residuals and last directions."""

    def __init__(self, A: Tensor, B: Tensor | None, iK: Tensor | None, largest: bool, wanted: int) -> None:
        self.A, self.B, self.iK, self.largest, self.wanted = A, B, iK, largest, wanted
        self.norm_a = vector_norm(A, dim=(-2, -1))
        self.norm_b = None if B is None else vector_norm(B, dim=(-2, -1))

    def run(self, X: Tensor, niter: int, tol: float) -> tuple[Tensor, Tensor]:
        width = X.shape[-1]
        values, vectors = self._best(X, width)
        direction: Tensor | None = None
        for _ in range(niter):
            residual = sub(matmul(self.A, vectors), mul(self._mass(vectors), unsqueeze(values, -2)))
            if self._error(residual, values, vectors) < tol:
                break
            descent = residual if self.iK is None else matmul(self.iK, residual)
            span = cat([vectors, descent] if direction is None else [vectors, descent, direction], -1)
            values, found = self._best(span, width)
            kept = matmul(vectors, matmul(transpose(vectors, -2, -1), self._mass(found)))
            direction, vectors = sub(found, kept), found
        return between(values, values.ndim - 1, 0, self.wanted), between(vectors, vectors.ndim - 1, 0, self.wanted)

    def _mass(self, vectors: Tensor) -> Tensor:
        return vectors if self.B is None else matmul(self.B, vectors)

    def _best(self, span: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """The best eigenpairs within a span (Rayleigh and Ritz)."""
        basis = qr(span).Q
        rows = transpose(basis, -2, -1)
        projected = matmul(rows, matmul(self.A, basis))
        if self.B is not None:
            lower = cholesky(matmul(rows, matmul(self.B, basis)))
            basis = transpose(solve_triangular(lower, rows, upper=False), -2, -1)
            halfway = solve_triangular(lower, projected, upper=False)
            projected = solve_triangular(lower, transpose(halfway, -2, -1), upper=False)
        values, coordinates = eigh(projected)
        if self.largest:
            values, coordinates = flip(values, -1), flip(coordinates, -1)
        chosen = between(coordinates, coordinates.ndim - 1, 0, width)
        return between(values, values.ndim - 1, 0, width), matmul(basis, chosen)

    def _error(self, residual: Tensor, values: Tensor, vectors: Tensor) -> float:
        """The largest relative residual of the pairs that are wanted."""
        if not residual.numel():
            return -inf
        norm_b = 1.0 if self.norm_b is None else unsqueeze(self.norm_b, -1)
        scale = mul(vector_norm(vectors, dim=-2), add(unsqueeze(self.norm_a, -1), mul(abs(values), norm_b)))
        relative = div(vector_norm(residual, dim=-2), scale)
        return float(max_(between(relative, relative.ndim - 1, 0, self.wanted)).item())


def _as_function_of(A: Tensor, B: Tensor | None, values: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
    """The eigenpairs as functions of the matrices: one step of Newton's method from the pairs, held constant.

    The equations are A·x = λ·B·x and xᵀ·B·x = 1. They hold already, so the step changes nothing but the derivative,
    which by the implicit function theorem is that of the solution.
    """
    with no_grad():
        x = transpose(vectors, -2, -1)  # (…, k, m)
        mass = x if B is None else matmul(x, B)
        metric = eye(A.shape[-1], dtype=A.dtype, device=A.device) if B is None else unsqueeze(B, -3)
        block = sub(unsqueeze(A, -3), mul(unsqueeze(unsqueeze(values, -1), -1), metric))
        column = mul(unsqueeze(mass, -1), -1)
        corner = zeros(*mass.shape[:-1], 1, 1, dtype=A.dtype, device=A.device)
        above, below = cat([block, column], -1), cat([transpose(column, -2, -1), corner], -1)
        slopes = cat([above, below], -2)
    mass = x if B is None else matmul(x, B)
    equations = sub(matmul(x, A), mul(unsqueeze(values, -1), mass))
    norms = mul(sub(1, sum_(mul(x, mass), -1, True)), 0.5)
    step = solve(slopes, unsqueeze(cat([equations, norms], -1), -1))
    flat = reshape(step, step.shape[:-1])
    size = A.shape[-1]
    moved = sub(x, between(flat, flat.ndim - 1, 0, size))
    return sub(values, reshape(between(flat, flat.ndim - 1, size, size + 1), values.shape)), transpose(moved, -2, -1)
