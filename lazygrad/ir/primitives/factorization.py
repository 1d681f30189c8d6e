"""Factorizations of matrices, and the solvers that use them.

A node has one output, so a factorization's parts lie packed in one buffer: the last axis holds them one after
another, each row by row, in the dtype of the whole. They are read through slices and reshapes, which are views: one
factorization, no copies. Integers, such as pivots and ``info``, are stored as floats, which is exact up to 2²⁴.

Several ops have an attribute ``check``: the name of the function that raises `LinAlgError` where the factorization
breaks down. With an empty name nothing is raised, and ``info`` says at which (1-based) step it did; 0 is success.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise
from math import prod
from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType, int64
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind, Op, Refusal
from lazygrad.ir.shape import Shape, ShapeError, broadcast_shapes

Result = tuple[Shape, DType]
Attrs = tuple[Any, ...]
Layout = Callable[..., tuple[Shape, ...]]

_layouts: dict[Op, Layout] = {}


def part_shapes(op: Op, attrs: Attrs, *shapes: Shape) -> tuple[Shape, ...]:
    """The shapes of a factorization's parts, without the batch, for inputs of ``shapes``."""
    return _layouts[op](attrs, *[shape[-2:] for shape in shapes])


def part_ranges(shapes: tuple[Shape, ...]) -> list[tuple[int, int]]:
    """Where each part lies in the last axis of the packed result."""
    return list(pairwise(accumulate([prod(shape) for shape in shapes], initial=0)))


def _packed(
    name: str,
    layout: Layout,
    doc: str,
    attrs: tuple[str, ...] = (),
    is_complex: bool = False,
    refuses: Refusal | None = None,
    unsaved_input: int | None = None,
) -> CallableOp:
    def infer(values: Attrs, *inputs: TensorType) -> Result:
        shapes = part_shapes(op, values, *[type.shape for type in inputs])
        dtype = inputs[0].dtype
        size = sum([prod(shape) for shape in shapes])
        return (*inputs[0].shape[:-2], size), dtype.to_complex() if is_complex else dtype

    op = CallableOp(name, Kind.LIBRARY, infer, attrs, doc, refuses=refuses, unsaved_input=unsaved_input)
    _layouts[op] = layout
    return op


def _cholesky_parts(attrs: Attrs, a: Shape) -> tuple[Shape, ...]:
    return a, ()


def _lu_parts(attrs: Attrs, a: Shape) -> tuple[Shape, ...]:
    return a, (min(a),), ()


def _qr_parts(attrs: Attrs, a: Shape) -> tuple[Shape, ...]:
    (rows, columns), (mode,) = a, attrs
    inner = rows if mode == "complete" else min(rows, columns)
    return ((inner, columns),) if mode == "r" else ((rows, inner), (inner, columns))


def _svd_parts(attrs: Attrs, a: Shape) -> tuple[Shape, ...]:
    (rows, columns), (full,) = a, attrs
    rank = min(a)
    return (rows, rows if full else rank), (rank,), (columns if full else rank, columns)


def _eigen_parts(attrs: Attrs, a: Shape) -> tuple[Shape, ...]:
    return a[:1], a


def _lstsq_parts(attrs: Attrs, a: Shape, b: Shape) -> tuple[Shape, ...]:
    return (a[1], b[1]), (), (min(a),)


