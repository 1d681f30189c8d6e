"""Gathers and slices of few elements move below the arithmetic whose results they pick.

A variance is taken of distances from the first element of a row. Picked last, all elements would be written to memory
before their row is summed; picked first, the element is one more number of the row's kernel. The negative
log-likelihood reads one logarithm per row. Picked last, all of them would be written to memory; picked first,
``log_softmax`` is two row values and a subtraction per row.
"""

from __future__ import annotations

from math import prod

from lazygrad.ir import build
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, derived_origin, deriving_from, make_node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.watching import applied
from lazygrad.passes.rewrite import with_inputs

_FEW = 8  # one element in so many, or fewer, are picked
_MOST_OPS = 16  # that are computed once more for them
_MOST_GATHERS = 2


def pick_early(graph: Graph) -> Graph:
    """``graph`` with gathers and slices of elementwise results as elementwise results of gathers and slices, where few
    elements are picked.

    The picked elements are computed by the same operations, so they are the same to the last bit.
    """
    needed = set(graph.roots)
    for node in graph.nodes:
        if node.op.kind is Kind.LIBRARY and node.op is not ix.gather:
            needed.update(node.inputs)  # they are in memory anyway
    replaced: dict[Node, Node] = {}
    for node in graph.nodes:
        current = with_inputs(node, tuple([replaced[source] for source in node.inputs]))
        if _may_pick(node, needed):
            with deriving_from(node.origin):
                picked = (_Picker if node.op is ix.gather else _SlicePicker)(current).run()
            if picked is not None:
                applied("pick before arithmetic")
                current = picked
        replaced[node] = current
    return graph.replaced(replaced)


def _may_pick(node: Node, needed: set[Node]) -> bool:
    """A gather reads what is in memory anyway. A slice does not wait for it: its reader may be where it is computed."""
    if node.op is mv.slice_:
        return node.inputs[0].op.kind is Kind.ELEMENTWISE
    return node.op is ix.gather and node.inputs[0].op.kind is Kind.ELEMENTWISE and node.inputs[0] not in needed


class _Picker:
    """Of a gather."""

    def __init__(self, node: Node) -> None:
        self.node, self.source = node, node.inputs[0]
        self.picked: dict[Node, Node] = {}
        self.gathers = 0

    def run(self) -> Node | None:
        """The picked elements of the source, or None where picking them first does not pay."""
        if not self._picks_few():
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
        return self.picked[self.source] if self.picked else None

    def _picks_few(self) -> bool:
        index, axis = self.node.inputs[1], self.node["axis"]
        others = [other for other in range(self.source.rank) if other != axis]
        whole_rows = all(index.shape[other] == self.source.shape[other] for other in others)
        return whole_rows and prod(index.shape) * _FEW <= prod(self.source.shape)

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
        axis = self.node["axis"] - (self.source.rank - node.rank)
        return axis >= 0 and node.shape[axis] != 1

    def _operand(self, node: Node) -> Node | None:
        """What takes the place of an operand."""
        if not self._varies(node):
            return node
        if node not in self.picked:
            if node.op.kind is Kind.PADDING:
                return None  # nothing else asks for it to be in memory
            self.picked[node] = self._pick(node)
        return self.picked[node]

    def _pick(self, node: Node) -> Node:
        self.gathers += 1
        whole = build.expand(node, self.source.shape)
        return make_node(ix.gather, (whole, self.node.inputs[1]), self.node.attrs, derived_origin())


class _SlicePicker(_Picker):
    """Of a slice."""

    def run(self) -> Node | None:
        self.cut = [axis for axis, size in enumerate(self.source.shape) if size != self.node.shape[axis]]
        return super().run()

    def _picks_few(self) -> bool:
        return 0 < prod(self.node.shape) * _FEW <= prod(self.source.shape)  # of nothing there is nothing to pick

    def _varies(self, node: Node) -> bool:
        lead = self.source.rank - node.rank
        return any(axis >= lead and node.shape[axis - lead] != 1 for axis in self.cut)

    def _pick(self, node: Node) -> Node:
        whole = build.expand(node, self.source.shape)
        return make_node(mv.slice_, (whole,), self.node.attrs, derived_origin())
