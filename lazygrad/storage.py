"""Storage: the data several tensors may share. The graph is pure; writing means pointing at a new value."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary, ref

from lazygrad.autograd_meta import (
    CONTENTS,
    INFERENCE_CONTENTS,
    TRACKED,
    TRACKED_CONTENTS,
    is_of_inference,
    is_tracked,
    new_leaf,
    own_meta,
)
from lazygrad.grad_mode import _mode, inference
from lazygrad.inference_tensors import WRITTEN_OUTSIDE, of_inference, of_normal
from lazygrad.ir.node import Node, next_serial
from lazygrad.ir.primitives.indexing import update_view
from lazygrad.ir.primitives.leaf import mark_detached
from lazygrad.levels import check_write, levels
from lazygrad.pending import forget_writes, is_look_due, is_too_much
from lazygrad.runtime.realize import realize
from lazygrad.runtime.seen_memory import seen_memory_of
from lazygrad.versions import hold_as_contents, supersede


class Storage:
    """What aliases have in common.

    Attributes:
        value: the node of the whole current contents.
        version: how often it was written to in place.
        unseen_writes: how many of those went through ``.data``, which autograd does not count.
        leaf: a weak reference to the tensor that owns these contents as a leaf requiring gradients, or None.
        is_left: whether a tensor went over to another storage by ``.data =``; other aliases may still use this one.
    """

    __slots__ = ("__weakref__", "is_left", "leaf", "unseen_writes", "value", "version")

    value: Node
    version: int
    unseen_writes: int
    leaf: ref[Any] | None
    is_left: bool

    @property
    def is_inference(self) -> bool:
        """Whether it was made in inference mode, which alone may write to it then."""
        return is_of_inference(self.value)

    def awaits_write(self) -> bool:
        """Whether the contents are what a write to a part of them will make, and no gradient flows through it."""
        contents = self.value
        return contents.value is None and contents.op is update_view and not (is_tracked(contents) or levels.active)

    def hold(self, value: Node) -> None:
        """Point at other contents. An inference tensor stays one, and another does not become one."""
        if inference.used:
            value = of_inference(value) if self.is_inference else of_normal(value)
        hold_as_contents(value)
        self.value = value
        memory = seen_memory_of(value.value)
        if memory is not None:
            own_meta(value).say_seen(memory)

    def replace(self, value: Node, seen: bool, since: int | None = None) -> None:
        """Point at new contents that are about to be computed; every alias sees them at its next use.

        Args:
            value: the new contents.
            seen: whether autograd counts the write; those through ``.data`` are unseen.
            since: a serial below those of the nodes that the write itself recorded; default that of a new node.

        Raises:
            RuntimeError: the storage is of inference tensors and the mode is left; a running function transform
                captured it.
        """
        if inference.used and self.is_inference and not _mode.inference:
            raise RuntimeError(WRITTEN_OUTSIDE)
        if levels.active:
            check_write(self, value)
        old = self.value
        self.keep_in_place()
        self.hold(value)
        self.version += 1
        if not seen:
            self.unseen_writes += 1
        else:
            self.supersede(old, since)

    def write(self, value: Node, seen: bool, since: int | None = None) -> None:
        """Point at new contents that somebody's step computes some time; see `take_pending_writes`."""
        self.replace(value, seen, since)
        if _written.get(id(self)) is not self:  # to add it takes longer than to look
            _written[id(self)] = self
        if not is_tracked(value) and is_look_due(value) and is_too_much(_pending_contents()):
            realize(take_pending_writes())

    def count_write(self, since: int | None = None) -> None:
        """Count a write that autograd sees; see `replace`."""
        self.version += 1
        self.supersede(self.value, since)

    def keep_in_place(self) -> None:
        """Before the contents are replaced: where outside code sees their memory, the new ones will land there."""
        memory = seen_memory_of(self.value.value)
        if memory is not None:
            memory.expect_write(self)

    def supersede(self, old: Node, since: int | None = None) -> None:
        """Mark contents that a write replaces; see `replace`."""
        if _mode.spares_gradients:
            return
        serial = next_serial() if since is None else since
        supersede(old, serial)
        memory = seen_memory_of(old.value)
        for contents in memory.earlier if memory is not None else ():
            supersede(contents, serial)

    def leave(self, tensor: Any) -> None:
        """Called when ``tensor`` goes over to another storage, so that recorded calls that know this one notice."""
        if not (self.is_left or self.is_inference or (is_tracked(self.value) and self.leaf is None)):
            is_leaf = self.leaf is not None and self.leaf() is tensor
            self.hold(new_leaf(self.value, ref(tensor)) if is_leaf else mark_detached(self.value))
            self.version += 1
            self.unseen_writes += 1
            self.is_left = True


def storage_of(value: Node) -> Storage:
    """A storage of its own for ``value``, or for another node of its value where inference mode asks for that."""
    known = value.autograd
    if inference.used and (known is not None or _mode.inference):
        if known is None and value.serial >= _mode.inference_began:
            value.autograd = INFERENCE_CONTENTS
            return storage_around(value)
        value = of_inference(value) if _mode.inference else of_normal(value)
        known = value.autograd
    if known is None:  # as most results are: said here without a call, since every operation comes by
        value.autograd = CONTENTS
    elif known is TRACKED:
        value.autograd = TRACKED_CONTENTS
    else:
        hold_as_contents(value)
    return storage_around(value)


def storage_around(value: Node) -> Storage:
    """A storage that holds a node of which autograd knows already that it is one's contents."""
    made = Storage.__new__(Storage)
    made.value = value
    made.version = 0
    made.unseen_writes = 0
    made.leaf = None
    made.is_left = False
    return made


# Storages that `write` changed since the last `take_pending_writes`, in the order of their first write.
_written: WeakValueDictionary[int, Storage] = WeakValueDictionary()


def take_pending_writes() -> list[Node]:
    """Values of in-place updates nobody has computed yet, such as running statistics and metrics.

    An optimizer's step computes them along with its own, so that they do not pile up over steps.
    """
    forget_writes()
    if not _written:
        return []
    contents = _pending_contents()
    _written.clear()
    return contents


def _pending_contents() -> list[Node]:
    return [storage.value for storage in list(_written.values()) if storage.value.value is None]
