"""Products and powers of vectors and matrices. Leading dimensions are a batch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lazygrad.ir.dtype import bool_
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out, needs_separate_out
from lazygrad.ops.arguments.precision import lower_precision
from lazygrad.ops.arguments.reducing import widened
from lazygrad.ops.arguments.registering import broadcast_node
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.like import new_ones
from lazygrad.ops.creation.ranges import eye
from lazygrad.ops.linalg.matrices import check_square, matrix
from lazygrad.ops.linalg.products import matmul
from lazygrad.ops.linalg.systems import inv
from lazygrad.ops.pointwise.arithmetic import mul, sub
from lazygrad.ops.pointwise.complex_numbers import conj
from lazygrad.ops.pointwise.relational import eq
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.reductions.scans import cumprod
from lazygrad.ops.reductions.sums import sum as sum_
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.parts import diagonal as diagonal_view
from lazygrad.ops.shapes.repeating import roll
from lazygrad.ops.shapes.reshaping import broadcast_tensors, reshape, unsqueeze
from lazygrad.size import Size
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

# fmt: off
__all__ = ["cross", "diagonal", "matmul", "matrix_exp", "matrix_power", "multi_dot", "vander", "vecdot"]
# fmt: on


@accepts_out
@needs_separate_out
@traced
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of 3 elements along ``dim``; other dimensions broadcast.

    Raises:
        RuntimeError: different numbers of dimensions, or a size other than 3. NotImplementedError: bools.
        IndexError: ``dim`` out of range.
    """
    name = "linalg.cross"
    rank = tensor_argument(input, name).ndim
    if rank != tensor_argument(other, name, "other").ndim:
        raise RuntimeError(f"{name}: inputs must have the same number of dimensions, but got {rank} and {other.ndim}")
    axis = normalize_axis(dim, rank, name)
    if not rank or input.shape[axis] != 3 or other.shape[axis] != 3:
        raise RuntimeError(f"{name}: inputs dimension {dim} must have length 3. Got {tuple(input.shape)} and "
                           f"{tuple(other.shape)}")  # fmt: skip
    return crossed(name, input, other, axis)


def crossed(name: str, input: Tensor, other: Tensor, axis: int) -> Tensor:
    """x[i+1]·y[i+2] - x[i+2]·y[i+1], counting round."""
    if input.dtype is bool_:
        raise NotImplementedError(f"{name} not implemented for 'Bool'; cast with .int()")
    x, y = broadcast_tensors(input, other)
    return roll(sub(mul(x, roll(y, -1, axis)), mul(roll(x, -1, axis), y)), -1, axis)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A view of a diagonal of the last two dimensions, or of ``dim1`` and ``dim2``; see `lazygrad.diagonal`."""
    return diagonal_view(A, offset, dim1, dim2)


def matrix_exp(A: Tensor) -> Tensor:
    """The matrix exponential Σ Aᵏ/k!.

    Args:
        A: shape (…, n, n), float or complex; 16-bit floats are computed in float32.

    Raises:
        RuntimeError: not square, or integers.
    """
    node = matrix("linalg.matrix_exp", A)
    if not node.dtype.differentiable:
        raise RuntimeError(f"linalg.matrix_exp: Expected a floating point or complex tensor as input. Got "
                           f"{node.dtype.name}")  # fmt: skip
    check_square("linalg.matrix_exp", node)
    return Tensor.from_node(cast_node(record_node(fa.matrix_exp, (widened(node),)), node.dtype))


@accepts_out
def matrix_power(A: Tensor, n: int) -> Tensor:
    """A·A·…, ``n`` factors by repeated squaring; the inverse's if ``n`` is negative.

    Args:
        A: shape (…, m, m).
        n: 0 gives the identity.

    Raises:
        RuntimeError: not square; integers or 16-bit floats with a negative ``n``. NotImplementedError: bools.
        LinAlgError: A is singular and ``n`` negative; when the result is computed.
    """
    name = "linalg.matrix_power"
    node = matrix(name, A)
    check_square(name, node)
    if node.dtype is bool_:
        raise NotImplementedError(f"{name} not implemented for 'Bool'; cast with .int()")
    if n < 0:
        return matrix_power(inv(A), -n)
    if n == 0:
        unit = eye(node.shape[-1], dtype=node.dtype, device=node.device)
        return where(eq(unit, unit), unit, A)  # constant, but a function of A: the gradient is 0
    power, found = A, None
    while True:
        if n % 2:
            found = power if found is None else matmul(found, power)
        n //= 2
        if not n:
            break
        power = matmul(power, power)
    assert found is not None
    return found.clone() if found is A else found


@accepts_out
@lower_precision
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Σ conj(x)·y along ``dim``, broadcast.

    Raises:
        RuntimeError: integers, or different dtypes.
    """
    name = "linalg.vecdot"
    first, second = tensor_argument(x, name, "x"), tensor_argument(y, name, "y")
    if not first.dtype.differentiable or first.dtype is not second.dtype:
        raise RuntimeError(f"{name}: Expected x and y to have the same floating point or complex dtype, but got "
                           f"{first.dtype.name} and {second.dtype.name}")  # fmt: skip
    return sum_(mul(conj(first), second), dim)


