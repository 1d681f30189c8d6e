"""Memory that code outside this package sees: it stays where it is, and in-place writes to its storage land in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Generic, TypeVar
from weakref import ref

import numpy as np

from lazygrad.autograd_meta import own_meta
from lazygrad.host.buffer import Buffer, duplicate
from lazygrad.ir.node import Node
from lazygrad.runtime.ownership import trusted
from lazygrad.versions import hold_as_contents, superseded

Member = TypeVar("Member")


class WeakList(Generic[Member]):
    """Objects as long as they live; a quarter of the time that a `WeakSet` takes."""

    __slots__ = ("_limit", "_members")

    def __init__(self) -> None:
        self._members: list[ref[Member]] = []
        self._limit = 16

    def add(self, member: Member) -> bool:
        """Add one; whether those that are gone were dropped."""
        self._members.append(ref(member))
        if len(self._members) <= self._limit:
            return False
        self._members = [each for each in self._members if each() is not None]
        self._limit = 16 + 2 * len(self._members)
        return True

    def __iter__(self) -> Iterator[Member]:
        return iter([member for member in [each() for each in self._members] if member is not None])

    def clear(self) -> None:
        self._members.clear()

    def is_empty(self) -> bool:
        return not self._members or not any([each() is not None for each in self._members])

    def has_only(self, member: Member) -> bool:
        """Whether ``member`` is one, and there is no other."""
        found = False
        for each in self._members:
            other = each()
            if other is member:
                found = True
            elif other is not None:
                return False
        return found


class SeenMemory:
    """The memory of one storage that numpy, another library or a pointer has seen.

    A value that was read from it before a write keeps what it read: its buffer gets a copy when the write lands.

    Attributes:
        array: the memory, as the whole contents of the storage.
        owner: a weak reference to the storage, whose ``value`` is the node of the contents; None until it is known.
        earlier: nodes that have the same values as the contents: those from before outside code looked, and snapshots.
    """

    __slots__ = ("_array_outside", "_is_fixed", "_outside", "_readers", "_snapshots", "array", "earlier", "owner")

    def __init__(self, array: np.ndarray, fixed: bool) -> None:
        """``fixed``: outside code keeps it for good, as it does memory that it brought, or has an address of."""
        self.array = array
        self.owner: ref[Any] | None = None
        self.earlier: WeakList[Node] = WeakList()
        self._snapshots: dict[int, ref[Node]] = {}  # by the serials of what they are snapshots of
        self._is_fixed = fixed
        self._array_outside: np.ndarray | None = None
        self._outside: ref[np.ndarray] | None = None
        self._readers: WeakList[SeenBuffer] = WeakList()

    @staticmethod
    def of_array(array: np.ndarray) -> SeenMemory:
        """The memory of an array that outside code brought; it is seen as long as that has it or a view of it."""
        owner, base = array, array.base
        while isinstance(base, np.ndarray):
            owner, base = base, base.base
        if base is not None or not array.size:  # who else knows this memory cannot be found out
            return SeenMemory(array, fixed=True)
        memory = SeenMemory(_apart(array).reshape(array.shape), fixed=False)
        memory._array_outside = owner
        return memory

    @property
    def is_seen(self) -> bool:
        """Whether anybody outside may still look at it."""
        if self._is_fixed or (self._outside is not None and self._outside() is not None):
            return True
        return self._array_outside is not None and self._references_to_array() > _own_references

    def _references_to_array(self) -> int:
        return sys.getrefcount(self._array_outside)

    def fix(self) -> None:
        """Keep it in place for good."""
        self._is_fixed = True

    def belongs_to(self, contents: Node) -> bool:
        """Whether ``contents`` is what its storage holds."""
        owner = self.owner() if self.owner is not None else None
        return owner is not None and owner.value is contents

    def is_only_read_by(self, contents: Node) -> bool:
        """Whether ``contents`` is what its storage holds, and no other node has what this memory holds."""
        if not self.belongs_to(contents) or not self.array.flags.writeable:
            return False
        return self.earlier.is_empty() and self._readers.has_only(contents.value)

    def expect_write(self, storage: Any) -> None:
        """Called before the contents of ``storage`` are replaced: where this is its memory, others will land here."""
        if self.owner is not None and self.owner() is storage:
            expected_writes.append((storage, self))

    def exposed(self) -> np.ndarray:
        """The memory as an array for outside code; `is_seen` holds as long as that or a view of it lives."""
        if not self.array.size:
            return self.array
        outside = self._outside() if self._outside is not None else None
        if outside is None:
            outside = _apart(self.array)
            self._outside = ref(outside)
        return outside.view(self.array.dtype).reshape(self.array.shape)

    def buffer(self, part: np.ndarray | None = None) -> SeenBuffer:
        """A buffer over the memory or, as an array, a part of it."""
        made = SeenBuffer(self.array if part is None else part, self)
        self._readers.add(made)
        return made

    def lay(self, contents: Node) -> None:
        """Let ``contents``, the node of what the memory holds, have its value here."""
        contents.value = self.buffer()
        own_meta(contents).say_seen(self)

    def snapshot_of(self, node: Node) -> Node | None:
        """What an operation has read of a node that lies here, if somebody needs it still; see `lazygrad.snapshots`."""
        known = self._snapshots.get(node.serial)
        return known() if known is not None else None

    def keep_snapshot(self, node: Node, snapshot: Node) -> None:
        """Say that ``snapshot`` has the values that ``node`` had: a write to the contents replaces it, too."""
        hold_as_contents(snapshot)
        if self.earlier.add(snapshot):
            self._snapshots = {serial: known for serial, known in self._snapshots.items() if known() is not None}
        self._snapshots[node.serial] = ref(snapshot)

    def takes(self, contents: np.ndarray) -> bool:
        """Whether ``contents`` can be written to it."""
        return contents.nbytes == self.array.nbytes and self.array.flags.writeable

    def write(self, contents: np.ndarray) -> None:
        """Overwrite the memory; buffers made before get copies of what it held."""
        self.let_readers_go()
        self.earlier.clear()
        np.copyto(self.array, contents.reshape(self.array.shape))

    def let_readers_go(self) -> None:
        """Give the buffers made so far copies of what the memory holds."""
        for reader in self._readers:
            reader.let_go()
        self._readers.clear()


expected_writes: list[tuple[Any, SeenMemory]] = []
"""Storages that were written to, and the memory in which the new contents have yet to land."""


class SeenBuffer(Buffer):
    """A buffer over seen memory; never written to by a plan.

    Attributes:
        memory: what it lies in; None after a write to that, when it has memory of its own.
    """

    __slots__ = ("memory",)

    def __init__(self, array: np.ndarray, memory: SeenMemory) -> None:
        self.array, self.shared, self.known_address = array, True, 0
        self.memory: SeenMemory | None = memory

    def let_go(self) -> None:
        """Move to memory of its own."""
        assert self.array is not None
        self.array, self.memory, self.known_address = self.array.copy(), None, 0


def _apart(array: np.ndarray) -> np.ndarray:
    """The elements of ``array``, which is row-major, one after another.

    All views of an array that lies over something else than an array refer to that one; so those of the result refer
    to it, and not to ``array``. Nor does the result: whether outside code still has that must show.
    """
    dtype = array.dtype
    if dtype.isbuiltin == 1:
        return np.frombuffer(array.view().data, dtype)
    return np.frombuffer(array.reshape(-1).view(np.uint8).data, np.uint8).view(dtype)  # others are no buffers


def _counts_of_array(holders: list[Any]) -> int:
    array = np.zeros(1)
    memory = SeenMemory.of_array(array)
    holders[:] = [(array,) for _ in holders]
    del array
    return memory._references_to_array()


_own_references = trusted(_counts_of_array)


def seen_memory_of(value: Buffer | None) -> SeenMemory | None:
    """The seen memory that a value lies in, or None."""
    return value.memory if type(value) is SeenBuffer else None


def own_value(value: Buffer, node: Node) -> Buffer:
    """``value`` as that of ``node``: a copy where it lies in seen memory and ``node`` is what another storage holds."""
    memory = seen_memory_of(value)
    if memory is None or superseded(node) is None or memory.belongs_to(node):
        return value
    return duplicate(value, node.type)
