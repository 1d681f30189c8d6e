"""Makes every movement chain a strided view of something stored, by copying where no strides can express it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.indexing import put
from lazygrad.ir.primitives.leaf import buffer, constant, scalar
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import View
from lazygrad.ir.watching import applied
from lazygrad.passes.rewrite import with_inputs


def materialize_views(graph: Graph) -> Graph:
    """After this pass every movement node is a `View` of a non-movement node, and every root is storable.

    A reshape of a view whose elements do not lie evenly gets a `contiguous` copy below it. A root that is a view
    or a constant gets one too, unless it is all of a computed value in order (then the two share one buffer).
    """
    return _Materializer(graph).run()


class _Materializer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.views: dict[Node, View] = {}
        self.copies: dict[Node, Node] = {}
        self.replaced: dict[Node, Node] = {}

    def run(self) -> Graph:
        stored = {mv.view_chain(root)[0] for root in self.graph.roots}
        for node in self.graph.nodes:
            current = with_inputs(node, tuple([self.replaced[source] for source in node.inputs]))
            if current.op.is_view:
                current = self._viewable(current)
            elif current.op is ew.clone and node not in stored:
                current = current.inputs[0]  # memory of its own means nothing to a value nobody can see
            elif current.op.kind is Kind.LIBRARY:
                current = with_inputs(current, tuple(self._arrays(current)))
            elif current.op.kind is Kind.REDUCTION:
                current = with_inputs(current, (self._at_full_size(current.inputs[0]),))
            elif current.op.kind is Kind.PADDING:
                current = with_inputs(current, (self._in_memory(current.inputs[0]), *current.inputs[1:]))
            self.views.setdefault(current, View.contiguous(current.shape))
            self.replaced[node] = current
        mapped = self.graph.replaced(self.replaced)
        return Graph([self._storable(root) for root in mapped.roots], mapped.names, mapped.watched)

    def _viewable(self, node: Node) -> Node:
        view = mv.apply_to_view(self.views[node.inputs[0]], node.op, node.attrs)
        if view is None:
            node = with_inputs(node, (self._copy(node.inputs[0]),))
            view = mv.apply_to_view(self.views[node.inputs[0]], node.op, node.attrs)
            assert view is not None
        self.views[node] = view
        return node

    def _arrays(self, call: Node) -> Iterator[Node]:
        for position, source in enumerate(call.inputs):
            is_number = mv.view_chain(source)[0].op in (constant, scalar)
            if not is_number or position in call.op.number_inputs:
                yield source
            elif position == 0 and call.op is put and call["accumulate"]:
                yield self._in_memory(source)  # the call itself fills the rows between those it adds to
            else:
                yield self._copy(source)

    def _at_full_size(self, node: Node) -> Node:
        """A reduction counts every element, so it cannot read a broadcast value at its source's size."""
        is_number = mv.view_chain(node)[0].op in (constant, scalar)
        return self._copy(node) if is_number or self.views[node].overlaps else node

    def _in_memory(self, node: Node) -> Node:
        """What is read only in places must lie somewhere: one element of memory for a number, seen as many."""
        base = mv.view_chain(node)[0]
        if base.op not in (constant, scalar):
            return node
        with deriving_from(node.origin):
            alone = self._copy(self._viewable(mv.reshape(base, shape=(1,) * node.rank)))
            return alone if alone.shape == node.shape else self._viewable(mv.expand(alone, shape=node.shape))

    def _copy(self, node: Node) -> Node:
        copy = self.copies.get(node)
        if copy is None:
            applied(f"copy {node.op.name}")
            with deriving_from(node.origin):
                copy = self.copies[node] = ew.contiguous(node)
            self.views[copy] = View.contiguous(copy.shape)
        return copy

    def _storable(self, root: Node) -> Node:
        base, _ = mv.view_chain(root)
        stored = base.op.kind is not Kind.LEAF or base.op is buffer
        return root if stored and is_whole(self.views[root], base) else self._copy(root)


def is_whole(view: View, base: Node) -> bool:
    """Whether a view of ``base`` is all of it, in order, so that both can share one buffer."""
    count = 1
    for size in base.shape:
        count *= size
    viewed = 1
    for size in view.shape:
        viewed *= size
    return viewed == count and view.offset == 0 and view.is_contiguous


def view_of(node: Node) -> tuple[Node, View]:
    """The stored value ``node`` is a view of, and the view. Only for graphs that `materialize_views` returned."""
    base, steps = mv.view_chain(node)
    return base, _seen_through(base.shape, steps)


@lru_cache(maxsize=1 << 14)  # every stage after this pass asks for the views of the same nodes
def _seen_through(shape: Shape, steps: tuple[tuple[Op, tuple[Any, ...]], ...]) -> View:
    view: View | None = View.contiguous(shape)
    for op, attrs in steps:
        assert view is not None
        view = mv.apply_to_view(view, op, attrs)
    assert view is not None
    return view
