"""Pullbacks of the factorizations, in terms of their parts.

Sources: I. Murray, "Differentiation of the Cholesky decomposition" (2016); S. F. Walter and L. Lehmann, "Algorithmic
differentiation of linear algebra functions" (2010) for QR; D. Roberts and L. Roberts, "QR and LQ decomposition matrix
backpropagation algorithms for square, wide, and deep matrices" (2020). That of LU follows from dA = dL·U + L·dU, where
L⁻¹dL is strictly lower and dU·U⁻¹ upper triangular.
"""

from __future__ import annotations

from lazygrad.autodiff.registry import DISCRETE, Cotangents, NotDifferentiable, PullbackRule, define_pullbacks
from lazygrad.ir.build import swap_last, zeros_like
from lazygrad.ir.composites.linear_algebra import inverse_order, row_order
from lazygrad.ir.matrix import (
    adjoint,
    columns,
    diagonal,
    joined_columns,
    joined_rows,
    lower,
    part_cotangents,
    parts,
    rows,
    rows_in_order,
    upper,
    with_diagonal,
)
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ir.primitives.contraction import matmul


def _halved_diagonal(x: Node) -> Node:
    return with_diagonal(x, diagonal(x) * 0.5)


def _solved_from_right(b: Node, triangle: Node, is_upper: bool, is_unit: bool = False) -> Node:
    """b·t⁻¹ of a triangular ``t``, which the transposed system gives."""
    solution = fa.triangular_solve(swap_last(triangle), swap_last(b), upper=not is_upper, unitriangular=is_unit)
    return swap_last(solution)


def _cholesky(g: Node, y: Node, a: Node) -> Cotangents:
    """½·L⁻ᴴ·(tril(P) + tril(P, -1)ᴴ)·L⁻¹ with P = Lᴴ·ḡ: symmetric, as the input is."""
    factor, _ = parts(y)
    into_factor, _ = part_cotangents(g, y)
    if into_factor is None:
        return None
    product = matmul(adjoint(factor), into_factor)
    symmetric = (lower(product) + adjoint(lower(product, -1))) * 0.5
    halfway = fa.triangular_solve(adjoint(factor), symmetric, upper=True, unitriangular=False)
    return _solved_from_right(halfway, factor, is_upper=False)


def _lu(g: Node, y: Node, a: Node) -> Cotangents:
    """P·L⁻ᴴ·(tril(Lᴴ·L̄, -1) + triu(Ū·Uᴴ))·U⁻ᴴ; of the rows or columns beyond the square, each of which depends on
    one factor and one part of A alone, the contributions are taken over into the square first."""
    factors, pivots, _ = parts(y)
    into_factors, _, _ = part_cotangents(g, y)
    if into_factors is None:
        return None
    size, wide, tall = min(a.shape[-2:]), a.shape[-1], a.shape[-2]
    square = columns(rows(factors, 0, size), 0, size)
    into_square = columns(rows(into_factors, 0, size), 0, size)
    unit, triangle = with_diagonal(lower(square), square.like(1)), upper(square)
    into_lower = matmul(adjoint(unit), lower(into_square, -1))
    into_upper = matmul(upper(into_square), adjoint(triangle))
    result_beyond = None
    if wide > size:
        beyond = columns(rows(factors, 0, size), size, wide)
        into_beyond = columns(rows(into_factors, 0, size), size, wide)
        into_lower = into_lower - matmul(into_beyond, adjoint(beyond))
        result_beyond = fa.triangular_solve(adjoint(square), into_beyond, upper=True, unitriangular=True)
    elif tall > size:
        below, into_below = rows(factors, size, tall), rows(into_factors, size, tall)
        into_upper = into_upper - matmul(adjoint(below), into_below)
        result_beyond = _solved_from_right(into_below, adjoint(square), is_upper=False)
    inner = lower(into_lower, -1) + upper(into_upper)
    halfway = fa.triangular_solve(adjoint(square), inner, upper=True, unitriangular=True)
    result = _solved_from_right(halfway, adjoint(square), is_upper=False)
    if result_beyond is not None:
        result = (joined_columns if wide > size else joined_rows)(result, result_beyond)
    return rows_in_order(result, inverse_order(row_order(pivots, tall)))


