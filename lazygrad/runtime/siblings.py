"""Gradients of one `backward` that are read one by one are computed together.

Each would repeat most of the sweep. The first that is read is computed alone, since often nobody reads the others, as
in the search for an adversarial input; with the second come all that are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import ref

from lazygrad.ir.node import Node


class _Siblings:
    """The pending gradients of the last `backward`.

    Attributes:
        nodes: weak references to them.
        are_read: whether one of them was computed without the others.
    """

    nodes: Sequence[ref[Node]] = ()
    are_read = False


def are_siblings(nodes: Sequence[Node]) -> None:
    """Declare pending gradients to be those of one sweep."""
    _Siblings.nodes, _Siblings.are_read = [ref(node) for node in nodes], False


def pending_siblings() -> list[Node]:
    """The gradients of the last `backward` that were not computed yet."""
    nodes = [reference() for reference in _Siblings.nodes]
    return [node for node in nodes if node is not None and node.value is None]


def siblings_beside(order: Sequence[Node]) -> list[Node]:
    """Gradients that are better computed along with ``order``, the nodes of a realization, and are not among them."""
    if not _Siblings.nodes:
        return []
    pending = pending_siblings()
    if not pending:
        _Siblings.nodes = ()
        return []
    missing = set(pending).difference(order)
    if len(missing) == len(pending):
        return []
    first, _Siblings.are_read = not _Siblings.are_read, True
    return [node for node in pending if node in missing] if missing and not first else []
