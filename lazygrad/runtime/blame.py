"""Which line of the user's an error belongs to that a running plan raised.

A plan may serve many recordings, so the line is looked up in the one that failed.
"""

from __future__ import annotations

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.op import Refusal
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.passes.fuse import Group


def name_line(error: Exception, step: Group, recorded: Graph, now: Graph | None) -> None:
    """Let the message of ``error`` say which line recorded the operation that failed.

    Args:
        error: what the step raised; its first argument is the message.
        step: the step of the plan that failed.
        recorded: the recorded form of the plan.
        now: the graph of the recording that failed, equal to ``recorded`` but for its lines; None if it is the same.
    """
    if not _has_message(error):
        return
    origin = _failed_node(error.args[0], step).origin
    if origin is not None and now is not None:
        origin = _same_operation(origin, recorded, now)
    add_place(error, origin)


def add_place(error: Exception, origin: Origin | None) -> None:
    """Let the message of ``error``, if it has one, say where the operation was recorded, if that is known."""
    if origin is not None and origin.place and _has_message(error):
        error.args = (f"{error.args[0]} [recorded at {origin.place}]", *error.args[1:])


def _has_message(error: Exception) -> bool:
    return bool(error.args) and isinstance(error.args[0], str)


def _failed_node(message: str, step: Group) -> Node:
    """The node of a step that raised this; the last one of a kernel where no other is known to raise."""
    for node in step.nodes:
        if node.op is ew.require and all(part in message for part in node["message"].split("{}")):
            return node
        if node.op.refuses is Refusal.ZERO_DIVISOR and "ZeroDivisionError" in message:
            return node
    return step.nodes[-1]


def _same_operation(origin: Origin, recorded: Graph, now: Graph) -> Origin:
    """The place in ``now`` of what ``origin`` says of a node of ``recorded``, or of what is derived from that."""
    for then, node in zip(recorded.nodes, now.nodes, strict=False):
        is_known = then.origin is not None and then.origin.same_place(origin) and then.origin.scope == origin.scope
        if is_known and node.origin is not None:
            return node.origin
    return origin
