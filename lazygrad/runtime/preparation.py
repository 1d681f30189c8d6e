"""What a program prepares before it trains on it is computed first where it differs from run to run.

Augmentation crops, flips and pastes by chance: the operations of a step that go before its model are others every time,
and a step that is one program would never be the same program twice. Computed apart they leave the same one behind.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd_meta import is_tracked, leaf_of
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.runtime.recording import inside_checkpoints

_LOOKS_AT_ITS_INPUT = frozenset({Kind.MOVEMENT, Kind.IDENTITY})


def prepared(order: Sequence[Node]) -> list[Node]:
    """The pending values that were recorded before the first operation gradients flow through, and that others read.

    Views count as what they look at. What is made without reading any value, such as zeros, is left out, and so is what
    a checkpoint computes.

    Args:
        order: the nodes of a program, inputs first.
    """
    pending = [node for node in order if node.value is None]
    first = min([node.serial for node in pending if is_tracked(node) and leaf_of(node) is None], default=0)
    inside = inside_checkpoints(pending)
    early: set[Node] = set()  # what reads values and was recorded before
    found: dict[Node, None] = {}
    for node in pending:
        if node.serial >= first:
            found.update([(source, None) for source in map(_looked_at, node.inputs) if source in early])
        elif node not in inside and any([source.value is not None or source in early for source in node.inputs]):
            early.add(node)
    return [node for node in found if node.op.kind not in _LOOKS_AT_ITS_INPUT]


def _looked_at(node: Node) -> Node:
    while node.value is None and node.op.kind in _LOOKS_AT_ITS_INPUT:
        node = node.inputs[0]
    return node
