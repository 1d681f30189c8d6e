"""Sums of many terms as one op: where the gradients of slices, or of a weight used many times, meet.

Slices that do not overlap send back one padded gradient each; their sum is a concatenation. A weight used T times
collects T products; their sum is one product of operands joined along the axis that the product folds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import reduce

from lazygrad.ir import build
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.reduction import reduce_sum
from lazygrad.ir.watching import applied
from lazygrad.passes.rewrite import with_inputs
from lazygrad.passes.simplify_movement import uniform_value


def merge_sums(graph: Graph) -> Graph:
    """``graph`` with padded terms of a sum joined to a `concat`, and product terms to one `matmul`.

    A term is merged only where nothing else reads it. Floating-point sums may round otherwise than term by term.
    """
    return _SumMerger(graph).run()


class _SumMerger:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.position = {node: i for i, node in enumerate(graph.nodes)}
        self.uses = Counter(source for node in graph.nodes for source in node.inputs)
        self.uses.update(graph.roots)
        adds = [node for node in graph.nodes if node.op is ew.add]
        self.sums = {node for node in adds if all(source.type is node.type for source in node.inputs)}
        # Part of a larger sum, and read by nothing else.
        self.inner = {x for node in self.sums for x in node.inputs if x in self.sums and self.uses[x] == 1}
        self.terms = {node: list(self._terms(node)) for node in self.sums if node not in self.inner}
        self.joined = {_left(term) for terms in self.terms.values() for term in terms if _is_worth_joining(term)}
        self.replaced: dict[Node, Node] = {}

    def run(self) -> Graph:
        for node in self.graph.nodes:
            merged = self._merged(node) if node in self.terms else None
            self.replaced[node] = merged or with_inputs(node, tuple([self.replaced[source] for source in node.inputs]))
        return self.graph.replaced(self.replaced)

    def _merged(self, total: Node) -> Node | None:
        """The sum with fewer terms, or None where nothing can be joined."""
        terms = self.terms[total]
        single = [term for term in terms if self.uses[term] == 1]
        joined: dict[Node, list[Node]] = {}
        with deriving_from(total.origin):
            for group, join, rule in (
                (_disjoint(single), self._concatenation, "padded slices become one concatenation"),
                ([term for term in single if _is_worth_joining(term)], self._product, "products become one product"),
                (
                    [term for term in single if self._folds_joined_rows(term)],
                    self._reduction,
                    "row sums become one",
                ),
            ):
                if len(group) > 1:
                    joined[join(group)] = group
                    applied(rule)
            gone = {term for group in joined.values() for term in group}
            kept = [self.replaced[term] for term in terms if term not in gone]
            return reduce(ew.add, kept + list(joined)) if joined else None

    def _terms(self, total: Node) -> Iterator[Node]:
        pending = [total]
        while pending:
            node = pending.pop()
            if node is total or node in self.inner:
                pending += reversed(node.inputs)
            else:
                yield node

    def _concatenation(self, pads: list[Node]) -> Node:
        """The parts where the padding puts them, zeros in between."""
        axis = _padded_axis(pads[0])
        assert axis is not None
        parts, end = [], 0
        for pad in pads:
            part = pad.inputs[0]
            parts += self._zeros(pad, axis, pad["before"][axis] - end)
            parts.append(self.replaced[part])
            end = pad["before"][axis] + part.shape[axis]
        parts += self._zeros(pads[0], axis, pads[0].shape[axis] - end)
        return parts[0] if len(parts) == 1 else ix.concat(*parts, axis=axis)

    @staticmethod
    def _zeros(like: Node, axis: int, size: int) -> list[Node]:
        shape = (*like.shape[:axis], size, *like.shape[axis + 1 :])
        return [build.filled(shape, 0, like)] if size else []

    def _operands(self, terms: list[Node], side: int = 0) -> list[Node]:
        """Inputs in the order in which the first ones arise: sums that share them then share what joins them."""
        terms = sorted(terms, key=lambda term: self.position[_left(term)])
        return [self.replaced[term.inputs[side]] for term in terms]

    def _product(self, products: list[Node]) -> Node:
        return matmul(_joined(self._operands(products), 1), _joined(self._operands(products, 1), 0))

    def _folds_joined_rows(self, term: Node) -> bool:
        """Whether it sums the rows of a matrix that a product is going to join with others anyway."""
        return term.op is reduce_sum and term["axes"] == (0,) and term.inputs[0] in self.joined

    def _reduction(self, reductions: list[Node]) -> Node:
        return reduce_sum(ix.concat(*self._operands(reductions), axis=0), axes=(0,))


def _left(term: Node) -> Node:
    """The value whose view is the first input."""
    return mv.view_chain(term.inputs[0])[0]


def _joined(parts: list[Node], axis: int) -> Node:
    """Matrices one after another; transposed ones are joined as they lie in memory."""
    if all(part.op is mv.permute and part["axes"] == (1, 0) for part in parts):
        return build.swap_last(ix.concat(*[part.inputs[0] for part in parts], axis=1 - axis))
    return ix.concat(*parts, axis=axis)


def _is_worth_joining(term: Node) -> bool:
    """Whether copying both operands moves no more than writing the product down and adding it."""
    if term.op is not matmul or term.rank != 2:
        return False
    rows, columns = term.shape
    return term.inputs[0].shape[1] * (rows + columns) <= rows * columns


def _padded_axis(term: Node) -> int | None:
    """The one axis along which ``term`` surrounds another value with zeros."""
    if term.op is not ix.pad or uniform_value(term.inputs[1]) != 0:
        return None
    padded = [axis for axis, amounts in enumerate(zip(term["before"], term["after"], strict=True)) if any(amounts)]
    return padded[0] if len(padded) == 1 and min(*term["before"], *term["after"]) >= 0 else None


def _disjoint(terms: list[Node]) -> list[Node]:
    """The padded values among ``terms`` along the axis of the first one, in order; none if two of them overlap."""
    axes = {term: _padded_axis(term) for term in terms}
    axis = next((axis for axis in axes.values() if axis is not None), None)
    if axis is None:
        return []
    pads = sorted([term for term in terms if axes[term] == axis], key=lambda pad: pad["before"][axis])
    ends = [pad["before"][axis] + pad.inputs[0].shape[axis] for pad in pads]
    return pads if all(end <= pad["before"][axis] for end, pad in zip(ends, pads[1:], strict=False)) else []
