"""Storage: the data several tensors may share. The graph is pure; writing means pointing at a new value."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary, ref

from lazygrad.grad_mode import _mode
from lazygrad.ir.node import Node, next_serial
from lazygrad.ir.primitives.leaf import mark_detached
from lazygrad.levels import check_write, levels
from lazygrad.runtime.recording import name_leaves_with

if TYPE_CHECKING:
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

    def __init__(self, value: Node) -> None:
        value.superseded = 0 if value.superseded is None else _HELD_BY_SEVERAL
        self.value = value
        self.version = 0
        self.unseen_writes = 0
        self.leaf: ref[Tensor] | None = None

    def hold(self, value: Node) -> None:
        """Point at other contents."""
        value.superseded = 0 if value.superseded is None else _HELD_BY_SEVERAL
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
        self.hold(value)
        self.version += 1
        if not seen:
            self.unseen_writes += 1
        else:
            self._supersede(old, since)

    def count_write(self, since: int | None = None) -> None:
        """Count a write that autograd sees; see `replace`."""
        self.version += 1
        self._supersede(self.value, since)

    def _supersede(self, old: Node, since: int | None) -> None:
        if old.superseded == 0 and not _mode.spares_gradients:
            writes.latest = old.superseded = next_serial() if since is None else since

    def write(self, value: Node, seen: bool, since: int | None = None) -> None:
        """Point at new contents that somebody's step computes some time; see `take_pending_writes`."""
        self.replace(value, seen, since)
        _written[id(self)] = self


_HELD_BY_SEVERAL = -1


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
    node.tracked = True
    node.owner = ref(tensor)
    return node


def _name_of_leaf(node: Node) -> str | None:
    tensor = leaf_tensor(node)
    return tensor.__dict__.get("_name") if tensor is not None else None


name_leaves_with(_name_of_leaf)


def leaf_tensor(node: Node) -> Tensor | None:
    """The living leaf tensor a node is the value of, now or before a later update."""
    owner: Tensor | None = node.owner() if node.owner is not None else None
    return owner
