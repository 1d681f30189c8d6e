"""Storage: the data several tensors may share. The graph is pure; writing means pointing at a new value."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary, ref

from lazygrad.autograd_meta import (
    CONTENTS,
    TRACKED,
    TRACKED_CONTENTS,
    hold_as_contents,
    is_of_inference,
    is_tracked,
    leaf_of,
    own_meta,
    superseded,
    track,
)
from lazygrad.grad_mode import _mode, inference
from lazygrad.host.buffer import Buffer
from lazygrad.inference_tensors import WRITTEN_OUTSIDE, of_inference, of_normal
from lazygrad.ir.node import Node, make_node, next_serial
from lazygrad.ir.primitives.leaf import buffer, detach, leaf_node, mark_detached, straight_through
from lazygrad.levels import check_write, levels
from lazygrad.runtime.ownership import contents_are_alone, is_sole_owner
from lazygrad.runtime.realize import realize
from lazygrad.runtime.recording import name_leaves_with
from lazygrad.runtime.seen_memory import SeenMemory, seen_memory_of

if TYPE_CHECKING:
    import numpy as np

    from lazygrad.tensor import Tensor


class Storage:
    """What aliases have in common.

    Attributes:
        value: the node of the whole current contents.
        version: how often it was written to in place.
        unseen_writes: how many of those went through ``.data``, which autograd does not count.
        leaf: the tensor that owns these contents as a leaf requiring gradients, or None.
    """

    __slots__ = ("__weakref__", "leaf", "unseen_writes", "value", "version")
    is_inference = False  # whether it was made in inference mode
    is_left = False  # whether a tensor went over to another storage

    def __init__(self, value: Node) -> None:
        if inference.used and (inference.entered or is_of_inference(value)):
            value = self._adopted(value)
        known = value.autograd
        if known is None:  # as most results are: said here, since each operation comes by
            value.autograd = CONTENTS
        elif known is TRACKED:
            value.autograd = TRACKED_CONTENTS
        else:
            hold_as_contents(value)
        self.value = value
        self.version = 0
        self.unseen_writes = 0
        self.leaf: ref[Tensor] | None = None

    def hold(self, value: Node) -> None:
        """Point at other contents."""
        hold_as_contents(value)
        self.value = value

    def replace(self, value: Node, seen: bool, since: int | None = None) -> None:
        """Point at new contents that are about to be computed; every alias sees them at its next use.

        Args:
            value: the new contents.
            seen: whether autograd counts the write; those through ``.data`` are unseen.
            since: a serial below those of the nodes that the write itself recorded; default that of a new node.
        """
        if levels.active:
            check_write(self, value)
        old = self.value
        self.keep_in_place()
        self.hold(of_normal(value) if is_of_inference(value) else value)
        self.version += 1
        if not seen:
            self.unseen_writes += 1
        else:
            self.supersede(old, since)

    def keep_in_place(self) -> None:
        """Before the contents are replaced: where outside code sees their memory, the new ones will land there."""
        memory = seen_memory_of(self.value.value)
        if memory is not None and memory.owner is not None and memory.owner() is self:
            _landing.append((self, memory))

    def expose(self, fixed: bool) -> SeenMemory:
        """The memory of the contents, which are computed, for outside code to see.

        It becomes the storage's alone. What an equal value elsewhere shares, or what something was recorded from, is
        copied first: outside code may write to the memory from now on.

        Args:
            fixed: whether outside code keeps it for good.
        """
        memory = seen_memory_of(self.value.value)
        is_own = memory is not None and memory.belongs_to(self.value)
        earlier = self.value
        # A result that has a gradient stays the node that gradients are asked of.
        is_result = is_tracked(earlier) and self.leaf is None
        if superseded(earlier) != 0 or not (is_result or contents_are_alone(self)):
            self._hold_alone()
        if memory is not None and is_own:
            if self.value is not earlier:
                memory.let_readers_go()
                self.value.value = memory.buffer()
        else:
            is_alone = type(self.value.value) is Buffer and is_sole_owner(self.value)
            value = self.value.value
            memory = SeenMemory(value.array if is_alone else value.array.copy(), fixed)
            memory.owner = ref(self)
            value.shared = value.shared or is_alone  # outside code has it now: it is not handed out again
            self.value.value = memory.buffer()
        if self.value is not earlier:
            memory.earlier = [*[each for each in memory.earlier if each() is not None], ref(earlier)]
        if fixed:
            memory.fix()
        return memory

    def move_to(self, array: np.ndarray) -> None:
        """Let the contents, which ``array`` holds too, lie there from now on."""
        if superseded(self.value) != 0:
            self._hold_alone()
        memory = SeenMemory(array, fixed=True)
        memory.owner = ref(self)
        self.value.value = memory.buffer()

    def _hold_alone(self) -> None:
        """Hold the contents as a node of this storage's own."""
        old = self.value
        leaf = self.leaf() if self.leaf is not None else None
        if leaf is not None:
            node = new_leaf(old, leaf)
        elif is_tracked(old):
            node = make_node(straight_through, (make_node(detach, (old,), (), old.origin), old), (), old.origin)
            track(node)
        else:
            node = leaf_node(buffer, (None,), old.type)
            node.origin = old.origin
        node.value = Buffer(old.value.array.copy())
        self.hold(node)
        self.version += 1  # views read the new node
        self.unseen_writes += 1

    def _land(self, memory: SeenMemory) -> None:
        """Compute the contents and write them into ``memory``, unless nobody sees that any more."""
        if self.value.value is None:
            realize([self.value])
        value = self.value.value
        if value is None:
            _landing.append((self, memory))  # a recorded call computes it at its end
        elif seen_memory_of(value) is not memory and memory.is_seen and memory.takes(value.array):
            if superseded(self.value) != 0:
                self._hold_alone()
            memory.write(self.value.value.array)
            self.value.value = memory.buffer()

    def count_write(self, since: int | None = None) -> None:
        """Count a write that autograd sees; see `replace`."""
        self.version += 1
        self.supersede(self.value, since)

    def supersede(self, old: Node, since: int | None = None) -> None:
        """Mark contents that a write replaces; see `replace`."""
        if _mode.spares_gradients:
            return
        serial = next_serial() if since is None else since
        memory = seen_memory_of(old.value)
        earlier = [reference() for reference in memory.earlier] if memory is not None else ()
        for contents in (old, *earlier):
            if contents is not None and superseded(contents) == 0:
                writes.latest = own_meta(contents).superseded = serial

    def write(self, value: Node, seen: bool, since: int | None = None) -> None:
        """Point at new contents that somebody's step computes some time; see `take_pending_writes`."""
        self.replace(value, seen, since)
        _written[id(self)] = self

    def _adopted(self, value: Node) -> Node:
        """``value`` as this storage may hold it, which becomes an inference tensor's where the mode says so."""
        if not _mode.inference:
            return of_normal(value)
        self.__class__ = InferenceStorage
        return of_inference(value)

    def leave(self, tensor: Tensor) -> None:
        """Called when ``tensor`` goes over to another storage, so that recorded calls that know this one notice."""
        if type(self) is Storage and not (is_tracked(self.value) and self.leaf is None):
            is_leaf = self.leaf is not None and self.leaf() is tensor
            self.hold(new_leaf(self.value, tensor) if is_leaf else mark_detached(self.value))
            self.version += 1
            self.unseen_writes += 1
            self.__class__ = LeftStorage

    def come_back(self) -> None:
        """Called when a tensor goes over to this storage."""
        if self.is_left:
            self.__class__ = Storage


