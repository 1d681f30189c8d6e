"""Which leaves depend on recorded gradients: what a second backward pass can reach."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autodiff.registry import is_differentiable
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.gradient import grad
from lazygrad.passes.differentiate import spelled_out


def leaves_of_gradients(outputs: Sequence[Node], reached: Sequence[Node]) -> set[Node]:
    """The nodes that ``outputs``, which were computed from recorded gradients, differentiably depend on.

    A recorded gradient has all of the history of what it differentiates as its own, but need not depend on all of it:
    that of a layer does not depend on the layer's bias.
    """
    spelled = spelled_out(outputs, min(node.serial for node in reached if node.op is grad) - 1)

    def differentiable_inputs(node: Node) -> tuple[Node, ...]:
        if not is_differentiable(node.op):
            return ()
        return tuple([source for source in node.inputs if source.dtype.differentiable])

    return set(topological_order(spelled, differentiable_inputs))
