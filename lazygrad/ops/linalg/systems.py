"""Systems of linear equations and inverses. Leading dimensions are a batch.

Derivatives: see `lazygrad.autodiff.rules_linear_algebra`. A singular matrix shows when the result is computed:
`LinAlgError` is raised where a value is first needed, and the variants with ``_ex`` say it in ``info`` instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazygrad.ir.composites import linear_algebra as la
from lazygrad.ir.dtype import int32
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ops import return_types
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.ranges import eye
from lazygrad.ops.linalg.lu_parts import row_order
from lazygrad.ops.linalg.matrices import (
    BOTH_REFUSED,
    NOT_IMPLEMENTED,
    check_dtype,
    check_same_dtype,
    check_square,
    conjugated,
    factorized,
    integers_of,
    matrix,
    square_matrix,
    transposed,
)
from lazygrad.ops.shapes.permuting import movedim
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

# fmt: off
__all__ = [
    "solve", "solve_ex", "inv", "inv_ex", "solve_triangular", "lu_solve", "ldl_solve", "tensorinv", "tensorsolve",
]
# fmt: on


def is_vector(a: Node, b: Node) -> bool:
    """Whether right sides are vectors rather than matrices, as `solve` reads them."""
    return b.rank == 1 or (b.rank == a.rank - 1 and b.shape == a.shape[:-1])


def _solution(name: str, A: Tensor, B: Tensor, left: bool, check: bool) -> return_types.linalg_solve_ex:
    a = matrix(name, A)
    b = tensor_argument(B, name, "B").node()
    check_square(name, a)
    check_same_dtype(name, a, b)
    check_dtype(name, a.dtype)
    vector = is_vector(a, b)
    if vector and not left:
        raise RuntimeError(f"{name}: Vector broadcasting of the left hand side is not supported for left=False")
    if vector:
        b = reshaped(b, (*b.shape, 1))
    if b.rank < 2:
        raise RuntimeError(f"{name}: B must have at least 1 dimension, but it is {b.type}")
    if b.shape[-2 if left else -1] != a.shape[-1]:
        raise RuntimeError(f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
                           f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})")  # fmt: skip
    attrs = (False, name if check else "")
    sides = (a, b) if left else (transposed(a), transposed(b))
    found = record_node(la.solve, sides, attrs)
    if not left:
        found = transposed(found)
    if vector:
        found = reshaped(found, found.shape[:-1])
    _, _, info = factorized(fa.lu, sides[:1], attrs[1:])
    return return_types.linalg_solve_ex(Tensor.from_node(found), integers_of(info, int32))


@accepts_out
@traced
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with A·X = B, or X·A = B if not ``left``.

    Args:
        A: shape (…, n, n), float or complex.
        B: shape (…, n, k), or (…, k, n) if not ``left``; or vectors: (n,), or (…, n) with the batch of A.

    Raises:
        RuntimeError: shapes or dtypes that do not fit, integers. NotImplementedError: 16-bit floats.
        LinAlgError: A is singular; when the result is computed.
    """
    return _solution("linalg.solve", A, B, left, True).result


@accepts_out
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> return_types.linalg_solve_ex:
    """`solve` that does not raise: (result, info), where info (int32) is 0, or the first pivot of A that is 0.

    Args:
        check_errors: raise LinAlgError after all.
    """
    return _solution("linalg.solve_ex", A, B, left, check_errors)


def _inverse(name: str, A: Tensor, check: bool) -> return_types.linalg_inv_ex:
    """The inverse, and info as in `inv_ex`."""
    node = square_matrix(name, A, errors=BOTH_REFUSED)
    unit = eye(node.shape[-1], dtype=node.dtype, device=node.device)
    check_name = name if check else ""
    found = record(la.solve, (node, unit.node()), (False, check_name))
    _, _, info = factorized(fa.lu, (node,), (check_name,))
    return return_types.linalg_inv_ex(found, integers_of(info, int32))


@accepts_out
@traced
def inv(A: Tensor) -> Tensor:
    """The inverse of a square matrix.

    Args:
        A: shape (…, n, n), float or complex.

    Raises:
        RuntimeError: not square, integers or 16-bit floats.
        LinAlgError: A is singular; when the result is computed.
    """
    return _inverse("linalg.inv", A, True).inverse


@accepts_out
def inv_ex(A: Tensor, *, check_errors: bool = False) -> return_types.linalg_inv_ex:
    """`inv` that does not raise: (inverse, info), where info (int32) is 0, or the first pivot of A that is 0.

    Args:
        check_errors: raise LinAlgError after all.
    """
    return _inverse("linalg.inv_ex", A, check_errors)


