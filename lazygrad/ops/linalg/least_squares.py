"""Least squares: what solves a system of equations best where nothing solves it."""

from __future__ import annotations

from lazygrad.ir.composites import linear_algebra as la
from lazygrad.ir.dtype import int64
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ops import return_types
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.creation.like import new_empty
from lazygrad.ops.linalg.matrices import (
    BOTH_REFUSED,
    check_dtype,
    check_same_dtype,
    factorized,
    integers_of,
    matrix,
    nothing_of,
    one_batch,
    real_part,
    real_tensor,
)
from lazygrad.ops.linalg.products import matmul
from lazygrad.ops.linalg.systems import is_vector
from lazygrad.ops.pointwise.arithmetic import abs, mul, sub
from lazygrad.ops.pointwise.relational import eq
from lazygrad.ops.reductions.sums import all as all_
from lazygrad.ops.reductions.sums import sum as sum_
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["lstsq"]

_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@accepts_out
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> return_types.linalg_lstsq:
    """(solution, residuals, rank, singular_values): X that minimizes ‖A·X - B‖ column by column, of least norm.

    Args:
        A: shape (…, m, n), float or complex.
        B: shape (…, m, k), or (…, m); of the same dtype.
        rcond: singular values at most this part of the largest count as 0; by default the precision times max(m, n).
        driver: LAPACK's "gelsy" (the default), "gels", which needs full rank, "gelsd" or "gelss". On CUDA it is "gels".

    Returns:
        Solutions (…, n, k); squared residuals (…, k) if m > n and the matrices have full rank, else empty (always with
        gelsy); ranks (…) in int64 except with gels; singular values (…, min(m, n)) with gelsd and gelss. The others
        are empty. The gradient of the solution is that of pinv(A)·B.

    Raises:
        RuntimeError: shapes or dtypes that do not fit, integers, 16-bit floats, an unknown driver.
        LinAlgError: gels finds that A does not have full rank; when the result is computed.
    """
    name = "linalg.lstsq"
    a, b = matrix(name, A, "input"), tensor_argument(B, name, "other").node()
    check_dtype(name, a.dtype, BOTH_REFUSED)
    check_same_dtype(name, a, b, "input", "other")
    is_cuda = a.device.type == "cuda"
    chosen = driver or ("gels" if is_cuda else "gelsy")
    if chosen not in _DRIVERS:
        raise RuntimeError(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if is_cuda and chosen != "gels":
        raise RuntimeError(f"torch.{name}: `driver` other than `gels` is not supported on CUDA")
    vector = is_vector(a, b)
    if b.rank < 1 or (not vector and b.rank != a.rank) or b.shape[-1 if vector else -2] != a.shape[-2]:
        raise RuntimeError(f"{name}: input {a.type} and other {b.type} do not fit: their numbers of rows must be the "
                           f"same")  # fmt: skip
    columns = reshaped(b, (*b.shape, 1)) if vector else b
    a, columns = one_batch(name, a, columns)
    cutoff = la.epsilon(a) * max(a.shape[-2:]) if rcond is None else float(rcond)
    attrs = (cutoff, chosen)
    found = record_node(la.least_squares, (a, columns), attrs)
    sides = tuple([Tensor.from_node(side).detach().node() for side in (a, columns)])
    _, rank, values = factorized(fa.lstsq, sides, attrs)
    ranks = integers_of(rank, int64)
    solution = Tensor.from_node(found)
    residuals = nothing_of(real_part(found))
    if chosen != "gelsy" and a.shape[-2] > a.shape[-1] and _has_full_rank(chosen, ranks, a.shape[-1]):
        beyond = abs(sub(matmul(Tensor.from_node(a), solution), Tensor.from_node(columns)))
        residuals = sum_(mul(beyond, beyond), -2)
    return return_types.linalg_lstsq(
        Tensor.from_node(reshaped(found, found.shape[:-1])) if vector else solution,
        residuals,
        new_empty(A, 0, dtype=int64) if chosen == "gels" else ranks,
        real_tensor(values) if chosen in ("gelsd", "gelss") else new_empty(A, 0, dtype=A.dtype.to_real()),
    )


def _has_full_rank(driver: str, ranks: Tensor, columns: int) -> bool:
    """Whether all matrices do, which decides about a shape: the ranks are computed now."""
    return driver == "gels" or bool(all_(eq(ranks, columns)).item())
