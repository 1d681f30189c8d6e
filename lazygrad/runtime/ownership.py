"""Who still needs a value: asked of the interpreter's reference counts.

Each question counts references to an object, of which some are those of the code that asks. How many is found out by
asking the same question about objects made for the purpose. Where the answers are not what the question needs, as in an
interpreter that borrows references, everything counts as held: nothing is donated then, which is slower and right.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.primitives.leaf import constant


def held_beside(order: Sequence[Node], uses: Sequence[int]) -> list[Node]:
    """Nodes that something besides a recording refers to: a tensor, or a pending node that is not part of it.

    Two nodes sharing one tuple of inputs would be counted twice, so nodes never share theirs.

    Args:
        order: nodes that the caller holds in this list and as keys of one dictionary.
        uses: how many references to each it has beside these.
    """
    count, bound = sys.getrefcount, bounds.in_recording
    return [node for node, used in zip(order, uses, strict=True) if count(node) - used > bound]


def is_sole_owner(node: Node) -> bool:
    """Whether no other node or array shares the memory of a realized node."""
    return not node.value.shared and has_value_alone(node)


def has_value_alone(owner: Any) -> bool:
    """Whether nothing but ``owner``, a node or a storage, refers to its value. Others may share a buffer's memory."""
    # The value gets no name here: that would be one more reference.
    return _count_of_value(owner) <= bounds.of_value


def contents_are_alone(storage: Any) -> bool:
    """Whether nothing but ``storage`` and the caller's one variable refers to the node ``storage.value``."""
    return _count_of_value(storage) <= bounds.of_value + 1


def has_node_alone(tensor: Any) -> bool:
    """Whether nothing but ``tensor`` refers to the node that it keeps."""
    return sys.getrefcount(tensor._node) <= bounds.of_value


def have_values_alone(owners: Sequence[Any]) -> bool:
    """Whether `has_value_alone` holds for all ``owners``, of which there may be many."""
    return _largest_count(owners) <= bounds.of_values


def positions_of_held_values(owners: Sequence[Any]) -> list[int]:
    """The positions of those ``owners`` for which `have_values_alone` does not hold."""
    return [position for position, count in enumerate(_counts_of(owners)) if count > bounds.of_values]


class Slot:
    """Refers to one object, as a node refers to its value."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _count_of_value(owner: Any) -> int:
    return sys.getrefcount(owner.value)


def _largest_count(owners: Sequence[Any]) -> int:
    return max(_counts_of(owners), default=0)


def _counts_of(owners: Sequence[Any]) -> list[int]:
    count = sys.getrefcount
    return [count(owner.value) for owner in owners]


def references(objects: Sequence[Any]) -> list[int]:
    """How many references there are to each object.

    A replay notes these counts when it has just made the objects. While they are the same, nobody else refers to them.
    """
    return [*map(sys.getrefcount, objects)]


class _Bounds:
    """What the questions above count where nobody else holds an object.

    Attributes:
        in_recording: of `held_beside`.
        of_value: of a value to which one slot refers.
        of_values: the same of many, of `have_values_alone`.
        can_watch: whether another reference shows in `references`.
    """

    in_recording: float = -inf
    of_value: float = -inf
    of_values: float = -inf
    can_watch = False

    def calibrate(self) -> None:
        """Find them out."""
        self.in_recording, self.of_value, self.of_values, self.can_watch = -inf, -inf, -inf, False
        self.in_recording = trusted(_counts_in_recording)
        self.of_value = trusted(_counts_of_value)
        self.of_values = trusted(_counts_of_values)
        self.can_watch = trusted(_counts_in_watch) != -inf


def trusted(counts: Callable[[list[Any]], int]) -> float:
    """The count without holders, if each of one, two and three more references adds one to it; else minus infinity."""
    alone = counts([])
    for holders in (1, 2, 3):
        if counts([None] * holders) != alone + holders:
            return -inf
    return alone if alone > 0 else -inf


def _counts_in_recording(holders: list[Any]) -> int:
    probe = [Node(constant, (), (0,), tensor_type((), int64))]
    index = {node: i for i, node in enumerate(probe)}
    holders[:] = [(probe[0],) for _ in holders]
    low, high = 0, 1 << 10  # the count by asking the question itself, whose own references are the point
    while low < high:
        middle = (low + high) // 2
        bounds.in_recording = middle
        low, high = (middle + 1, high) if held_beside(probe, [0]) else (low, middle)
    del index
    return low


def _counts_of_value(holders: list[Any]) -> int:
    slot = Slot(object())
    holders[:] = [(slot.value,) for _ in holders]
    return _count_of_value(slot)


def _counts_of_values(holders: list[Any]) -> int:
    slots = [Slot(object())]
    holders[:] = [(slots[0].value,) for _ in holders]
    return _largest_count(slots)


def _counts_in_watch(holders: list[Any]) -> int:
    watched = [object()]
    holders[:] = [(watched[0],) for _ in holders]
    return references(watched)[0]


bounds = _Bounds()
bounds.calibrate()
