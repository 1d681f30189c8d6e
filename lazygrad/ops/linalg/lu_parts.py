"""What LU decompositions are made of."""

from __future__ import annotations

from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ops.arguments.operands import cast_node
from lazygrad.ops.creation.ranges import arange, eye
from lazygrad.ops.linalg.matrices import real_part
from lazygrad.ops.pointwise.arithmetic import add
from lazygrad.ops.pointwise.relational import eq
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.reshaping import unsqueeze
from lazygrad.ops.shapes.triangles import tril, triu
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node


def row_order(pivots: Node, rows: int) -> Node:
    """0, 1, … after the row exchanges that ``pivots`` name; int64."""
    return record_node(fa.pivot_order, (cast_node(real_part(pivots), int64),), (rows,))


def permutation(pivots: Node, like: Node) -> Tensor:
    """P with A = P·L·U, of ``like``'s dtype."""
    rows = like.shape[-2]
    order = Tensor.from_node(row_order(pivots, rows))
    places = unsqueeze(arange(rows, device=like.device), -1)
    return Tensor.from_node(cast_node(eq(places, unsqueeze(order, -2)).node(), like.dtype))


def triangles(factors: Node) -> tuple[Tensor, Tensor]:
    """L, with ones on its diagonal, and U, from the matrix that holds both."""
    packed = Tensor.from_node(factors)
    rows, columns = factors.shape[-2:]
    size = min(rows, columns)
    unit = eye(rows, size, dtype=factors.dtype, device=factors.device)
    lower = tril(between(packed, factors.rank - 1, 0, size), -1)
    return add(lower, unit), triu(between(packed, factors.rank - 2, 0, size))


def unpacked(factors: Node, pivots: Node) -> tuple[Tensor, Tensor, Tensor]:
    """(P, L, U)."""
    return permutation(pivots, factors), *triangles(factors)
