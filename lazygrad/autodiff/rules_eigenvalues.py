"""Pullbacks of eigenvalues, eigenvectors and singular values.

Sources: J. Townsend, "Differentiating the singular value decomposition" (2016); Z.-Q. Wan and S.-X. Zhang, "Automatic
differentiation for complex valued SVD" (2019); C. Boeddeker et al., "On the computation of complex-valued gradients
with application to statistically optimum beamforming" (2017) for the eigenvalue problems; M. B. Giles, "Collected
matrix derivative results" (2008) for the values alone.

Vectors are determined up to sign or phase: the formulas hold for what does not depend on these.
"""

from __future__ import annotations

from lazygrad.autodiff.registry import Cotangents, define_pullbacks
from lazygrad.ir.build import cast, conj, real
from lazygrad.ir.composites.linear_algebra import solve
from lazygrad.ir.matrix import (
    adjoint,
    as_column,
    as_row,
    columns,
    diagonal,
    diagonal_matrix,
    part_cotangents,
    parts,
    rows,
    with_diagonal,
)
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ir.primitives.contraction import matmul


def _differences(values: Node) -> Node:
    """values[j] - values[i], with ones on the diagonal."""
    table = as_row(values) - as_column(values)
    return with_diagonal(table, table.like(1))


def _sum(terms: list[Node]) -> Node | None:
    total: Node | None = None
    for term in terms:
        total = term if total is None else total + term
    return total


def _between(left: Node, values: Node, right: Node) -> Node:
    """left · diag(values) · right."""
    return matmul(left * cast(as_row(values), left.dtype), right)


def _svd(g: Node, y: Node, a: Node) -> Cotangents:
    """U·[(skew(Uᴴ·Ū)·S + S·skew(Vᴴ·V̄)) / E + S̄]·Vᴴ + (I - U·Uᴴ)·Ū·S⁻¹·Vᴴ + U·S⁻¹·V̄ᴴ·(I - V·Vᴴ).

    E[i, j] = S[j]² - S[i]², skew(X) = X - Xᴴ. Only the first min(m, n) singular vectors count.
    """
    count = min(a.shape[-2:])
    left, values, right = parts(y)
    into_left, into_values, into_right = part_cotangents(g, y)
    left, right, values = columns(left, 0, count), rows(right, 0, count), real(values)
    into_left = None if into_left is None else columns(into_left, 0, count)
    into_right = None if into_right is None else rows(into_right, 0, count)
    if into_left is None and into_right is None:
        return None if into_values is None else _between(left, real(into_values), right)
    scale = cast(values, a.dtype)
    terms, outside = [], []
    phase: Node | None = None
    if into_left is not None:
        overlap = matmul(adjoint(left), into_left)
        skew = overlap - adjoint(overlap)
        phase = diagonal(skew)
        terms.append(skew * as_row(scale))
        if a.shape[-2] > count:
            beyond = into_left - matmul(left, overlap)
            outside.append(matmul(beyond / as_row(scale), right))
    if into_right is not None:
        overlap = matmul(right, adjoint(into_right))
        terms.append(as_column(scale) * (overlap - adjoint(overlap)))
        if a.shape[-1] > count:
            beyond = into_right - matmul(adjoint(overlap), right)
            outside.append(matmul(left / as_row(scale), beyond))
    table = as_row(values) - as_column(values)
    squares = with_diagonal(table * (as_row(values) + as_column(values)), values.like(1))
    total = _sum(terms)
    assert total is not None
    on_diagonal = scale * 0 if into_values is None else cast(real(into_values), a.dtype)
    if phase is not None and a.dtype.is_complex:
        on_diagonal = on_diagonal + phase / (scale * 2)
    inner = with_diagonal(total / cast(squares, a.dtype), on_diagonal)
    return _sum([matmul(matmul(left, inner), right), *outside])


def _svdvals(g: Node, y: Node, a: Node) -> Cotangents:
    left, _, right = parts(fa.svd(a, full_matrices=False))
    return _between(left, g, right)


def _eigh(g: Node, y: Node, a: Node) -> Cotangents:
    """V·(diag(L̄) + ½·skew(Vᴴ·V̄) / E)·Vᴴ with E[i, j] = L[j] - L[i], skew(X) = X - Xᴴ: symmetric, as the input is."""
    values, vectors = parts(y)
    into_values, into_vectors = part_cotangents(g, y)
    if into_vectors is None:
        return None if into_values is None else _between(vectors, real(into_values), adjoint(vectors))
    overlap = matmul(adjoint(vectors), into_vectors)
    inner = (overlap - adjoint(overlap)) / cast(_differences(real(values)) * 2, a.dtype)
    on_diagonal = real(values) * 0 if into_values is None else real(into_values)
    inner = with_diagonal(inner, cast(on_diagonal, a.dtype))
    return matmul(matmul(vectors, inner), adjoint(vectors))


def _eigvalsh(g: Node, y: Node, a: Node) -> Cotangents:
    _, vectors = parts(fa.eigh(a, upper=y["upper"]))
    return _between(vectors, g, adjoint(vectors))


def _similar(inner: Node, vectors: Node, a: Node) -> Node:
    """V⁻ᴴ · inner · Vᴴ, real for a real matrix."""
    from_left = solve(vectors, matmul(inner, adjoint(vectors)), adjoint=True, check="")
    return from_left if a.dtype.is_complex else real(from_left)


def _eig(g: Node, y: Node, a: Node) -> Cotangents:
    """V⁻ᴴ·(diag(L̄) + (Vᴴ·V̄ - Vᴴ·V·diag(Re(Vᴴ·V̄))) / conj(E))·Vᴴ with E[i, j] = L[j] - L[i]; columns have norm 1."""
    values, vectors = parts(y)
    into_values, into_vectors = part_cotangents(g, y)
    if into_vectors is None:
        return None if into_values is None else _similar(diagonal_matrix(into_values), vectors, a)
    overlap = matmul(adjoint(vectors), into_vectors)
    along = cast(real(diagonal(overlap)), overlap.dtype)
    changed = overlap - matmul(adjoint(vectors), vectors) * as_row(along)
    on_diagonal = values * 0 if into_values is None else into_values
    return _similar(with_diagonal(changed / conj(_differences(values)), on_diagonal), vectors, a)


def _eigvals(g: Node, y: Node, a: Node) -> Cotangents:
    _, vectors = parts(fa.eig(a))
    return _similar(diagonal_matrix(g), vectors, a)


define_pullbacks(
    {
        fa.svd: _svd,
        fa.svdvals: _svdvals,
        fa.eigh: _eigh,
        fa.eigvalsh: _eigvalsh,
        fa.eig: _eig,
        fa.eigvals: _eigvals,
    }
)
