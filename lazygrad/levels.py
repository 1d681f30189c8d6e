"""Function transforms that are running in a thread, such as `lazygrad.func.grad` and `lazygrad.func.vmap`.

A transform records its function on stand-ins for the arguments and then rewrites the recorded graph. While it
records, whoever writes to tensors or draws random numbers asks here what the transforms say to it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol
from weakref import WeakSet

from lazygrad.ir.node import Node, next_serial
from lazygrad.ir.settings import Settings


class Writable(Protocol):
    """A storage, as far as transforms ask: it holds a node."""

    value: Node


class Level:
    """One running transform.

    Attributes:
        first: nodes of a greater serial were made by the function; what others compute was captured.
        size: how many examples there are, in `vmap`.
        copies: how many of them get random numbers of their own.
    """

    copies = 1
    size = 1

    def __init__(self) -> None:
        self.first = next_serial()
        self._captured: WeakSet[Writable] = WeakSet()

    def captures(self, storage: Writable) -> bool:
        """Whether a storage was there before the function ran."""
        if storage.value.serial < self.first:
            self._captured.add(storage)
        return storage in self._captured

    def check_write(self, storage: Writable, value: Node) -> None:
        """Called before ``value`` replaces the contents of ``storage``."""

    def check_random(self) -> None:
        """Called before random numbers are drawn."""

    def stack(self, node: Node) -> Node | None:
        """All examples' values of a node of the function; None where there is only one."""
        return self.stacks([node])[0]

    def stacks(self, nodes: Sequence[Node]) -> list[Node | None]:
        """`stack` of several nodes."""
        return [None] * len(nodes)

    def whole(self, nodes: Sequence[Node]) -> list[Node]:
        """Some nodes as stacks, repeated where there is only one value."""
        return list(nodes)

    def outside(self, nodes: Sequence[Node]) -> list[Node]:
        """Nodes of the function as whoever runs the transform sees them."""
        return list(nodes)

    def one_of(self, stack: Node) -> Node:
        """Of ``stack``, which holds one value per example, the value of the example being recorded."""
        return stack


class _Levels(Settings, threading.local):
    active: tuple[Level, ...] = ()  # outermost first


levels = _Levels()


@contextmanager
def running_only(active: tuple[Level, ...]) -> Iterator[None]:
    """Within this context these transforms run, and no others."""
    outer = levels.active
    levels.active = active
    try:
        yield
    finally:
        levels.active = outer


def running(level: Level) -> AbstractContextManager[None]:
    """Within this context ``level`` is the innermost transform."""
    return running_only((*levels.active, level))


def check_write(storage: Writable, value: Node) -> None:
    """Ask all running transforms whether a write is allowed.

    Raises:
        RuntimeError: it changes a captured tensor in a way the transform cannot account for.
    """
    for level in levels.active:
        level.check_write(storage, value)


def examples_to_draw() -> int:
    """How many numbers to draw in place of each one, for all examples of the running transforms.

    Raises:
        RuntimeError: inside a vmap whose ``randomness`` is ``"error"``.
    """
    count = 1
    for level in levels.active:
        level.check_random()
        count *= level.copies
    return count


def stacking_levels() -> list[Level]:
    """The transforms for whose examples random numbers differ, outermost first."""
    return [level for level in levels.active if level.copies != 1]


def forbid(message: str) -> None:
    """Raise RuntimeError if a transform is running."""
    if levels.active:
        raise RuntimeError(message)
