"""Matrix products with a sparse operand: rows are gathered, scaled by the values, and added up where they belong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.ir.node import next_serial
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.operands import common_dtype
from lazygrad.ops.arguments.registering import write
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.creation.like import zeros_like
from lazygrad.ops.indexing.scattering import index_add
from lazygrad.ops.shapes.joining import stack as dense_stack
from lazygrad.ops.shapes.layout import integers
from lazygrad.sparse.joining import unbind
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor


def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """The product of two matrices of which at least one is sparse.

    Args:
        mat1: (n, m).
        mat2: (m, p).
        reduce: only ``"sum"``, which is the product.

    Returns:
        (n, p), in memory; sparse if both are. That product passes through a dense one.

    Raises:
        RuntimeError: operands that are not matrices, or sizes that do not match.
        NotImplementedError: another ``reduce``.
    """
    if reduce not in (None, "sum"):
        raise NotImplementedError(f"sparse.mm: reduce={reduce!r} is not implemented, only 'sum'")
    if mat1.ndim != 2 or mat2.ndim != 2 or mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"mm: mat1 and mat2 shapes cannot be multiplied ({tuple(mat1.shape)} and {tuple(mat2.shape)})"
        )
    if isinstance(mat1, SparseTensor):
        return _times(mat1, mat2.to_dense()).to_sparse() if isinstance(mat2, SparseTensor) else _times(mat1, mat2)
    if not isinstance(mat2, SparseTensor):
        plain: Tensor = mat1.mm(mat2)
        return plain
    transposed: Any = _times(transpose(mat2, 0, 1), mat1.t())
    return transposed.t()


def _times(sparse: SparseTensor, dense: Tensor) -> Any:
    if sparse.dense_dim():
        raise RuntimeError("mm: expected a sparse matrix whose values are numbers, not rows")
    rows, columns = sparse._indices()
    products = sparse._values().unsqueeze(1) * dense[columns]
    dtype = common_dtype(sparse._values(), dense)
    return index_add(zeros(sparse.shape[0], dense.shape[1], dtype=dtype, device=sparse.device), 0, rows, products)


def mv(input: SparseTensor, vec: Tensor) -> Tensor:
    """The product of a sparse matrix (n, m) with a vector (m,)."""
    product: Any = mm(input, vec.unsqueeze(1))
    return product[:, 0]


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """`mm` or `mv`, whichever fits. RuntimeError: more dimensions."""
    if isinstance(input, SparseTensor) and other.ndim == 1:
        return mv(input, other)
    if isinstance(other, SparseTensor) and input.ndim == 1:
        return mv(transpose(other, 0, 1), input)
    return mm(input, other)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0) -> Tensor:
    """beta · input + alpha · (mat1 @ mat2), for a sparse ``mat1``; shapes as of `mm`."""
    product: Any = mm(mat1, mat2)
    scaled = product if alpha == 1 else product * alpha
    if beta == 0:  # whatever is in ``input``, NaN included
        return scaled + zeros_like(input)
    result: Tensor = (input if beta == 1 else input * beta) + scaled
    return result


def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0) -> Tensor:
    """In-place version of `addmm`."""
    since = next_serial()
    return write(input, addmm(input, mat1, mat2, beta=beta, alpha=alpha), "addmm_", since)


def bmm(input: SparseTensor, mat2: Tensor) -> Tensor:
    """The product of each matrix of a sparse stack (b, n, m) with one in memory, (b, m, p)."""
    products: Tensor = dense_stack([mm(matrix, mat2[place]) for place, matrix in enumerate(unbind(input))])
    return products


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias for matrices of which one is sparse."""
    product = matmul(input, weight.t())
    return product if bias is None else bias + product


def transpose(input: SparseTensor, dim0: int, dim1: int) -> SparseTensor:
    """Two sparse dimensions swapped.

    Raises:
        IndexError: a dimension that does not exist.
        RuntimeError: a dimension of the values.
    """
    first, second = (normalize_axis(dim, input.ndim, "transpose") for dim in (dim0, dim1))
    if first == second:
        return input
    order = list(range(input.ndim))
    order[first], order[second] = second, first
    return permute(input, order)


def permute(input: SparseTensor, *given: Any, dims: Sequence[int] | None = None) -> SparseTensor:
    """The sparse dimensions in another order.

    Raises:
        RuntimeError: not every dimension once; a dimension of the values that moves.
    """
    order = [normalize_axis(axis, input.ndim, "permute") for axis in integers("permute", given, dims)]
    if sorted(order) != list(range(input.ndim)):
        raise RuntimeError(f"permute: dims must name each of the {input.ndim} dimensions once, got {order}")
    split = input.sparse_dim()
    if order[split:] != list(range(split, input.ndim)):
        raise RuntimeError("permute: only sparse dimensions of a sparse tensor can be moved")
    size = tuple([input.shape[axis] for axis in order])
    return SparseTensor(input._indices()[order[:split]], input._values(), size)


def t(input: SparseTensor) -> SparseTensor:
    """A matrix transposed; a vector itself."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return input if input.ndim < 2 else transpose(input, 0, 1)


def _reflected_matmul(self: SparseTensor, other: Tensor) -> Tensor:
    return matmul(other, self)


def _moved_in_place(name: str, function: Callable[..., SparseTensor]) -> Callable[..., SparseTensor]:
    def method(self: SparseTensor, *dims: int) -> SparseTensor:
        moved = function(self, *dims)
        self._places, self._size, self._merged = moved._places, moved._size, moved._merged
        return self

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"In-place version of `{function.__name__}`."
    return method


for _name, _function in {
    "mm": mm,
    "mv": mv,
    "matmul": matmul,
    "__matmul__": matmul,
    "__rmatmul__": _reflected_matmul,
    "transpose": transpose,
    "swapaxes": transpose,
    "swapdims": transpose,
    "permute": permute,
    "t": t,
    "transpose_": _moved_in_place("transpose_", transpose),
    "swapaxes_": _moved_in_place("swapaxes_", transpose),
    "t_": _moved_in_place("t_", t),
    "T": property(t, doc="The matrix transposed."),
    "mT": property(lambda matrix: transpose(matrix, -2, -1), doc="The last two dimensions swapped."),
}.items():
    setattr(SparseTensor, _name, _function)
