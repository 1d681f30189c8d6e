"""Determinants. Leading dimensions are a batch.

Derivatives: see `lazygrad.autodiff.rules_linear_algebra`. Those of `det` hold for singular matrices too, the first one
exactly; those of the logarithm are infinite there.
"""

from __future__ import annotations

from lazygrad.ir.composites import linear_algebra as la
from lazygrad.ops import return_types
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.linalg.matrices import BOTH_REFUSED, square_matrix
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["det", "slogdet"]


@accepts_out
@traced
def det(A: Tensor) -> Tensor:
    """The determinant, shape (…), of matrices (…, n, n), float or complex; 1 for n = 0.

    Raises:
        RuntimeError: not square, or integers. NotImplementedError: 16-bit floats.
    """
    return record(la.det, (square_matrix("linalg.det", A),))


@accepts_out
@traced
def slogdet(A: Tensor) -> return_types.linalg_slogdet:
    """(sign, logabsdet) of the determinant: sign·exp(logabsdet). A singular matrix has 0 and -∞.

    Args:
        A: shape (…, n, n), float or complex. The sign has its dtype, the logarithm is real.

    Raises:
        RuntimeError: not square, integers or 16-bit floats.
    """
    node = square_matrix("linalg.slogdet", A, errors=BOTH_REFUSED)
    return return_types.linalg_slogdet(record(la.det_sign, (node,)), record(la.log_abs_det, (node,)))
