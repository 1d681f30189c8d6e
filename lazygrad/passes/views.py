"""Makes every movement chain a strided view of something stored, by inserting copies where no strides can express it."""

from __future__ import annotations

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Kind, Node, deriving_from
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.leaf import buffer, constant, scalar
from lazygrad.ir.primitives.random import philox
from lazygrad.ir.view import View
from lazygrad.passes.rewrite import with_inputs


def materialize_views(graph: Graph) -> Graph:
    """After this pass every movement node is a `View` of a non-movement node, and every root is storable.

    A reshape of a view whose elements do not lie evenly gets a `contiguous` copy below it. A root that is a view
    or a constant gets one too, unless it is all of a computed value in order (then the two share one buffer).
    """
    replaced: dict[Node, Node] = {}
    views: dict[Node, View] = {}
    roots = set(graph.roots)
    for node in graph.nodes:
        current = with_inputs(node, tuple([replaced[source] for source in node.inputs]))
        if current.op.kind is Kind.MOVEMENT:
            current = _viewable(current, views)
        elif current.op is ew.clone and node not in roots:
            current = current.inputs[0]  # memory of its own means nothing to a value nobody can see
        else:
            if current.op.kind is Kind.LIBRARY:
                current = with_inputs(current, tuple([_as_array(current, source) for source in current.inputs]))
            views[current] = View.contiguous(current.shape)
        replaced[node] = current
    mapped = graph.replaced(replaced)
    return Graph([_storable(root, views) for root in mapped.roots], mapped.names, mapped.watched)


def _viewable(node: Node, views: dict[Node, View]) -> Node:
    (source,) = node.inputs
    view = mv.apply_to_view(views[source], node.op, node.attrs)
    if view is None:
        copy = _copy(source)
        views[copy] = View.contiguous(copy.shape)
        node = with_inputs(node, (copy,))
        view = mv.apply_to_view(views[copy], node.op, node.attrs)
        assert view is not None
    views[node] = view
    return node


# Library calls that take numbers as they are; the others get them as arrays.
_TAKES_NUMBERS = frozenset({ix.pad, philox})


def _as_array(call: Node, source: Node) -> Node:
    base, _ = mv.view_chain(source)
    return _copy(source) if base.op in (constant, scalar) and call.op not in _TAKES_NUMBERS else source


def _copy(node: Node) -> Node:
    with deriving_from(node.origin):
        return ew.contiguous(node)


def _storable(root: Node, views: dict[Node, View]) -> Node:
    base, _ = mv.view_chain(root)
    if base.op.kind is Kind.LEAF:
        whole = base.op is buffer and is_whole(views[root], base)
        return root if whole else _copy(root)
    return root if is_whole(views[root], base) else _copy(root)


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
    view: View | None = View.contiguous(base.shape)
    for op, attrs in steps:
        assert view is not None
        view = mv.apply_to_view(view, op, attrs)
    assert view is not None
    return base, view
