# Written by `python -m tests.typing.stubs` from the functions themselves.

"""``lazygrad.linalg``: factorizations, systems of equations, eigenvalues, norms; PyTorch's ``torch.linalg``.

The last two dimensions are rows and columns, all others a batch. Values are computed when they are needed, and with
them what depends on them: `LinAlgError`, for a singular matrix say, is raised where a result is first read. The
functions whose names end in ``_ex`` do not raise it, but say in a further result, ``info``, what went wrong.
"""

from collections.abc import Sequence

from lazygrad.ir.dtype import DType
from lazygrad.ir.errors import LinAlgError as LinAlgError
from lazygrad.ops import return_types
from lazygrad.ops.arguments.kinds import Dim
from lazygrad.tensor import Tensor

# fmt: off
__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "lu", "lu_factor", "lu_factor_ex", "ldl_factor", "ldl_factor_ex", "qr",
    "householder_product", "solve", "solve_ex", "inv", "inv_ex", "solve_triangular", "lu_solve", "ldl_solve", "lstsq",
    "tensorinv", "tensorsolve", "det", "slogdet", "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals", "norm",
    "vector_norm", "matrix_norm", "cond", "matrix_rank", "pinv", "cross", "diagonal", "matmul", "matrix_exp",
    "matrix_power", "multi_dot", "vander", "vecdot",
]
# fmt: on

