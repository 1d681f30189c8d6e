"""A recorded program with one extent left open: made of the same program at two sizes, compared exactly at others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, TensorType, make_node, tensor_type
from lazygrad.ir.polynomial import NotDynamic, Quantity, quantity
from lazygrad.ir.primitives.leaf import buffer, scalar


class GraphTemplate:
    """The program that two graphs have in common.

    Args:
        first, second: of the same operations, recorded at two sizes.

    Attributes:
        place: the open extent: the number of a leaf among the nodes, and one of its dimensions.
        shapes, attrs: of each node, with a `Quantity` for each number that follows from the open extent.

    Raises:
        NotDynamic: they differ in more than sizes, or a size does not follow from the open one.
    """

    def __init__(self, first: Graph, second: Graph) -> None:
        self._wiring = _wiring(second)
        if _wiring(first) != self._wiring:
            raise NotDynamic("the programs have other operations")
        pairs = [*zip(first.nodes, second.nodes, strict=True)]
        self.place = _open_extent(pairs)
        number, axis = self.place
        self._sizes = [graph.nodes[number].shape[axis] for graph in (first, second)]
        self._second = second
        self.shapes = [self._opened(a.shape, b.shape, a) for a, b in pairs]
        self.attrs = [self._opened(_decisive(a), _decisive(b), a) for a, b in pairs]

    def _opened(self, old: Any, new: Any, node: Node) -> Any:
        """A value in which numbers that differ follow from the open extent."""
        if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
            return tuple([self._opened(a, b, node) for a, b in zip(old, new, strict=True)])
        if type(old) in (int, float) and old != new:
            found = quantity(self._sizes, (old, new))
            if found is not None:
                return found
        if old == new and type(old) is type(new):
            return new
        raise NotDynamic(f"{node.op.name} ({node.origin or 'origin unknown'}) had {old!r}, then {new!r}")

    def size_of(self, graph: Graph) -> int | None:
        """The open extent in ``graph``, which is None where that is another program."""
        number, axis = self.place
        if len(graph.nodes) != len(self.shapes) or graph.nodes[number].rank <= axis:
            return None
        size = graph.nodes[number].shape[axis]
        return size if self._is_at(graph, size) else None

    def _is_at(self, graph: Graph, size: int) -> bool:
        own = zip(graph.nodes, self._second.nodes, self.shapes, self.attrs, strict=True)
        return _wiring(graph) == self._wiring and all(
            a.shape == _at(shape, size)
            and a.dtype is b.dtype
            and a.device is b.device
            and _equal(_decisive(a), attrs, size)
            for a, b, shape, attrs in own
        )

    def at(self, size: int) -> Graph:
        """The program at another size.

        Raises:
            NotDynamic: there is none.
        """
        copies: dict[Node, Node] = {}
        for node, shape, attrs in zip(self._second.nodes, self.shapes, self.attrs, strict=True):
            type = tensor_type(_at(shape, size), node.dtype, node.device)
            copies[node] = _made(node, tuple([copies[source] for source in node.inputs]), _at(attrs, size), type)
        second = self._second
        realized = {
            copies[node]: copies.get(leaf) or _leaf(leaf, copies[node]) for node, leaf in second.realized.items()
        }
        names = {copies[node]: name for node, name in second.names.items() if node in copies}
        watched = [copies[node] if node is not None else None for node in second.watched]
        return Graph([copies[root] for root in second.roots], names, watched, realized)


def _made(node: Node, inputs: tuple[Node, ...], attrs: tuple[Any, ...], type: TensorType) -> Node:
    if not inputs:
        copy = Node(node.op, (), node.attrs if node.op is scalar else attrs, type)
        copy.origin = node.origin
        return copy
    try:
        copy = make_node(node.op, inputs, attrs, node.origin)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        raise NotDynamic(f"{node.op.name} ({node.origin or 'origin unknown'}): {error}") from error
    if copy.type is not type:
        raise NotDynamic(
            f"{node.op.name} ({node.origin or 'origin unknown'}) has {copy.type} where {type} was expected"
        )
    return copy


def _decisive(node: Node) -> tuple[Any, ...]:
    """The attributes without the value of a number that is an argument of the run."""
    return (None, node["slot"]) if node.op is scalar else node.attrs


def _leaf(leaf: Node, instead_of: Node) -> Node:
    return Node(buffer, (), leaf.attrs, instead_of.type)


def _at(value: Any, size: int) -> Any:
    if isinstance(value, tuple):
        return tuple([_at(item, size) for item in value])
    return value.at(size) if isinstance(value, Quantity) else value


def _equal(found: Any, template: Any, size: int) -> bool:
    """Whether attributes are those of the template; 1, 1.0 and True are three."""
    if isinstance(template, tuple):
        return (
            isinstance(found, tuple)
            and len(found) == len(template)
            and all([_equal(a, b, size) for a, b in zip(found, template, strict=True)])
        )
    if isinstance(template, Quantity):
        template = template.at(size)
    return type(found) is type(template) and bool(found == template or (found != found and template != template))


def _wiring(graph: Graph) -> tuple[Any, ...]:
    """All of a graph but shapes and attributes."""
    number: Mapping[Node, int] = {node: i for i, node in enumerate(graph.nodes)}
    nodes = [(node.op, node.dtype, node.device, node.rank, *[number[s] for s in node.inputs]) for node in graph.nodes]
    watched = [None if node is None else number[node] for node in graph.watched]
    realized = [(number[node], leaf.attrs, leaf.dtype) for node, leaf in graph.realized.items()]
    return tuple(nodes), tuple([number[root] for root in graph.roots]), tuple(watched), tuple(realized)


def _open_extent(pairs: Sequence[tuple[Node, Node]]) -> tuple[int, int]:
    """The leaf and the dimension that differ least: all other extents are then multiples of it, and more."""
    found: list[tuple[int, tuple[int, int]]] = []
    for number, (old, new) in enumerate(pairs):
        shapes: zip[tuple[int, int]] = zip(old.shape, new.shape, strict=True)
        if new.op is buffer:
            found += [(abs(b - a), (number, axis)) for axis, (a, b) in enumerate(shapes) if a != b]
    if not found:
        raise NotDynamic("no dimension of an input differs")
    return min(found)[1]