class LeftStorage(Storage):
    """A storage that a tensor has left by ``.data =``; other aliases may still use it."""

    __slots__ = ()
    is_left = True


class InferenceStorage(Storage):
    """The storage of inference tensors, which only inference mode may write to."""

    __slots__ = ()
    is_inference = True

    def replace(self, value: Node, seen: bool, since: int | None = None) -> None:
        """See `Storage.replace`.

        Raises:
            RuntimeError: outside inference mode.
        """
        if not _mode.inference:
            raise RuntimeError(WRITTEN_OUTSIDE)
        super().replace(value, seen, since)
        self.value = of_inference(self.value)


_landing: list[tuple[Storage, SeenMemory]] = []


def land_writes() -> None:
    """Bring what was written to storages whose memory outside code sees into that memory."""
    if _landing:
        waiting, _landing[:] = _landing[:], []
        for storage, memory in waiting:
            storage._land(memory)


class _Writes:
    """The in-place writes that autograd counts.

    Attributes:
        latest: the serial that the latest of them has marked old contents with.
    """

    latest = 0


writes = _Writes()


# Storages that `write` changed since the last `take_pending_writes`, in the order of their first write.
_written: WeakValueDictionary[int, Storage] = WeakValueDictionary()


def take_pending_writes() -> list[Node]:
    """Values of in-place updates nobody has computed yet, such as running statistics and metrics.

    An optimizer's step computes them along with its own, so that they do not pile up over steps.
    """
    if not _written:
        return []
    pending = [storage.value for storage in _written.values() if storage.value.value is None]
    _written.clear()
    return pending


def new_leaf(value: Node, tensor: Tensor) -> Node:
    """A fresh node of ``value``'s contents whose gradient accumulates into ``tensor.grad``.

    It is fresh so that what was computed from ``value`` earlier stays outside the new variable's reach.
    """
    node = mark_detached(value)
    meta = own_meta(node)
    meta.tracked, meta.leaf = True, ref(tensor)
    return node


def _name_of_leaf(node: Node) -> str | None:
    tensor = leaf_tensor(node)
    return tensor.__dict__.get("_name") if tensor is not None else None


name_leaves_with(_name_of_leaf)


def leaf_tensor(node: Node) -> Tensor | None:
    """The living leaf tensor a node is the value of, now or before a later update."""
    leaf: Tensor | None = leaf_of(node)
    return leaf
