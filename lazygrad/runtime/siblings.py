"""Gradients of one `backward` that are read one by one are computed together.

Each would repeat most of the sweep. The first that is read is computed alone, since often nobody reads the others, as
in the search for an adversarial input; with the second come all that are left. Where that happened before, as in a loop
with an optimizer for each of two networks, all come with the first.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import ClassVar
from weakref import ref

from lazygrad.ir.node import Node


class _Siblings:
    """The pending gradients of the last `backward`.

    Attributes:
        nodes: weak references to them.
        of: identities of what they are the gradients of, by which a later sweep is recognized.
        are_read: whether one of them was computed without the others.
        read_in_turn: the identities of sweeps whose gradients were read one after another.
    """

    nodes: Sequence[ref[Node]] = ()
    of: tuple[int, ...] = ()
    are_read = False
    read_in_turn: ClassVar[set[tuple[int, ...]]] = set()


_MOST_SWEEPS = 256  # that are remembered


def are_siblings(nodes: Sequence[Node], of: Sequence[object]) -> None:
    """Declare pending gradients, of these objects, to be those of one sweep."""
    _Siblings.nodes, _Siblings.are_read = [ref(node) for node in nodes], False
    _Siblings.of = tuple(map(id, of))


def pending_siblings() -> list[Node]:
    """The gradients of the last `backward` that were not computed yet."""
    nodes = [reference() for reference in _Siblings.nodes]
    return [node for node in nodes if node is not None and node.value is None]


def siblings_beside(covered: Container[Node]) -> list[Node]:
    """Gradients that are better computed along with ``covered``, the nodes of a realization, and are not among them."""
    if not _Siblings.nodes:
        return []
    pending = pending_siblings()
    if not pending:
        _Siblings.nodes = ()
        return []
    missing = [node for node in pending if node not in covered]
    if len(missing) == len(pending):
        return []
    are_read, _Siblings.are_read = _Siblings.are_read, True
    if are_read:
        if len(_Siblings.read_in_turn) >= _MOST_SWEEPS:
            _Siblings.read_in_turn.clear()
        _Siblings.read_in_turn.add(_Siblings.of)
    comes_along = missing and _Siblings.of in _Siblings.read_in_turn
    return missing if comes_along else []
