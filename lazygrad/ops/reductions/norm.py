"""p-norms of all elements, or along dimensions, and the nuclear norm of matrices."""

from __future__ import annotations

from lazygrad.ir.dtype import DType
from lazygrad.ops.arguments.kinds import Dim
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.linalg.matrix_norm import matrix_normed
from lazygrad.ops.reductions.vector_norm import normed
from lazygrad.tensor import Tensor

__all__ = ["norm"]


@accepts_out
@method()
@traced
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dim = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:
    """(Σ |x|^p)^(1/p) over ``dim``, of the elements as one vector.

    Args:
        input: floating or complex dtype; 16-bit floats are computed in float32.
        p: a number; "fro" or None for 2; ±inf for the largest or smallest magnitude; 0 counts the nonzero; "nuc" for
            the sum of a matrix's singular values.
        dim: None for all dimensions, an int or several; two for "nuc".
        keepdim: keep reduced dimensions with size 1.
        dtype: cast to this dtype first.

    Raises:
        RuntimeError: integers or bools; an unknown name; a negative or infinite ``p`` of no elements.
    """
    axes = (dim,) if isinstance(dim, int) else dim
    if p == "fro" and (axes is None or len(axes) <= 2):
        p = None
    if isinstance(p, str):
        every = range(tensor_argument(input, "norm").ndim)
        return matrix_normed("norm", input, p, tuple(every if axes is None else axes), keepdim, dtype)
    return normed("norm", input, 2 if p is None else p, axes, keepdim, dtype)
