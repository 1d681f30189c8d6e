"""Reading and writing through index nodes at any dimensions: the one place that knows where their results go.

PyTorch's and numpy's rule: index arrays broadcast together, and their common dimensions take the place of the
indexed ones where these stand side by side, and come first otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lazygrad.host.buffer import host_view, is_seen_by_host
from lazygrad.ir.composites.requirement import in_range
from lazygrad.ir.dtype import int32, int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.shape import Shape, ShapeError, broadcast_shapes
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.shapes.layout import inverse_permutation
from lazygrad.runtime.index_range import all_within
from lazygrad.runtime.listening import listening
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

Indexed = Sequence[tuple[int, Node]]  # dimensions, ascending, and the int64 index of each


# Functions of which PyTorch says it so.
_OUT_OF_RANGE = {name: "index out of range in self: " for name in ("index_select", "embedding")}


@dataclass(frozen=True, slots=True)
class IndexRule:
    """What a function accepts as an index; PyTorch's functions differ.

    Attributes:
        name: of the function, for errors.
        wraps: whether negative indices count from the end.
        error: the class raised for an index out of range.
    """

    name: str
    wraps: bool = False
    error: type[Exception] = IndexError

    def node(self, index: Tensor, axis: int, size: int) -> Node:
        """``index``, of a dimension of ``size``, as int64.

        Raises:
            RuntimeError: not int32 or int64.
        """
        if tensor_argument(index, self.name, "index").dtype not in (int64, int32) and index.numel():
            raise RuntimeError(f"{self.name}(): Expected dtype int32/int64 for index, but got {index.dtype.name}")
        self.check_known(index, axis, size)
        return cast_node(index.node(), int64)

    def checked_node(self, index: Tensor, axis: int, size: int) -> Node:
        """`node`, checked against this rule when it is computed, where the call it goes to would not do so itself."""
        node = self.node(index, axis, size)
        if self.wraps or is_known_for_good(index):  # `node` has looked at what is known
            return node
        return record_node(in_range, (node,), (0, size - 1, self.error.__name__, self._message("{}", axis, size)))

    def _message(self, index: int | str, axis: int, size: int) -> str:
        what = f"{self.name}: {_OUT_OF_RANGE.get(self.name, '')}index {index}"
        return f"{what} is out of bounds for dimension {axis} with size {size}"

    def check_known(self, index: Tensor, axis: int, size: int) -> None:
        """Check indices whose values are known now, where the error points at the user's line."""
        value = index.node().value
        if value is None or not is_seen_by_host(value) or index.numel() == 0:
            return
        if not all_within(value, -size if self.wraps else 0, size):
            known = host_view(value)
            highest = int(known.max())
            raise self.error(self._message(highest if highest >= size else int(known.min()), axis, size))


def is_known_for_good(index: Tensor) -> bool:
    """Whether the values of ``index`` are known now and stay as they are.

    They are not if they are not computed yet, if others may write to their memory, or inside a function that is being
    compiled, whose replays are given other indices.
    """
    value = index.node().value
    return is_seen_by_host(value) and not value.shared and listening.listener is None


def permuted(node: Node, axes: Sequence[int]) -> Node:
    order = tuple(axes)
    return node if order == tuple(range(len(order))) else record_node(movement.permute, (node,), (order,))


def index_shape(indexed: Indexed) -> Shape:
    """What the indices broadcast to.

    Raises:
        IndexError: they do not.
    """
    shapes = [index.shape for _, index in indexed]
    try:
        return broadcast_shapes("index", *shapes)
    except ShapeError:
        listed = ", ".join(str(list(shape)) for shape in shapes)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}"
        ) from None


def _indexed_first(rank: int, indexed: Indexed) -> tuple[int, ...]:
    axes = [axis for axis, _ in indexed]
    return (*axes, *[axis for axis in range(rank) if axis not in axes])


def _place(indexed: Indexed) -> int:
    """The dimension of the result at which the index dimensions begin."""
    axes = [axis for axis, _ in indexed]
    return axes[0] if axes[-1] - axes[0] == len(axes) - 1 else 0


def _into_place(rank: int, count: int, place: int) -> tuple[int, ...]:
    """The permutation that moves the first ``count`` of ``rank`` dimensions behind the next ``place`` ones."""
    return (*range(count, count + place), *range(count), *range(count + place, rank))


def take_node(x: Node, indexed: Indexed) -> Node:
    """x[…, index, …].

    Raises:
        IndexError: the indices do not broadcast together; at run time, one is out of range.
    """
    count = len(index_shape(indexed))
    rows = permuted(x, _indexed_first(x.rank, indexed))
    taken = record_node(indexing.take, (rows, *[index for _, index in indexed]))
    return permuted(taken, _into_place(taken.rank, count, _place(indexed)))


def region_shape(shape: Shape, indexed: Indexed) -> Shape:
    """The shape of what `take_node` returns for an x of ``shape``."""
    axes = [axis for axis, _ in indexed]
    rest = tuple([size for axis, size in enumerate(shape) if axis not in axes])
    place = _place(indexed)
    return rest[:place] + index_shape(indexed) + rest[place:]


def put_node(x: Node, indexed: Indexed, values: Node, accumulate: bool) -> Node:
    """x with x[…, index, …] set to ``values``, which has that region's shape, or increased by them.

    Raises:
        IndexError: at run time, an index is out of range.
    """
    order = _indexed_first(x.rank, indexed)
    into_place = _into_place(values.rank, len(index_shape(indexed)), _place(indexed))
    rows = permuted(values, inverse_permutation(into_place))
    inputs = (permuted(x, order), rows, *[index for _, index in indexed])
    return permuted(record_node(indexing.put, inputs, (accumulate,)), inverse_permutation(order))
