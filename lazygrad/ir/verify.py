"""The type checker run after every pass in the tests: a graph must say only true things about itself."""

from __future__ import annotations

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind


class VerificationError(AssertionError):
    """A graph that contradicts itself; the message names the node."""


def verify(graph: Graph, allowed: frozenset[Kind] | None = None) -> None:
    """Check every node of ``graph``.

    Args:
        graph: what to check.
        allowed: the kinds of op this stage may contain; default all.

    Raises:
        VerificationError: an op of a kind this stage excludes, a wrong number of attributes, an inferred type
            that differs from the stored one, unhashable attributes, or a root outside the graph.
    """
    seen: set[Node] = set()
    for node in graph.nodes:
        _verify_node(node, seen, allowed)
        seen.add(node)
    for root in graph.roots:
        if root not in seen:
            raise VerificationError(f"root {root} is not a node of the graph")


def _verify_node(node: Node, seen: set[Node], allowed: frozenset[Kind] | None) -> None:
    if allowed is not None and node.op.kind not in allowed:
        raise VerificationError(f"{node}: {node.op.kind.value} ops do not belong in this stage")
    if len(node.attrs) != len(node.op.attr_names):
        raise VerificationError(f"{node}: {len(node.attrs)} attributes, the op has {node.op.attr_names}")
    for source in node.inputs:
        if source not in seen:
            raise VerificationError(f"{node}: its input {source} does not come before it")
    try:
        hash(node.attrs)
    except TypeError as error:
        raise VerificationError(f"{node}: attributes must be hashable, not {node.attrs}") from error
    if node.op.kind is Kind.LEAF:
        if node.inputs:
            raise VerificationError(f"{node}: a leaf has no inputs")
        return
    shape, dtype = node.op.infer(node.attrs, *[source.type for source in node.inputs])
    if (tuple(shape), dtype) != (node.shape, node.dtype):
        raise VerificationError(f"{node}: inference gives {dtype.short}{list(shape)}")