@accepts_out
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Powers 0, 1, …, N - 1 of every element, along a new last dimension.

    Args:
        x: shape (…, n); integers give int64.
        N: how many powers; n by default.

    Raises:
        RuntimeError: bools, 16-bit floats, or ``N`` less than 2.
    """
    shape = tensor_argument(x, "linalg.vander", "x").shape
    if x.dtype is bool_ or x.dtype.is_half:
        raise RuntimeError(f"linalg.vander supports floating point, complex, and integer tensors, but got "
                           f"{x.dtype.name}")  # fmt: skip
    if N is not None and N <= 1:
        raise RuntimeError(f"linalg.vander: N must be greater than 1, but got {N}")
    if not shape:
        x, shape = reshape(x, 1), Size((1,))
    if N is None and not shape[-1]:
        raise RuntimeError(f"linalg.vander: N must be given, because x has no elements to count: {shape}")
    count = shape[-1] if N is None else N
    repeated = Tensor.from_node(broadcast_node(unsqueeze(x, -1).node(), (*shape, count - 1)))
    powers = cumprod(repeated, -1)
    return cat([new_ones(powers, (*shape, 1)), powers], -1)


# Chains of products.


@accepts_out
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of two or more matrices, multiplied in the order that takes the fewest operations.

    Args:
        tensors: matrices of one dtype; the first may be a vector, which counts as a row, and the last one too, which
            counts as a column.

    Raises:
        RuntimeError: fewer than two, other numbers of dimensions, sizes or dtypes that do not fit.
    """
    name = "multi_dot()"
    chain = [tensor_argument(tensor, "multi_dot", "tensors") for tensor in tensors]
    if len(chain) < 2:
        raise RuntimeError(f"{name}: expected at least 2 tensors but got {len(chain)}")
    ends = chain[0].ndim, chain[-1].ndim
    if any(tensor.ndim != 2 for tensor in chain[1:-1]) or any(rank not in (1, 2) for rank in ends):
        raise RuntimeError(f"{name}: the first and last tensors must be 1D or 2D and the others 2D, but got shapes "
                           f"{[tuple(tensor.shape) for tensor in chain]}")  # fmt: skip
    if any(tensor.dtype is not chain[0].dtype for tensor in chain):
        raise RuntimeError(f"{name}: all tensors must have the same dtype, but got "
                           f"{[tensor.dtype.name for tensor in chain]}")  # fmt: skip
    if ends[0] == 1:
        chain[0] = unsqueeze(chain[0], 0)
    if ends[1] == 1:
        chain[-1] = unsqueeze(chain[-1], -1)
    product = chain_product(name, chain)
    kept = [size for size, rank in zip(product.shape, ends, strict=True) if rank == 2]
    return reshape(product, tuple(kept))


def chain_product(name: str, chain: list[Tensor]) -> Tensor:
    """The product of matrices, multiplied in the cheapest order."""
    for left, right in pairwise(chain):
        if left.shape[1] != right.shape[0]:
            raise RuntimeError(f"{name}: tensors of shapes {tuple(left.shape)} and {tuple(right.shape)} cannot be "
                               f"multiplied")  # fmt: skip
    if len(chain) == 1:
        return chain[0].clone()
    cuts = _cheapest_cuts([chain[0].shape[0], *[tensor.shape[1] for tensor in chain]])
    return _product_of_part(chain, cuts, 0, len(chain) - 1)


def _product_of_part(chain: list[Tensor], cuts: dict[tuple[int, int], int], first: int, last: int) -> Tensor:
    if first == last:
        return chain[first]
    cut = cuts[first, last]
    return matmul(_product_of_part(chain, cuts, first, cut), _product_of_part(chain, cuts, cut + 1, last))


def _cheapest_cuts(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Where to cut every part of a chain of matrices, of sizes[i] by sizes[i + 1], in two (Godbole, 1973)."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    cuts: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            costs = {
                cut: cost[first, cut] + cost[cut + 1, last] + sizes[first] * sizes[cut + 1] * sizes[last + 1]
                for cut in range(first, last)
            }
            cuts[first, last] = min(costs, key=costs.__getitem__)
            cost[first, last] = costs[cuts[first, last]]
    return cuts
