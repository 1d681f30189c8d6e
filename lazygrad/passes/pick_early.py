"""Gathers of few elements move below the arithmetic whose results they pick.

The negative log-likelihood reads one logarithm per row. Picked last, all of them would be written to memory; picked
first, ``log_softmax`` is two row values and a subtraction per row.
"""

from __future__ import annotations

from math import prod

from lazygrad.ir import build
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, derived_origin, deriving_from, make_node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.watching import applied
from lazygrad.passes.rewrite import with_inputs

_FEW = 8  # one element in so many, or fewer, are picked
_MOST_OPS = 16  # that are computed once more for them
_MOST_GATHERS = 2


def pick_early(graph: Graph) -> Graph:
    """``graph`` with gathers of elementwise results as elementwise results of gathers, where few elements are picked.

    The picked elements are computed by the same operations, so they are the same to the last bit.
    """
    needed = set(graph.roots)
    for node in graph.nodes:
        if node.op.kind is Kind.LIBRARY and node.op is not ix.gather:
            needed.update(node.inputs)  # they are in memory anyway
    replaced: dict[Node, Node] = {}
    for node in graph.nodes:
        current = with_inputs(node, tuple([replaced[source] for source in node.inputs]))
        if node.op is ix.gather and node.inputs[0].op.kind is Kind.ELEMENTWISE and node.inputs[0] not in needed:
            with deriving_from(node.origin):
                picked = _Picker(current).run()
            if picked is not None:
                applied("pick before arithmetic")
                current = picked
        replaced[node] = current
    return graph.replaced(replaced)


class _Picker:
    def __init__(self, node: Node) -> None:
        self.source, self.index = node.inputs
        self.axis, self.wraps = node.attrs
        self.picked: dict[Node, Node] = {}
        self.gathers = 0

    def run(self) -> Node | None:
        """The picked elements of the source, or None where picking them first does not pay."""
        others = [axis for axis in range(self.source.rank) if axis != self.axis]
        whole_rows = all(self.index.shape[axis] == self.source.shape[axis] for axis in others)
        if not whole_rows or prod(self.index.shape) * _FEW > prod(self.source.shape):
            return None
        members = self._members()
        if members is None:
            return None
        for member in members:
            inputs = [self._operand(operand) for operand in member.inputs]
            if None in inputs or self.gathers > _MOST_GATHERS:
                return None
            kept = tuple([operand for operand in inputs if operand is not None])
            self.picked[member] = make_node(member.op, kept, member.attrs, derived_origin())
        return self.picked[self.source] if self.gathers else None

    def _members(self) -> list[Node] | None:
        """The elementwise ops behind the source, inputs first; None if they are too many."""
        order: dict[Node, None] = {}
        pending = [self.source]
        while pending:
            node = pending[-1]
            waiting = [x for x in node.inputs if self._is_computed(x) and x not in order]
            if waiting:
                pending += waiting
            else:
                order[pending.pop()] = None
            if len(pending) + len(order) > _MOST_OPS or not self._is_allowed(node):
                return None
        return list(order)

    def _is_computed(self, node: Node) -> bool:
        return node.op.kind is Kind.ELEMENTWISE and self._varies(node)

    @staticmethod
    def _is_allowed(node: Node) -> bool:
        """What may refuse an operand looks at all of them, picked or not; what waits for a token stays behind it."""
        return node.op is not ew.after and not node.op.may_refuse(node.attrs, node.dtype)

    def _varies(self, node: Node) -> bool:
        """Whether it differs along the axis of the gather."""
        axis = self.axis - (self.source.rank - node.rank)
        return axis >= 0 and node.shape[axis] != 1

    def _operand(self, node: Node) -> Node | None:
        """What takes the place of an operand."""
        if not self._varies(node):
            return node
        if node not in self.picked:
            if node.op.kind is Kind.PADDING:
                return None  # nothing else asks for it to be in memory
            self.gathers += 1
            whole = build.expand(node, self.source.shape)
            self.picked[node] = ix.gather(whole, self.index, axis=self.axis, wraps=self.wraps)
        return self.picked[node]
