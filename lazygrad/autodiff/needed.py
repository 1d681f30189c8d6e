"""Which values the gradient of an operation refers to: what PyTorch would save for backward."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autodiff.reverse import reverse_sweep
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import leaf_node, placeholder


class Pullback:
    """The pullback of one node, spelled out for a cotangent yet to come.

    Attributes:
        cotangent: the placeholder of the cotangent.
        parts: per input its gradient, or None; a value that is read at two inputs has its gradient at the first.
        needed: the inputs, and the node itself, that the gradients refer to.
    """

    def __init__(self, node: Node) -> None:
        self.cotangent = leaf_node(placeholder, (), node.type)
        tracked = [source for source in dict.fromkeys(node.inputs) if source.tracked]
        found = reverse_sweep(node, self.cotangent, tracked)
        self.parts = [found.pop(source, None) for source in node.inputs]
        ends = {node, *node.inputs}

        def inside(current: Node) -> tuple[Node, ...]:
            return () if current in ends else current.inputs

        reached = topological_order([part for part in self.parts if part is not None], inside)
        self.needed = [current for current in reached if current in ends]


def needed_for_gradient(node: Node) -> Sequence[Node]:
    """The inputs of ``node``, and itself, that its gradient by its tracked inputs refers to."""
    return Pullback(node).needed
