"""``lazygrad.linalg``: factorizations, systems of equations, eigenvalues, norms; PyTorch's ``torch.linalg``.

The last two dimensions are rows and columns, all others a batch. Values are computed when they are needed, and with
them what depends on them: `LinAlgError`, for a singular matrix say, is raised where a result is first read. The
functions whose names end in ``_ex`` do not raise it, but say in a further result, ``info``, what went wrong.
"""

from lazygrad.ir.errors import LinAlgError
from lazygrad.ops.linalg.determinants import det, slogdet
from lazygrad.ops.linalg.eigenvalues import eig, eigh, eigvals, eigvalsh, svd, svdvals
from lazygrad.ops.linalg.factorizations import (
    cholesky,
    cholesky_ex,
    householder_product,
    ldl_factor,
    ldl_factor_ex,
    lu,
    lu_factor,
    lu_factor_ex,
    qr,
)
from lazygrad.ops.linalg.least_squares import lstsq
from lazygrad.ops.linalg.matrix_norm import matrix_norm
from lazygrad.ops.linalg.matrix_products import (
    cross,
    diagonal,
    matmul,
    matrix_exp,
    matrix_power,
    multi_dot,
    vander,
    vecdot,
)
from lazygrad.ops.linalg.norms import cond, matrix_rank, norm, pinv
from lazygrad.ops.linalg.systems import (
    inv,
    inv_ex,
    ldl_solve,
    lu_solve,
    solve,
    solve_ex,
    solve_triangular,
    tensorinv,
    tensorsolve,
)
from lazygrad.ops.reductions.vector_norm import vector_norm

# fmt: off
__all__ = [
    "LinAlgError",
    "cholesky", "cholesky_ex", "lu", "lu_factor", "lu_factor_ex", "ldl_factor", "ldl_factor_ex", "qr",
    "householder_product",
    "solve", "solve_ex", "inv", "inv_ex", "solve_triangular", "lu_solve", "ldl_solve", "lstsq", "tensorinv",
    "tensorsolve",
    "det", "slogdet",
    "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals",
    "norm", "vector_norm", "matrix_norm", "cond", "matrix_rank", "pinv",
    "cross", "diagonal", "matmul", "matrix_exp", "matrix_power", "multi_dot", "vander", "vecdot",
]
# fmt: on
