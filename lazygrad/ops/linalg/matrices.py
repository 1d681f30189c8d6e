"""What functions of matrices check about their arguments, and how they read packed factorizations."""

from __future__ import annotations

from math import prod
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement
from lazygrad.ir.primitives.factorization import part_ranges, part_shapes
from lazygrad.ir.shape import Shape, broadcast_shapes
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.precision import in_single_precision
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.registering import broadcast_node
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

Errors = tuple[type[RuntimeError], type[RuntimeError]]
# Which class PyTorch raises for integers and for 16-bit floats, which LAPACK does not have.
REFUSED: Errors = (RuntimeError, NotImplementedError)
BOTH_REFUSED: Errors = (RuntimeError, RuntimeError)
NOT_IMPLEMENTED: Errors = (NotImplementedError, NotImplementedError)


def matrix(name: str, value: Any, argument: str = "A") -> Node:
    """``value``'s node.

    Raises:
        TypeError: not a tensor.
        RuntimeError: fewer than two dimensions.
    """
    node = tensor_argument(value, name, argument).node()
    if node.rank < 2:
        raise RuntimeError(
            f"{name}: The input tensor {argument} must have at least 2 dimensions, but it is {node.type}"
        )
    return node


def check_dtype(name: str, dtype: DType, errors: Errors = REFUSED) -> None:
    """Raises one of ``errors``, for integers or for 16-bit floats."""
    if not dtype.differentiable:
        raise errors[0](f"{name}: Expected a floating point or complex tensor as input. Got {dtype.name}")
    if dtype.is_half:
        raise errors[1](f"{name} not implemented for '{dtype.scalar_type}': low precision dtypes are not supported; "
                        f"cast with .float()")  # fmt: skip


def float_matrix(name: str, value: Any, argument: str = "A", errors: Errors = REFUSED) -> Node:
    """`matrix` of a dtype that LAPACK has: float32, float64, complex64 or complex128."""
    node = in_single_precision(matrix(name, value, argument))
    check_dtype(name, node.dtype, errors)
    return node


def check_square(name: str, node: Node, argument: str = "A") -> None:
    """Raises RuntimeError for matrices that are not square."""
    rows, columns = node.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"{name}: {argument} must be batches of square matrices, but they are {rows} by {columns} "
                           f"matrices")  # fmt: skip


def square_matrix(name: str, value: Any, argument: str = "A", errors: Errors = REFUSED) -> Node:
    """`float_matrix` of as many rows as columns."""
    node = in_single_precision(matrix(name, value, argument))
    check_square(name, node, argument)
    check_dtype(name, node.dtype, errors)
    return node


def check_same_dtype(name: str, a: Node, b: Node, first: str = "A", second: str = "B") -> None:
    """Raises RuntimeError for different dtypes."""
    if a.dtype is not b.dtype:
        raise RuntimeError(f"{name}: Expected {first} and {second} to have the same dtype, but found {first} of type "
                           f"{a.dtype.name} and {second} of type {b.dtype.name} instead")  # fmt: skip


def one_batch(name: str, *nodes: Node) -> tuple[Node, ...]:
    """Matrices with their batches broadcast against each other."""
    batch = broadcast_shapes(name, *[node.shape[:-2] for node in nodes])
    return tuple([broadcast_node(node, (*batch, *node.shape[-2:])) for node in nodes])


def transposed(node: Node) -> Node:
    """The last two dimensions swapped."""
    rank = node.rank
    return record_node(movement.permute, (node,), ((*range(rank - 2), rank - 1, rank - 2),))


def conjugated(node: Node) -> Node:
    """The complex conjugate."""
    return record_node(ew.conj, (node,)) if node.dtype.is_complex else node


def real_part(node: Node) -> Node:
    """The real part."""
    return record_node(ew.real, (node,)) if node.dtype.is_complex else node


def real_tensor(node: Node) -> Tensor:
    """The real part as a tensor."""
    return Tensor.from_node(real_part(node))


def integers_of(node: Node, dtype: DType) -> Tensor:
    """Integers that a packed factorization stores as floats."""
    return Tensor.from_node(cast_node(real_part(node), dtype))


def factorized(op: Op, inputs: tuple[Node, ...], attrs: tuple[Any, ...] = ()) -> list[Node]:
    """The parts of a recorded factorization: views of one result."""
    packed = record_node(op, inputs, attrs)
    shapes = part_shapes(op, attrs, *[source.shape for source in inputs])
    return [_part(packed, range_, shape) for range_, shape in zip(part_ranges(shapes), shapes, strict=True)]


def _part(packed: Node, range_: tuple[int, int], shape: Shape) -> Node:
    batch = packed.shape[:-1]
    starts, stops = (0,) * len(batch) + range_[:1], (*batch, range_[1])
    part = record_node(movement.slice_, (packed,), (starts, stops, (1,) * packed.rank))
    return reshaped(part, (*batch, *shape))


def nothing_of(node: Node) -> Tensor:
    """A vector of no elements where a result is left out; it requires gradients if ``node`` does, as PyTorch's do."""
    flat = reshaped(node, (prod(node.shape),))
    return Tensor.from_node(record_node(movement.slice_, (flat,), ((0,), (0,), (1,))))
