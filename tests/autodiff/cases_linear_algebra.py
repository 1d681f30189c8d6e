"""Gradient-check cases of factorizations, linear systems and determinants.

Decompositions of Hermitian matrices are checked on ``x + xᴴ``: their gradients are symmetric, whichever triangle is
read. Complex vectors are checked through what they span, which does not depend on their phases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lazygrad.ir.build import conj, real, swap_last
from lazygrad.ir.composites import linear_algebra as la
from lazygrad.ir.matrix import adjoint, columns, identity, lower, parts
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ir.primitives.contraction import matmul

from .case import Case, uniform
from .cases_structural import FIXED

Build = Callable[..., Node]


def _symmetric(x: Node) -> Node:
    return x + adjoint(x)


def _definite(x: Node) -> Node:
    return matmul(x, adjoint(x)) + identity(x.shape, x)


def _square(size: int, *batch: int, seed: int = 0) -> np.ndarray:
    """Matrices whose pivots, eigenvalues and singular values lie well apart."""
    return uniform(*batch, size, size, low=-0.4, high=0.4, seed=seed) + np.diag(np.arange(1.0, 2 * size, 2))


def _tall(rows: int, columns: int, *batch: int, seed: int = 0) -> np.ndarray:
    scale = np.linspace(1.0, 2.5, max(rows, columns))
    x = uniform(*batch, rows, columns, low=-0.4, high=0.4, seed=seed)
    return x + np.eye(rows, columns) * scale[:columns]


def _complex(build: Build, *arrays: np.ndarray, order: int = 1) -> Case:
    """``build`` of complex inputs: the arrays, with small imaginary parts."""
    imaginary = [uniform(*array.shape, low=-0.3, high=0.3, seed=9) for array in arrays]
    return Case(build, tuple([x + 1j * y for x, y in zip(arrays, imaginary, strict=True)]), order)


def _both(build: Build, *arrays: np.ndarray, order: int = 2) -> list[Case]:
    """Of real and of complex inputs."""
    return [Case(build, arrays, order), _complex(build, *arrays)]


def _values(index: int, packed: Node) -> Node:
    """One part of a factorization, real."""
    return real(parts(packed)[index])


def _projection(vectors: Node) -> Node:
    """What the first vector spans, whatever its phase."""
    first = columns(vectors, 0, 1)
    return matmul(first, adjoint(first))


_ZERO, _SMALL = FIXED(np.array(0.0)), FIXED(np.array(1e-12))
_ORDER = FIXED(np.array([2, 0, 1]))

CASES: dict[str, list[Case]] = {
    "cholesky": [
        *_both(lambda x: fa.cholesky(_definite(x), upper=False, check=""), _square(3)),
        Case(lambda x: fa.cholesky(_definite(x), upper=True, check=""), (_square(2, 2),)),
    ],
    "lu": [
        *_both(lambda x: fa.lu(x, check=""), np.flip(_square(3), 0).copy()),
        *_both(lambda x: fa.lu(x, check=""), _tall(2, 4)),
        *_both(lambda x: fa.lu(x, check=""), _tall(4, 2, 2), order=1),
    ],
    "qr": [
        Case(lambda x: fa.qr(x, mode="reduced"), (_tall(4, 3),)),
        Case(lambda x: fa.qr(x, mode="complete"), (_square(3),)),
        Case(lambda x: fa.qr(x, mode="reduced"), (_tall(2, 4, 2),), order=1),
        _complex(lambda x: matmul(*parts(fa.qr(x, mode="reduced"))) + parts(fa.qr(x, mode="reduced"))[0], _tall(3, 2)),
    ],
    "svd": [
        Case(lambda x: fa.svd(x, full_matrices=False), (_tall(3, 3),)),
        Case(lambda x: fa.svd(x, full_matrices=False), (_tall(4, 2, 2),), order=1),
        Case(lambda x: fa.svd(x, full_matrices=True), (_square(2),)),
        Case(lambda x: fa.svd(x, full_matrices=False), (_tall(2, 3),)),
        Case(lambda x: _values(1, fa.svd(x, full_matrices=False)), (_tall(3, 2),)),
        _complex(lambda x: _projection(parts(fa.svd(x, full_matrices=False))[0]), _tall(3, 2)),
    ],
    "svdvals": _both(lambda x: fa.svdvals(x), _tall(3, 2)),
    "eigh": [
        Case(lambda x: fa.eigh(_symmetric(x), upper=False), (_square(3),)),
        Case(lambda x: fa.eigh(_symmetric(x), upper=True), (_square(2, 2),), order=1),
        _complex(lambda x: _projection(parts(fa.eigh(_symmetric(x), upper=False))[1]), _square(3)),
    ],
    "eigvalsh": _both(lambda x: fa.eigvalsh(_symmetric(x), upper=False), _square(3)),
    "eig": [
        Case(lambda x: real(fa.eig(x)), (_square(3),)),
        _complex(lambda x: _projection(parts(fa.eig(x))[1]), _square(3)),
    ],
    "eigvals": [Case(lambda x: real(fa.eigvals(x)), (_square(3),)), _complex(lambda x: fa.eigvals(x), _square(2))],
    "triangular_solve": [
        *_both(lambda a, b: fa.triangular_solve(a, b, upper=True, unitriangular=False), _square(3), uniform(3, 2)),
        *_both(lambda a, b: fa.triangular_solve(a, b, upper=False, unitriangular=True), _square(3), uniform(2, 3, 1)),
    ],
    "matrix_exp": _both(lambda x: fa.matrix_exp(x), uniform(2, 2, 2, low=-1, high=1)),
    "solve": [
        *_both(lambda a, b: la.solve(a, b, adjoint=False, check=""), _square(3), uniform(2, 3, 1)),
        *_both(lambda a, b: la.solve(a, b, adjoint=True, check=""), np.flip(_square(3), 0).copy(), uniform(3, 2)),
    ],
    "lu_solve": [
        *_both(lambda a, b: la.lu_solve(a, _ORDER, b, adjoint=False), _square(3), uniform(3, 2)),
        *_both(lambda a, b: la.lu_solve(a, _ORDER, b, adjoint=True), _square(3), uniform(3, 2), order=1),
    ],
    "cholesky_solve": [
        *_both(lambda b, x: la.cholesky_solve(b, lower(x), upper=False), uniform(3, 2), _square(3)),
        *_both(lambda b, x: la.cholesky_solve(b, conj(swap_last(lower(x))), upper=True), uniform(3, 1), _square(3)),
    ],
    "det": _both(lambda x: la.det(x), np.flip(_square(3), 0).copy(), order=3),
    "det_sign": [_complex(lambda x: la.det_sign(x), _square(2), order=2)],
    "log_abs_det": _both(lambda x: la.log_abs_det(x), _square(3, 2)),
    "cofactors": _both(lambda x: la.cofactors(x), _square(3)),
    "pinv": [
        *_both(lambda x: la.pinv(x, _ZERO, _SMALL, hermitian=False), _tall(3, 2)),
        Case(lambda x: la.pinv(x, _ZERO, _SMALL, hermitian=False), (_tall(2, 3, 2),), order=1),
        Case(lambda x: la.pinv(_symmetric(x), _ZERO, _SMALL, hermitian=True), (_square(3),), order=1),
    ],
    "least_squares": _both(
        lambda a, b: la.least_squares(a, b, rcond=1e-12, driver="gelsd"), _tall(4, 2), uniform(4, 2), order=2
    ),
    "reflected": [
        *_both(lambda v, t, b: la.reflected(v, t, b, adjoint=False), uniform(4, 2), uniform(2), uniform(4, 3)),
        *_both(lambda v, t, b: la.reflected(v, t, b, adjoint=True), uniform(3, 3), uniform(2), uniform(3, 1), order=1),
    ],
}
