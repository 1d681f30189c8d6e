"""The pullback of one operation by itself, and which values it refers to: what PyTorch would save for backward."""

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

    def __init__(self, node: Node, wanted: Sequence[Node]) -> None:
        """``wanted``: the inputs of ``node`` to differentiate by."""
        self.cotangent = leaf_node(placeholder, (), node.type)
        found = reverse_sweep(node, self.cotangent, list(dict.fromkeys(wanted)))
        self.parts = [found.pop(source, None) for source in node.inputs]
        ends = {node, *node.inputs}

        def inside(current: Node) -> tuple[Node, ...]:
            return () if current in ends else current.inputs

        reached = topological_order([part for part in self.parts if part is not None], inside)
        self.needed = [current for current in reached if current in ends]