@accepts_out
def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """X with A·X = B, or X·A = B if not ``left``, of a triangular A. Zeros on its diagonal give infinities or NaN.

    Args:
        A: shape (…, n, n), float or complex; one triangle is read.
        B: shape (…, n, k), or (…, k, n) if not ``left``.
        upper: which triangle.
        unitriangular: the diagonal counts as ones and is not read.

    Raises:
        RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
    """
    name = "linalg.solve_triangular"
    a, b = square_matrix(name, A, errors=NOT_IMPLEMENTED), matrix(name, B, "B")
    check_same_dtype(name, a, b)
    if b.shape[-2 if left else -1] != a.shape[-1]:
        raise RuntimeError(f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
                           f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})")  # fmt: skip
    if left:
        return record(fa.triangular_solve, (a, b), (upper, unitriangular))
    found = record_node(fa.triangular_solve, (transposed(a), transposed(b)), (not upper, unitriangular))
    return Tensor.from_node(transposed(found))


@accepts_out
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """X with A·X = B, or X·A = B if not ``left``, from what `lu_factor` returned for A.

    Args:
        LU: shape (…, n, n), float or complex.
        pivots: int32, shape (…, n), of the same batch.
        B: shape (…, n, k), or (…, k, n) if not ``left``.
        adjoint: Aᴴ takes A's place.

    Raises:
        RuntimeError: shapes or dtypes that do not fit; pivots out of range, when the result is computed.
    """
    name = "linalg.lu_solve"
    factors, b = matrix(name, LU, "LU"), matrix(name, B, "B")
    order = tensor_argument(pivots, name, "pivots").node()
    check_square(name, factors, "LU")
    if order.dtype is not int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of dtype int32, but it is {order.dtype.name}")
    check_same_dtype(name, factors, b, "LU", "B")
    if order.shape != factors.shape[:-1]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix, but got "
                           f"pivots {order.type} and LU {factors.type}")  # fmt: skip
    check_dtype(name, factors.dtype)
    if b.shape[-2 if left else -1] != factors.shape[-1]:
        raise RuntimeError(f"{name}: Incompatible shapes of LU {factors.type} and B {b.type}")
    if not left:
        b, adjoint = conjugated(transposed(b)), not adjoint
    found = record_node(la.lu_solve, (factors, row_order(order, factors.shape[-1]), b), (adjoint,))
    return Tensor.from_node(found if left else conjugated(transposed(found)))


@accepts_out
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """X with A·X = B, from what `ldl_factor` returned for A.

    Args:
        LD: shape (…, n, n), float or complex.
        pivots: integers, shape (…, n).
        B: shape (…, n, k).
        hermitian: as given to `ldl_factor`.

    Raises:
        RuntimeError: shapes or dtypes that do not fit, integers.
        NotImplementedError: 16-bit floats; a gradient is asked for.
    """
    name = "linalg.ldl_solve"
    factors, b = square_matrix(name, LD, "LD"), matrix(name, B, "B")
    order = tensor_argument(pivots, name, "pivots").node()
    if b.shape[-2] != factors.shape[-1]:
        raise RuntimeError(f"{name}: Incompatible matrix sizes of LD {factors.type} and B {b.type}")
    if order.shape != factors.shape[:-1]:
        raise RuntimeError(f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list(order.shape)} instead")  # fmt: skip
    if order.dtype.differentiable:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {order.dtype.name}")
    check_same_dtype(name, factors, b, "LD", "B")
    return record(fa.ldl_solve, (factors, cast_node(order, int32), b), (hermitian,))


# Tensors as matrices.


@accepts_out
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of the map that contracting the last dimensions of ``A``, from ``ind`` on, is.

    Args:
        A: shape (a…, b…) with ``ind`` dimensions a… whose sizes multiply to the same number as those of b….

    Returns:
        Shape (b…, a…).

    Raises:
        RuntimeError: ``ind`` is not positive; the products of sizes differ; otherwise as `inv`.
    """
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    shape = tensor_argument(A, "linalg.tensorinv", "A").shape
    rows, columns = shape[:ind], shape[ind:]
    if prod(rows) != prod(columns):
        raise RuntimeError(f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]),"
                           f" but got {prod(columns)} != {prod(rows)}")  # fmt: skip
    return reshape(inv(reshape(A, prod(rows), prod(columns))), (*columns, *rows))


@accepts_out
def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """X with ``tensordot(A, X, X.ndim)`` = B.

    Args:
        A: shape (b…, x…) whose sizes b… multiply to the same number as x….
        B: the shape b….
        dims: dimensions of A to move to the end first.

    Raises:
        RuntimeError: sizes that do not fit; otherwise as `solve`.
    """
    moved = tensor_argument(A, "linalg.tensorsolve", "A")
    count = tensor_argument(B, "linalg.tensorsolve", "B").ndim
    if dims is not None:
        moved = movedim(moved, tuple(dims), tuple(range(moved.ndim - len(dims), moved.ndim)))
    result = moved.shape[count:]
    if prod(result) != B.numel():
        raise RuntimeError(f"Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                           f"prod(self.shape[:other.ndim]), but got {prod(result)} != {B.numel()}")  # fmt: skip
    return reshape(solve(reshape(moved, B.numel(), prod(result)), reshape(B, -1)), tuple(result))
