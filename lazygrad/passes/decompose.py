"""Spell composites out in primitives, and drop the markers that only differentiation reads."""

from __future__ import annotations

from lazygrad.ir.callable_op import Composite
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.op import Kind
from lazygrad.ir.origin import Origin
from lazygrad.ir.watching import applied
from lazygrad.passes.rewrite import rewrite


def decompose(graph: Graph) -> Graph:
    """``graph`` without composites and identities. Nodes of a composite's body get the composite's origin."""
    return rewrite(graph, spelled_out)


def spelled_out(node: Node) -> Node | None:
    """What a composite consists of, or what an identity stands for; None for any other node."""
    if isinstance(node.op, Composite):
        applied(f"spell out {node.op.name}")
        with deriving_from(_labelled(node)):
            return node.op.decompose(node)
    if node.op.kind is Kind.IDENTITY:
        applied(f"drop {node.op.name}")
        return node.inputs[0]
    return None


def _labelled(node: Node) -> Origin | None:
    """The composite's origin, which says so: kernels are named after what the user recorded."""
    origin = node.origin
    return origin if origin is None or origin.label else origin.labelled(node.op.name)
