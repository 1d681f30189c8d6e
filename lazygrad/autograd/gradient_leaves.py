"""Which leaves depend on recorded gradients: what a second backward pass can reach."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from lazygrad.autodiff.registry import is_differentiable
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import constant
from lazygrad.passes.differentiate import expansions

_MAX_KNOWN = 64
_known: OrderedDict[tuple[Any, ...], list[int]] = OrderedDict()
"""By the structure of a history, which of its nodes are leaves of gradients; what was asked for last comes last."""


def leaves_of_gradients(outputs: Sequence[Node], reached: Sequence[Node]) -> set[Node]:
    """The nodes of the history that ``outputs``, which were computed from recorded gradients, differentiably depend on.

    A recorded gradient has all of the history of what it differentiates as its own, but need not depend on all of it:
    that of a layer does not depend on the layer's bias. To know that, gradients are spelled out, which costs as much
    as planning them. So the answer is kept for histories of the same structure, as those of a training loop are.

    Args:
        outputs: what is differentiated.
        reached: the history of the outputs, in an order in which each node comes after what it reads.
    """
    key = _structure(outputs, reached)
    positions = _known.pop(key, None)
    if positions is None:
        leaves = _found(outputs, reached)
        positions = [i for i, node in enumerate(reached) if node in leaves]
    _known[key] = positions
    if len(_known) > _MAX_KNOWN:
        _known.popitem(last=False)
    return {reached[i] for i in positions}


def _structure(outputs: Sequence[Node], reached: Sequence[Node]) -> tuple[Any, ...]:
    """All that decides how gradients are spelled out, without the nodes.

    What no gradient flows to is an operand whose value is not looked at, but for numbers: to walk through what it was
    computed from, perhaps since the start of a program, would take longer with each step.
    """
    position: dict[Node, int] = {}
    parts: list[Any] = []
    for node in reached:
        parts += (node.op, node.attrs, node.type)
        for source in node.inputs:
            known = position.get(source)
            is_number = source.op is constant
            parts.append((source.op, source.type, source.attrs if is_number else ()) if known is None else known)
        position[node] = len(position)
    parts += [position[output] for output in outputs]
    return tuple(parts)


def _found(outputs: Sequence[Node], reached: Sequence[Node]) -> set[Node]:
    expanded = expansions(outputs, min(node.serial for node in reached if node.op is grad) - 1)

    def differentiable_inputs(node: Node) -> tuple[Node, ...]:
        if not is_differentiable(node.op):
            return ()
        return tuple([source for source in node.inputs if source.dtype.differentiable])

    below = set(topological_order([expanded.get(output, output) for output in outputs], differentiable_inputs))
    return {node for node in reached if expanded.get(node, node) in below}