def _tall_qr(into_q: Node | None, into_r: Node | None, q: Node, r: Node) -> Node:
    """(Q̄ + Q·(X + Xᴴ))·R⁻ᴴ with X = triu(R̄·Rᴴ - Qᴴ·Q̄), its diagonal halved."""
    terms = []
    if into_r is not None:
        terms.append(matmul(into_r, adjoint(r)))
    if into_q is not None:
        terms.append(-matmul(adjoint(q), into_q))
    inner = _halved_diagonal(upper(terms[0] if len(terms) == 1 else terms[0] + terms[1]))
    total = matmul(q, inner + adjoint(inner))
    return _solved_from_right(total if into_q is None else total + into_q, adjoint(r), is_upper=False)


def _qr(g: Node, y: Node, a: Node) -> Cotangents:
    tall, wide = a.shape[-2:]
    if y["mode"] == "r":
        raise NotImplementedError("the derivative of linalg.qr is not implemented when mode='r': use mode='reduced'")
    if y["mode"] == "complete" and tall > wide:
        raise NotImplementedError(
            "the QR decomposition is not differentiable when mode='complete' and there are more rows than columns: "
            "the further columns of Q are not determined; use mode='reduced'"
        )
    q, r = parts(y)
    into_q, into_r = part_cotangents(g, y)
    if into_q is None and into_r is None:
        return None
    if tall >= wide:
        return _tall_qr(into_q, into_r, q, r)
    # The first columns determine Q, and R's further columns are Qᴴ·A.
    beyond = zeros_like(columns(a, tall, wide))
    if into_r is not None:
        into_beyond = columns(into_r, tall, wide)
        product = matmul(columns(a, tall, wide), adjoint(into_beyond))
        into_q = product if into_q is None else into_q + product
        into_r, beyond = columns(into_r, 0, tall), matmul(q, into_beyond)
    return joined_columns(_tall_qr(into_q, into_r, q, columns(r, 0, tall)), beyond)


def _missing(name: str, instead: str) -> PullbackRule:
    def rule(g: Node, y: Node, *inputs: Node) -> Cotangents:
        raise NotImplementedError(f"the derivative of {name} is not implemented: {instead}")

    return rule


def _triangular_solve(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    """With a·x = b: b̄ = a⁻ᴴ·x̄ and ā = -b̄·xᴴ, of which the triangle counts that is read."""
    is_upper, is_unit = y.attrs
    into_b = fa.triangular_solve(adjoint(a), g, upper=not is_upper, unitriangular=is_unit)
    full = -matmul(into_b, adjoint(y))
    into_a = upper(full, int(is_unit)) if is_upper else lower(full, -int(is_unit))
    return into_a, into_b


def _matrix_exp(g: Node, y: Node, a: Node) -> Cotangents:
    """The upper right block of exp [[aᴴ, ḡ], [0, aᴴ]] (I. Najfeld and T. F. Havel, 1995)."""
    size = a.shape[-1]
    transposed = adjoint(a)
    above = joined_columns(transposed, g)
    below = joined_columns(zeros_like(transposed), transposed)
    return columns(rows(fa.matrix_exp(joined_rows(above, below)), 0, size), size, 2 * size)


define_pullbacks(
    {
        fa.cholesky: _cholesky,
        fa.lu: _lu,
        fa.qr: _qr,
        fa.geqrf: _missing("geqrf", "use linalg.qr"),
        fa.ldl: _missing("linalg.ldl_factor", "use linalg.cholesky or linalg.lu_factor"),
        fa.ldl_solve: _missing("linalg.ldl_solve", "use linalg.solve"),
        fa.lstsq: NotDifferentiable("its ranks are integers; the solution has a rule of its own, in `least_squares`"),
        fa.triangular_solve: _triangular_solve,
        fa.matrix_exp: _matrix_exp,
        fa.pivot_order: DISCRETE,
    }
)