def cholesky(A: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """The lower triangular L with A = L·Lᴴ of a positive definite matrix, or the upper triangular U with A = Uᴴ·U.

    Args:
        A: shape (…, n, n), float or complex; only the triangle that is returned is read.
        upper: return U.

    Raises:
        RuntimeError: not square, or integers. NotImplementedError: 16-bit floats.
        LinAlgError: a matrix is not positive definite; when the result is computed.
    """

def cholesky_ex(
    A: Tensor, *, upper: bool = False, check_errors: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_cholesky_ex:
    """`cholesky` that does not raise: (L, info), where info (int32) is 0, or the order of the leading minor that is
    not positive.

    Args:
        check_errors: raise LinAlgError after all.
    """

def cond(A: Tensor, p: float | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number: a norm of A times that of its inverse, infinite for singular matrices.

    Args:
        A: shape (…, m, n), float or complex; square unless ``p`` is None, 2 or -2.
        p: which norm, see `matrix_norm`; None for 2, the ratio of the largest to the smallest singular value.

    Raises:
        RuntimeError: not square, integers, or another ``p``. NotImplementedError: 16-bit floats.
        LinAlgError: numbers that are not finite; when the result is computed.
    """

def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of 3 elements along ``dim``; other dimensions broadcast.

    Raises:
        RuntimeError: different numbers of dimensions, or a size other than 3. NotImplementedError: bools.
        IndexError: ``dim`` out of range.
    """

def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant, shape (…), of matrices (…, n, n), float or complex; 1 for n = 0.

    Raises:
        RuntimeError: not square, or integers. NotImplementedError: 16-bit floats.
    """

def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A view of a diagonal of the last two dimensions, or of ``dim1`` and ``dim2``; see `lazygrad.diagonal`."""

def eig(A: Tensor, *, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_eig:
    """(eigenvalues, eigenvectors) of a square matrix: A = V·diag(L)·V⁻¹, both complex, columns of V of norm 1.

    Args:
        A: shape (…, n, n), float or complex.

    Raises:
        RuntimeError: not square, or integers. NotImplementedError: 16-bit floats.
        RuntimeError: numbers that are not finite; when the result is computed.
    """

def eigh(A: Tensor, UPLO: str = "L", *, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_eigh:
    """(eigenvalues, eigenvectors) of a Hermitian matrix: A = Q·diag(L)·Qᴴ, L ascending and real, Q unitary.

    Args:
        A: shape (…, n, n), float or complex.
        UPLO: "L" reads the lower triangle, "U" the upper.

    Raises:
        RuntimeError: not square, or another ``UPLO``. NotImplementedError: integers or 16-bit floats.
    """

def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of a square matrix, complex, in no particular order; see `eig`.

    Raises:
        RuntimeError: not square, or integers. NotImplementedError: 16-bit floats.
        RuntimeError: numbers that are not finite; when the result is computed.
    """

def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of a Hermitian matrix, ascending; see `eigh`. Their derivative is defined if they repeat.

    Raises:
        RuntimeError: not square, or another ``UPLO``. NotImplementedError: integers or 16-bit floats.
    """

def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first n columns of (I - τ₁·v₁·v₁ᴴ)·(I - τ₂·v₂·v₂ᴴ)….

    Args:
        input: shape (…, m, n), m ≥ n; column i holds vᵢ below the diagonal, where vᵢ has a 1, and zeros above.
        tau: shape (…, k), k ≤ n, of the same dtype.

    Raises:
        RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
    """

def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a square matrix.

    Args:
        A: shape (…, n, n), float or complex.

    Raises:
        RuntimeError: not square, integers or 16-bit floats.
        LinAlgError: A is singular; when the result is computed.
    """

def inv_ex(
    A: Tensor, *, check_errors: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_inv_ex:
    """`inv` that does not raise: (inverse, info), where info (int32) is 0, or the first pivot of A that is 0.

    Args:
        check_errors: raise LinAlgError after all.
    """

def ldl_factor(
    A: Tensor, *, hermitian: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_ldl_factor:
    """(LD, pivots) of A = L·D·Lᵀ with blocks of size 1 and 2 on D's diagonal, as LAPACK's sytrf packs them.

    Args:
        A: symmetric, shape (…, n, n), float or complex; its lower triangle is read.
        hermitian: A is Hermitian rather than symmetric.

    Raises:
        RuntimeError: not square, or integers. NotImplementedError: 16-bit floats; a gradient is asked for.
        LinAlgError: a block of D is 0; when the result is computed.
    """

def ldl_factor_ex(
    A: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_ldl_factor_ex:
    """`ldl_factor` that does not raise: (LD, pivots, info), where info (int32) is 0, or the first block that is 0.

    Args:
        check_errors: raise LinAlgError after all.
    """

def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | None = None) -> Tensor:
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

def lstsq(
    A: Tensor,
    B: Tensor,
    rcond: float | None = None,
    *,
    driver: str | None = None,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.linalg_lstsq:
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

def lu(A: Tensor, *, pivot: bool = True, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_lu:
    """(P, L, U) with A = P·L·U: a permutation matrix, a lower triangle with ones on its diagonal, an upper triangle.

    Args:
        A: shape (…, m, n), float or complex. With k = min(m, n), P is (…, m, m), L (…, m, k) and U (…, k, n).

    Raises:
        RuntimeError: fewer than two dimensions; ``pivot=False``.
        NotImplementedError: integers or 16-bit floats.
    """

def lu_factor(A: Tensor, *, pivot: bool = True, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_lu_factor:
    """(LU, pivots): the triangles of the LU decomposition in one matrix, and the row exchanges (int32, from 1).

    Raises:
        RuntimeError: fewer than two dimensions; ``pivot=False``.
        NotImplementedError: integers or 16-bit floats.
        LinAlgError: a pivot is 0; when the result is computed.
    """

def lu_factor_ex(
    A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_lu_factor_ex:
    """`lu_factor` that does not raise: (LU, pivots, info), where info (int32) is 0, or the first pivot that is 0.

    Args:
        check_errors: raise LinAlgError after all.
    """

def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Tensor | None = None
) -> Tensor:
    """X with A·X = B, or X·A = B if not ``left``, from what `lu_factor` returned for A.

    Args:
        LU: shape (…, n, n), float or complex.
        pivots: int32, shape (…, n), of the same batch.
        B: shape (…, n, k), or (…, k, n) if not ``left``.
        adjoint: Aᴴ takes A's place.

    Raises:
        RuntimeError: shapes or dtypes that do not fit; pivots out of range, when the result is computed.
    """

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of vectors, matrices or batches of matrices.

    A vector counts as one row on the left and one column on the right, and its extra dimension is dropped again;
    dimensions before the last two are batches, which broadcast.

    Args:
        input: shape (…, n, k) or (k,).
        other: shape (…, k, m) or (k,), of the same dtype.

    Raises:
        RuntimeError: a 0-dim tensor, sizes that do not fit, different dtypes, bools.
        TypeError: an argument that is not a tensor.
    """

def matrix_exp(A: Tensor) -> Tensor:
    """The matrix exponential Σ Aᵏ/k!.

    Args:
        A: shape (…, n, n), float or complex; 16-bit floats are computed in float32.

    Raises:
        RuntimeError: not square, or integers.
    """

def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """A norm of the matrices that two dimensions hold; real, also of complex numbers.

    Args:
        A: floating or complex dtype.
        ord: "fro" for the root of the sum of squares; "nuc" for the sum of the singular values; 2 or -2 for the
            largest or smallest of these; 1 or -1 for the largest or smallest sum of magnitudes in a column; inf or
            -inf for those in a row.
        dim: the dimensions of rows and columns.
        keepdim: keep these dimensions with size 1.
        dtype: cast to this dtype, which must not be narrower, first.

    Raises:
        TypeError: ``dim`` is one number.
        RuntimeError: fewer than two dimensions; integers; another ``ord``; dimensions that are not two different ones.
        IndexError: a dimension out of range; the smallest of no values.
    """

def matrix_power(A: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """A·A·…, ``n`` factors by repeated squaring; the inverse's if ``n`` is negative.

    Args:
        A: shape (…, m, m).
        n: 0 gives the identity.

    Raises:
        RuntimeError: not square; integers or 16-bit floats with a negative ``n``. NotImplementedError: bools.
        LinAlgError: A is singular and ``n`` negative; when the result is computed.
    """

def matrix_rank(
    A: Tensor,
    tol: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """How many singular values are larger than max(atol, rtol · the largest), in int64.

    Args:
        A: shape (…, m, n), float or complex.
        tol: another name of ``atol``, with an ``rtol`` of 0.
        hermitian: A is Hermitian, so magnitudes of eigenvalues are counted, from its lower triangle.
        atol, rtol: numbers, or tensors that broadcast to the batch; without both, ``rtol`` is the precision times
            max(m, n).

    Raises:
        RuntimeError: integers, 16-bit floats, a complex tolerance; not square if ``hermitian``.
    """

def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of two or more matrices, multiplied in the order that takes the fewest operations.

    Args:
        tensors: matrices of one dtype; the first may be a vector, which counts as a row, and the last one too, which
            counts as a column.

    Raises:
        RuntimeError: fewer than two, other numbers of dimensions, sizes or dtypes that do not fit.
    """

def norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: Dim = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """A norm of vectors or of matrices; see `vector_norm` and `matrix_norm`.

    Args:
        A: floating or complex dtype.
        ord: None for the root of the sum of all squares; else as for a vector if ``dim`` is one dimension, and as for
            a matrix if it is two.
        dim: None for all dimensions, which must be one or two if ``ord`` is given.
        keepdim: keep reduced dimensions with size 1.
        dtype: cast to this dtype, which must not be narrower, first.

    Raises:
        RuntimeError: integers; another number of dimensions; an unknown ``ord``.
    """

def pinv(
    A: Tensor,
    rcond: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The Moore-Penrose inverse, shape (…, n, m), in which small singular values count as 0.

    Args:
        A: shape (…, m, n), float or complex.
        rcond: another name of ``rtol``.
        hermitian: A is Hermitian, so its eigenvalues are used, from its lower triangle.
        atol, rtol: singular values not larger than max(atol, rtol · the largest) are small; numbers, or tensors that
            broadcast to the batch; without both, ``rtol`` is the precision times max(m, n).

    Raises:
        RuntimeError: integers, 16-bit floats, a complex tolerance; not square if ``hermitian``.
        LinAlgError: numbers that are not finite; when the result is computed.
    """

def qr(A: Tensor, mode: str = "reduced", *, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_qr:
    """(Q, R) with A = Q·R, the columns of Q orthonormal and R upper triangular.

    Args:
        A: shape (…, m, n), float or complex. With k = min(m, n), Q is (…, m, k) and R (…, k, n).
        mode: "complete" for Q (…, m, m) and R (…, m, n); "r" for R alone, with an empty Q.

    Raises:
        RuntimeError: fewer than two dimensions, integers, or an unknown mode.
        NotImplementedError: 16-bit floats; a gradient in mode "r", or in mode "complete" with m > n.
    """

def slogdet(A: Tensor, *, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_slogdet:
    """(sign, logabsdet) of the determinant: sign·exp(logabsdet). A singular matrix has 0 and -∞.

    Args:
        A: shape (…, n, n), float or complex. The sign has its dtype, the logarithm is real.

    Raises:
        RuntimeError: not square, integers or 16-bit floats.
    """

def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """X with A·X = B, or X·A = B if not ``left``.

    Args:
        A: shape (…, n, n), float or complex.
        B: shape (…, n, k), or (…, k, n) if not ``left``; or vectors: (n,), or (…, n) with the batch of A.

    Raises:
        RuntimeError: shapes or dtypes that do not fit, integers. NotImplementedError: 16-bit floats.
        LinAlgError: A is singular; when the result is computed.
    """

def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_solve_ex:
    """`solve` that does not raise: (result, info), where info (int32) is 0, or the first pivot of A that is 0.

    Args:
        check_errors: raise LinAlgError after all.
    """

def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None
) -> Tensor:
    """X with A·X = B, or X·A = B if not ``left``, of a triangular A. Zeros on its diagonal give infinities or NaN.

    Args:
        A: shape (…, n, n), float or complex; one triangle is read.
        B: shape (…, n, k), or (…, k, n) if not ``left``.
        upper: which triangle.
        unitriangular: the diagonal counts as ones and is not read.

    Raises:
        RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
    """

def svd(
    A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_svd:
    """(U, S, Vh) with A = U·diag(S)·Vh: orthonormal columns of U and rows of Vh, S descending and not negative.

    Args:
        A: shape (…, m, n), float or complex. With k = min(m, n), S is (…, k), of real dtype.
        full_matrices: U is (…, m, m) and Vh (…, n, n); else (…, m, k) and (…, k, n).
        driver: must be None.

    Raises:
        RuntimeError: fewer than two dimensions, integers, or a driver. NotImplementedError: 16-bit floats.
        LinAlgError: numbers that are not finite; when the result is computed.
    """

def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values, descending, shape (…, min(m, n)); see `svd`. Their derivative is defined if they repeat.

    Raises:
        RuntimeError: fewer than two dimensions, integers, or a driver. NotImplementedError: 16-bit floats.
        LinAlgError: numbers that are not finite; when the result is computed.
    """

def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the map that contracting the last dimensions of ``A``, from ``ind`` on, is.

    Args:
        A: shape (a…, b…) with ``ind`` dimensions a… whose sizes multiply to the same number as those of b….

    Returns:
        Shape (b…, a…).

    Raises:
        RuntimeError: ``ind`` is not positive; the products of sizes differ; otherwise as `inv`.
    """

def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """X with ``tensordot(A, X, X.ndim)`` = B.

    Args:
        A: shape (b…, x…) whose sizes b… multiply to the same number as x….
        B: the shape b….
        dims: dimensions of A to move to the end first.

    Raises:
        RuntimeError: sizes that do not fit; otherwise as `solve`.
    """

def vander(x: Tensor, *, N: int | None = None, out: Tensor | None = None) -> Tensor:
    """Powers 0, 1, …, N - 1 of every element, along a new last dimension.

    Args:
        x: shape (…, n); integers give int64.
        N: how many powers; n by default.

    Raises:
        RuntimeError: bools, 16-bit floats, or ``N`` less than 2.
    """

def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Σ conj(x)·y along ``dim``, broadcast.

    Raises:
        RuntimeError: integers, or different dtypes.
    """

def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dim = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """(Σ |x|^ord)^(1/ord) over ``dim``, of the elements as one vector; real, also of complex numbers.

    Args:
        x: floating or complex dtype; 16-bit floats are computed in float32.
        ord: a number; ±inf for the largest or smallest magnitude; 0 counts the nonzero.
        dim: None for all dimensions, an int or several.
        keepdim: keep reduced dimensions with size 1.
        dtype: cast to this dtype, which must not be narrower, first.

    Raises:
        TypeError: ``ord`` is not a number.
        RuntimeError: integers or bools; a ``dtype`` of another category or narrower than that of ``x``; a negative or
            infinite ``ord`` of no elements.
    """
