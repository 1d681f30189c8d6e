"""Linear algebra: what has one right answer. Results that are determined up to sign or phase: see test_linalg.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle.cases import Case, ErrorCase
from tests.oracle.recipes import Array, complexes, floats, integers

from .calls import call

_BATCHES: tuple[tuple[int, ...], ...] = ((), (2,), (2, 1), (0,))


def _linalg(
    name: str,
    *arguments: Any,
    floating: str = "float64",
    slack: float = 10.0,
    gradient: bool = True,
    **keywords: Any,
) -> Case:
    """A case of `t.linalg.name`; arrays become tensors."""
    arrays = tuple(value for value in arguments if isinstance(value, Array))

    def function(t: Any, *tensors: Any) -> Any:
        given = iter(tensors)
        return getattr(t.linalg, name)(
            *[next(given) if isinstance(value, Array) else value for value in arguments], **keywords
        )

    text = ", ".join([value.label if isinstance(value, Array) else repr(value) for value in arguments])
    options = "".join(f", {key}={value}" for key, value in keywords.items())
    return Case(f"linalg.{name}({text}{options}) {floating}", function, arrays, gradient, floating, slack)


def regular(*shape: int) -> Array:
    """Matrices far from singular, with pivots, eigenvalues and singular values well apart."""

    def draw(generator: np.random.Generator, size: tuple[int, ...]) -> Any:
        count = min(size[-2:])
        diagonal = np.zeros(size[-2:])
        diagonal[range(count), range(count)] = 2.0 * np.arange(1, count + 1)
        return generator.uniform(-0.5, 0.5, size) + diagonal

    return Array(shape, None, draw, True, f"regular{list(shape)}")


def definite(*shape: int) -> Array:
    """Positive definite matrices."""

    def draw(generator: np.random.Generator, size: tuple[int, ...]) -> Any:
        x = generator.standard_normal(size)
        return x @ x.swapaxes(-2, -1) + np.eye(size[-1])

    return Array(shape, None, draw, True, f"definite{list(shape)}")


def _on_batches(build: Callable[..., Array], name: str, *sizes: int, **keywords: Any) -> list[Case]:
    return [
        _linalg(name, build(*batch, *sizes), floating=floating, **keywords)
        for batch in _BATCHES
        for floating in ("float64", "float32")
    ]


_OF_ONE_MATRIX = [
    *_on_batches(definite, "cholesky", 3, 3),
    *_on_batches(definite, "cholesky_ex", 3, 3, upper=True),
    *_on_batches(regular, "det", 3, 3),
    *_on_batches(regular, "slogdet", 3, 3),
    *_on_batches(regular, "inv", 3, 3),
    *_on_batches(regular, "inv_ex", 3, 3),
    *_on_batches(regular, "lu", 3, 3),
    *_on_batches(regular, "lu", 2, 4),
    *_on_batches(regular, "lu_factor", 4, 2),
    *_on_batches(regular, "svdvals", 4, 2),
    *_on_batches(definite, "eigvalsh", 3, 3),
    *_on_batches(regular, "pinv", 4, 2),
    *_on_batches(regular, "pinv", 2, 3),
    *_on_batches(definite, "pinv", 3, 3, hermitian=True),
    *_on_batches(floats, "matrix_exp", 3, 3),
    *_on_batches(regular, "matrix_power", 3, 3, n=5),
    *_on_batches(regular, "matrix_power", 3, 3, n=-2),
    *_on_batches(regular, "matrix_rank", 4, 2),
    *_on_batches(regular, "cond", 3, 3),
    *[_linalg("cond", regular(2, 3, 3), p) for p in ("nuc", 2, -2)],
    # torch overwrites the inverse that its own backward of the others needs.
    *[_linalg("cond", regular(2, 3, 3), p, gradient=False) for p in ("fro", 1, -1, float("inf"), -float("inf"))],
    *[_linalg("matrix_norm", floats(2, 3, 4), p) for p in ("fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf"))],
    *[_linalg("matrix_norm", floats(2, 3, 4), p, (2, 0), True) for p in ("fro", "nuc", 1, float("inf"), -2)],
    *[_linalg("matrix_norm", floats(0, 3), p) for p in ("fro", "nuc", 1, 2, float("inf"))],
    *[_linalg("vector_norm", floats(2, 3), p, 1) for p in (1, 2, 2.5, -1, float("inf"), -float("inf"))],
    _linalg("vector_norm", floats(2, 3), 0, 1, gradient=False),  # torch leaves it undefined
    _linalg("vector_norm", floats(2, 3), keepdim=True),
    _linalg("norm", floats(2, 3, 4)),
    _linalg("norm", floats(2, 3), "nuc"),
    _linalg("norm", floats(2, 3), 1, 0),
    _linalg("qr", regular(4, 3), "r", gradient=False),
    _linalg("det", regular(0, 0)),
    _linalg("slogdet", regular(0, 0)),
    _linalg("inv", regular(2, 0, 0)),
    _linalg("cholesky", definite(0, 0)),
    _linalg("svdvals", floats(0, 3)),
    _linalg("matrix_rank", floats(0, 3)),
    _linalg("cond", floats(2, 0, 3)),
    _linalg("vander", floats(2, 3)),
    _linalg("vander", integers(3), N=4),
    _linalg("tensorinv", floats(2, 3, 6), 2),
    _linalg("tensorinv", floats(6, 2, 3), 1),
    _linalg("diagonal", floats(2, 3, 4)),
    *[_linalg(name, complexes(3, 3)) for name in ("det", "slogdet", "inv", "svdvals", "lu", "matrix_exp", "pinv")],
]

_SYSTEMS = [
    _linalg("solve", regular(3, 3), floats(3)),
    _linalg("solve", regular(3, 3), floats(3, 2)),
    _linalg("solve", regular(2, 3, 3), floats(2, 3)),
    _linalg("solve", regular(2, 3, 3), floats(3, 2)),
    _linalg("solve", regular(3, 3), floats(2, 3, 2)),
    _linalg("solve", regular(2, 1, 3, 3), floats(5, 3, 1)),
    _linalg("solve", regular(3, 3), floats(2, 3), left=False),
    _linalg("solve", regular(3, 3), floats(3, 0)),
    _linalg("solve", complexes(3, 3), complexes(3, 2)),
    _linalg("solve_ex", regular(2, 3, 3), floats(2, 3, 1)),
    _linalg("solve_triangular", regular(3, 3), floats(3, 2), upper=True),
    _linalg("solve_triangular", regular(2, 3, 3), floats(3, 2), upper=False, unitriangular=True),
    _linalg("solve_triangular", regular(3, 3), floats(4, 2, 3), upper=False, left=False),
    _linalg("solve_triangular", complexes(3, 3), complexes(3, 2), upper=True),
    *[_linalg("lstsq", regular(4, 2), floats(4, 3), driver=d) for d in (None, "gels", "gelsy", "gelsd", "gelss")],
    _linalg("lstsq", regular(2, 4, 2), floats(2, 4)),
    _linalg("lstsq", regular(2, 4), floats(2, 3), driver="gels"),
    _linalg("tensorsolve", floats(2, 3, 6), floats(2, 3)),
    _linalg("tensorsolve", floats(6, 2, 3), floats(2, 3), dims=(0,)),
    *call("cholesky_solve", floats(3, 2), regular(3, 3), floating="float64", slack=10.0),
    *call("cholesky_inverse", regular(3, 3), floating="float64", slack=10.0),
    *call("triangular_solve", floats(3, 2), regular(3, 3), floating="float64", slack=10.0),
    *call("triangular_solve", floats(3, 2), regular(3, 3), False, True, floating="float64", slack=10.0),
]

_PRODUCTS = [
    _linalg("cross", floats(2, 3), floats(2, 3)),
    _linalg("cross", floats(3, 1), floats(3, 4), dim=0),
    _linalg("vecdot", floats(2, 3), floats(3)),
    _linalg("vecdot", complexes(2, 3), complexes(2, 3), dim=0),
    *call("cross", floats(3, 4), floats(3, 4)),
    *call("vdot", floats(4), floats(4)),
    *call("vdot", complexes(4), complexes(4)),
    *call("inner", floats(2, 3), floats(4, 3)),
    *call("inner", floats(2, 3), floats()),
    *call("kron", floats(2, 3), floats(4)),
    *call("kron", integers(2), integers(2, 3)),
    *call("addbmm", floats(2, 4), floats(5, 2, 3), floats(5, 3, 4), forms="t x inplace"),
    *call("addbmm", floats(4), floats(5, 2, 3), floats(5, 3, 4), beta=0.5, alpha=2.0),
    *call("addr", floats(2, 3), floats(2), floats(3), forms="t x inplace"),
    *call("addr", floats(3), floats(2), floats(3), beta=0),
    *call("chain_matmul", floats(2, 5), floats(5, 3), floats(3, 4), forms="t"),
    Case("multi_dot", lambda t, *x: t.linalg.multi_dot(x), (floats(4), floats(4, 7), floats(7, 2), floats(2, 5))),
    Case("multi_dot to a number", lambda t, *x: t.linalg.multi_dot(x), (floats(4), floats(4, 2), floats(2))),
]

_DISTANCES = [
    *[
        case
        for p in (0, 1, 1.5, 2, 3, float("inf"))
        for case in call("cdist", floats(4, 3), floats(5, 3), p, forms="t")
    ],
    *call("cdist", floats(2, 1, 4, 3), floats(6, 5, 3), forms="t"),
    *call("cdist", floats(30, 3), floats(4, 3), forms="t", slack=10.0),
    *call("cdist", floats(4, 0), floats(5, 0), forms="t"),
    *call("pdist", floats(5, 3), forms="t F"),
    *call("pdist", floats(1, 3), 1.0, forms="t"),
    *call("dist", floats(2, 3), floats(3), 3),
    *call("renorm", floats(3, 4), 2, 0, 1.0, forms="t x inplace"),
    *call("renorm", floats(3, 4, 2), 1, 1, 2.0),
]

CASES = [
    *_OF_ONE_MATRIX,
    *_SYSTEMS,
    *_PRODUCTS,
    *_DISTANCES,
    *call("logdet", definite(2, 3, 3), floating="float64", slack=10.0),
    *call("pinverse", regular(4, 2), floating="float64", slack=10.0),
    *call("inverse", regular(3, 3), floating="float64", slack=10.0),
]


def _of(name: str, **keywords: Any) -> Callable[..., Any]:
    return lambda t, *tensors: getattr(t.linalg, name)(*tensors, **keywords)


_A, _WIDE, _WHOLE, _VECTOR = floats(3, 3), floats(2, 3), integers(3, 3), floats(3)
_SQUARE_ONLY = "cholesky det eig eigh eigvals eigvalsh inv inv_ex ldl_factor slogdet matrix_exp".split()
_MATRICES_ONLY = [*_SQUARE_ONLY, *"lu lu_factor matrix_rank pinv qr svd svdvals cond matrix_norm".split()]


def _zeros(generator: np.random.Generator, size: tuple[int, ...]) -> Any:
    return np.zeros(size)


_SINGULAR = Array((3, 3), None, _zeros, False, "zeros")

ERRORS = [
    *[ErrorCase(f"{name} of a wide matrix", _of(name), (_WIDE,)) for name in _SQUARE_ONLY],
    *[ErrorCase(f"{name} of a vector", _of(name), (_VECTOR,)) for name in _MATRICES_ONLY],
    *[ErrorCase(f"{name} of integers", _of(name), (_WHOLE,)) for name in _MATRICES_ONLY],
    *[
        ErrorCase(f"{name} of float16", _of(name), (floats(3, 3, dtype="float16", requires_grad=False),))
        for name in "cholesky det eig eigh inv ldl_factor lu qr slogdet svd svdvals pinv matrix_rank".split()
    ],
    *[
        ErrorCase(f"{name} of a singular matrix", _of(name), (_SINGULAR,), data_dependent=True)
        for name in "cholesky inv lu_factor ldl_factor".split()
    ],
    ErrorCase("solve of a singular matrix", _of("solve"), (_SINGULAR, _A), data_dependent=True),
    ErrorCase("inv_ex that checks", _of("inv_ex", check_errors=True), (_SINGULAR,), data_dependent=True),
    ErrorCase("solve of other sizes", _of("solve"), (_A, floats(4, 2))),
    ErrorCase("solve of other dtypes", _of("solve"), (_A, floats(3, dtype="float64"))),
    ErrorCase("solve of a vector from the right", _of("solve", left=False), (_A, _VECTOR)),
    ErrorCase("lu without pivoting", _of("lu", pivot=False), (_A,)),
    ErrorCase("qr in an unknown mode", _of("qr", mode="full"), (_A,)),
    ErrorCase("eigh of an unknown triangle", _of("eigh", UPLO="X"), (_A,)),
    ErrorCase("svd with a driver", _of("svd", driver="gesvd"), (_A,)),
    ErrorCase("lstsq with an unknown driver", _of("lstsq", driver="best"), (_A, _A)),
    ErrorCase("cond of an unknown norm", _of("cond", p=3), (_A,)),
    ErrorCase("matrix_norm of an unknown order", _of("matrix_norm", ord=3), (_A,)),
    ErrorCase("matrix_norm of one dimension twice", _of("matrix_norm", dim=(0, 0)), (_A,)),
    ErrorCase("matrix_norm along one dimension", _of("matrix_norm", dim=0), (_A,)),
    ErrorCase("vector_norm by name", _of("vector_norm", ord="fro"), (_A,)),
    ErrorCase("largest of no numbers", _of("vector_norm", ord=float("inf")), (floats(0),)),
    ErrorCase("norm of three dimensions", _of("norm", ord=2), (floats(2, 2, 2),)),
    ErrorCase("vander of float16", _of("vander"), (floats(3, dtype="float16", requires_grad=False),)),
    ErrorCase("vecdot of integers", _of("vecdot"), (_WHOLE, _WHOLE)),
    ErrorCase("cross of other sizes", _of("cross"), (_WIDE, floats(2, 2))),
    ErrorCase("cross without a dimension of 3", lambda t, x: t.cross(x, x), (floats(2, 4),)),
    ErrorCase("tensorinv of other sizes", _of("tensorinv", ind=1), (_WIDE,)),
    ErrorCase("tensorinv from no dimension", _of("tensorinv", ind=0), (_A,)),
    ErrorCase("multi_dot of one", lambda t, x: t.linalg.multi_dot([x]), (_A,)),
    ErrorCase("multi_dot of other sizes", lambda t, x, y: t.linalg.multi_dot([x, y]), (_A, _WIDE)),
    ErrorCase("cdist of vectors", lambda t, x: t.cdist(x, x), (_VECTOR,)),
    ErrorCase("cdist of other sizes", lambda t, x, y: t.cdist(x, y), (_A, floats(3, 4))),
    ErrorCase("cdist of a negative p", lambda t, x: t.cdist(x, x, -1.0), (_A,)),
    ErrorCase("cdist in an unknown mode", lambda t, x: t.cdist(x, x, compute_mode="fast"), (_A,)),
    ErrorCase("pdist of a vector", lambda t, x: t.pdist(x), (_VECTOR,)),
    ErrorCase("renorm of a vector", lambda t, x: t.renorm(x, 2, 0, 1.0), (_VECTOR,)),
    ErrorCase("renorm with p 0", lambda t, x: t.renorm(x, 0, 0, 1.0), (_A,)),
    ErrorCase("inner of other sizes", lambda t, x, y: t.inner(x, y), (_A, floats(3, 4))),
    ErrorCase("kron of a number", lambda t, x: t.kron(x, 2.0), (_A,)),
    ErrorCase("pivots of another dtype", lambda t, x: t.lu_unpack(x, x[0]), (floats(3, 3, requires_grad=False),)),
    ErrorCase("pca_lowrank of too many", lambda t, x: t.pca_lowrank(x, q=9), (_A,)),
]
