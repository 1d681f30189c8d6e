"""Pullbacks of linear systems, determinants and pseudoinverses.

Sources: M. B. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation"
(2008); G. H. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems whose
variables separate" (1973) for the pseudoinverse and least squares.
"""

from __future__ import annotations

from lazygrad.autodiff.registry import Cotangents, define_pullbacks
from lazygrad.ir.build import cast, conj, expand, real
from lazygrad.ir.composites import linear_algebra as la
from lazygrad.ir.matrix import adjoint, as_column, diagonal_matrix, identity, matrix_sum
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.contraction import matmul


def _solve(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    """With a·x = b: b̄ = a⁻ᴴ·x̄ and ā = -b̄·xᴴ; with aᴴ·x = b: b̄ = a⁻¹·x̄ and ā = -x·b̄ᴴ."""
    is_adjoint = y["adjoint"]
    into_b = la.solve(a, g, adjoint=not is_adjoint, check=y["check"])
    into_a = matmul(y, adjoint(into_b)) if is_adjoint else matmul(into_b, adjoint(y))
    return -into_a, into_b


def _cholesky_solve(g: Node, y: Node, b: Node, factor: Node) -> Cotangents:
    """b̄ = a⁻¹·x̄, and from ā = -b̄·xᴴ: L̄ = (ā + āᴴ)·L, or Ū = U·(ā + āᴴ). That of a full factor: it is triangular
    only by the zeros it holds."""
    into_b = la.cholesky_solve(g, factor, upper=y["upper"])
    into_a = -matmul(into_b, adjoint(y))
    symmetric = into_a + adjoint(into_a)
    return into_b, matmul(factor, symmetric) if y["upper"] else matmul(symmetric, factor)


def _per_matrix(values: Node) -> Node:
    """A number per matrix, to multiply matrices with."""
    return as_column(as_column(values))


def _det(g: Node, y: Node, a: Node) -> Cotangents:
    return _per_matrix(g) * la.cofactors(a)


def _scaled_inverse(values: Node, a: Node) -> Node:
    """a⁻ᴴ times a number per matrix."""
    scaled = diagonal_matrix(expand(as_column(values), a.shape[:-1]))
    return la.solve(a, scaled, adjoint=True, check="")


def _log_abs_det(g: Node, y: Node, a: Node) -> Cotangents:
    return _scaled_inverse(cast(g, a.dtype), a)


def _det_sign(g: Node, y: Node, a: Node) -> Cotangents:
    """A real sign is constant; a complex one turns with the determinant: s̄ counts by its part across s."""
    if not a.dtype.is_complex:
        return None
    across = ew.imag(conj(y) * g)
    return _scaled_inverse(ew.complex_(across * 0, across), a)


def _cofactors(g: Node, y: Node, a: Node) -> Cotangents:
    """⟨ḡ, C⟩·a⁻ᴴ - C·ḡᴴ·a⁻ᴴ, from C = conj(det a)·a⁻ᴴ. Not for singular matrices."""
    inverse = la.solve(a, identity(a.shape, a), adjoint=True, check="")
    return matrix_sum(conj(g) * y) * inverse - matmul(matmul(y, adjoint(g)), inverse)


def _into_matrix_of_pinv(g: Node, p: Node, a: Node) -> Node:
    """-pᴴ·ḡ·pᴴ + (I - a·p)·ḡᴴ·p·pᴴ + pᴴ·p·ḡᴴ·(I - p·a)."""
    ph, gh = adjoint(p), adjoint(g)
    from_left, from_right = matmul(matmul(gh, p), ph), matmul(ph, matmul(p, gh))
    return (
        from_left
        - matmul(a, matmul(p, from_left))
        + from_right
        - matmul(matmul(from_right, p), a)
        - matmul(ph, matmul(g, ph))
    )


def _pinv(g: Node, y: Node, a: Node, atol: Node, rtol: Node) -> Cotangents:
    return _into_matrix_of_pinv(g, y, a), None, None


def _least_squares(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    """That of pinv(a)·b, which the solution is for matrices of full rank."""
    zero = real(a).like(0)
    tolerance = zero + la.epsilon(a) * max(a.shape[-2:])
    inverse = la.pinv(a, zero, tolerance, hermitian=False)
    return _into_matrix_of_pinv(matmul(g, adjoint(b)), inverse, a), matmul(adjoint(inverse), g)


define_pullbacks(
    {
        la.solve: _solve,
        la.cholesky_solve: _cholesky_solve,
        la.det: _det,
        la.det_sign: _det_sign,
        la.log_abs_det: _log_abs_det,
        la.cofactors: _cofactors,
        la.pinv: _pinv,
        la.least_squares: _least_squares,
    }
)