cholesky = _packed(
    "cholesky",
    _cholesky_parts,
    "L, info: a = L·Lᴴ with L lower triangular; upper: reads that triangle",
    ("upper", "check"),
    refuses=Refusal.MATRIX,
)
lu = _packed(
    "lu",
    _lu_parts,
    "LU, pivots, info: a = P·L·U as LAPACK's getrf stores it; pivots from 1",
    ("check",),
    refuses=Refusal.MATRIX,
)
ldl = _packed(
    "ldl",
    _lu_parts,
    "LD, pivots, info: a = L·D·Lᵀ (Lᴴ if hermitian) as LAPACK's sytrf stores the lower triangle",
    ("hermitian", "check"),
    refuses=Refusal.MATRIX,
)
qr = _packed("qr", _qr_parts, "Q, R; mode: reduced, complete, or r for R alone", ("mode",), unsaved_input=0)
geqrf = _packed("geqrf", lambda attrs, a: (a, (min(a),)), "R above the Householder vectors of Q, and their factors")
svd = _packed(
    "svd", _svd_parts, "U, S, Vᴴ: a = U·diag(S)·Vᴴ, S in descending order", ("full_matrices",), refuses=Refusal.MATRIX
)
eigh = _packed("eigh", _eigen_parts, "L, V: a = V·diag(L)·Vᴴ, L ascending; upper: reads that triangle", ("upper",))
eig = _packed(
    "eig", _eigen_parts, "L, V: a = V·diag(L)·V⁻¹, columns of V of norm 1", is_complex=True, refuses=Refusal.MATRIX
)
lstsq = _packed(
    "lstsq",
    _lstsq_parts,
    "X, rank, S: least squares solutions of a·X = b by LAPACK's driver; S only if it computes singular values",
    ("rcond", "driver"),
    refuses=Refusal.MATRIX,
)


def _singular_values(attrs: Attrs, a: TensorType) -> Result:
    return (*a.shape[:-2], min(a.shape[-2:])), a.dtype.to_real()


def _real_eigenvalues(attrs: Attrs, a: TensorType) -> Result:
    return a.shape[:-1], a.dtype.to_real()


def _complex_eigenvalues(attrs: Attrs, a: TensorType) -> Result:
    return a.shape[:-1], a.dtype.to_complex()


svdvals = CallableOp(
    "svdvals",
    Kind.LIBRARY,
    _singular_values,
    doc="singular values, descending",
    refuses=Refusal.MATRIX,
    unsaved_input=0,
)
eigvalsh = CallableOp(
    "eigvalsh", Kind.LIBRARY, _real_eigenvalues, ("upper",), doc="eigenvalues, ascending; see eigh", unsaved_input=0
)
eigvals = CallableOp(
    "eigvals", Kind.LIBRARY, _complex_eigenvalues, doc="eigenvalues", refuses=Refusal.MATRIX, unsaved_input=0
)


def solution_shape(name: str, a: TensorType, b: TensorType) -> Shape:
    """The shape of the solution of a square system ``a·x = b``.

    Raises:
        RuntimeError: dtypes that differ; sizes that do not fit.
    """
    if a.dtype is not b.dtype:
        raise RuntimeError(f"{name}: expected A and B to have the same dtype, but got {a} and {b}")
    if a.shape[-1] != a.shape[-2] or a.shape[-1] != b.shape[-2]:
        raise ShapeError(f"{name}: {a} and {b} are not a square matrix and right sides of as many rows")
    return (*broadcast_shapes(name, a.shape[:-2], b.shape[:-2]), *b.shape[-2:])


def _triangular_solve(attrs: Attrs, a: TensorType, b: TensorType) -> Result:
    return solution_shape("solve_triangular", a, b), a.dtype


def _ldl_solve(attrs: Attrs, factors: TensorType, pivots: TensorType, b: TensorType) -> Result:
    return solution_shape("ldl_solve", factors, b), b.dtype


def _pivot_order(attrs: Attrs, pivots: TensorType) -> Result:
    return (*pivots.shape[:-1], attrs[0]), int64


triangular_solve = CallableOp(
    "triangular_solve",
    Kind.LIBRARY,
    _triangular_solve,
    ("upper", "unitriangular"),
    doc="x with a·x = b, reading one triangle of a; unitriangular: its diagonal counts as ones",
)
ldl_solve = CallableOp(
    "ldl_solve", Kind.LIBRARY, _ldl_solve, ("hermitian",), doc="x with a·x = b, from ldl's LD and pivots"
)
pivot_order = CallableOp(
    "pivot_order",
    Kind.LIBRARY,
    _pivot_order,
    ("rows",),
    doc="0, 1, … after the row exchanges that LU's pivots name",
    refuses=Refusal.INDEX,
)
matrix_exp = CallableOp("matrix_exp", Kind.LIBRARY, lambda attrs, a: (a.shape, a.dtype), doc="Σ aᵏ/k!")
