"""Storage: the data several tensors may share. The graph is pure; writing means pointing at a new value."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary, ref

from lazygrad.grad_mode import _mode, inference
from lazygrad.inference_tensors import WRITTEN_OUTSIDE, no_owner, of_inference, of_normal
from lazygrad.ir.node import Node
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
    is_inference = False  # whether it was made in inference mode

    def __init__(self, value: Node) -> None:
        if inference.entered or value.owner is no_owner:
            value = self._adopted(value)
        self.value = value
        self.version = 0
        self.unseen_writes = 0
        self.leaf: ref[Tensor] | None = None

    def replace(self, value: Node) -> None:
        """Point at new contents that are about to be computed; every alias sees them at its next use."""
        if levels.active:
            check_write(self, value)
        self.value = of_normal(value) if value.owner is no_owner else value
        self.version += 1

    def write(self, value: Node) -> None:
        """Point at new contents that somebody's step computes some time; see `take_pending_writes`."""
        self.replace(value)
        _written[id(self)] = self

    def _adopted(self, value: Node) -> Node:
        """``value`` as this storage may hold it, which becomes an inference tensor's where the mode says so."""
        if not _mode.inference:
            return of_normal(value)
        self.__class__ = InferenceStorage
        return of_inference(value)


class InferenceStorage(Storage):
    """The storage of inference tensors, which only inference mode may write to."""

    __slots__ = ()
    is_inference = True

    def replace(self, value: Node) -> None:
        """See `Storage.replace`.

        Raises:
            RuntimeError: outside inference mode.
        """
        if not _mode.inference:
            raise RuntimeError(WRITTEN_OUTSIDE)
        super().replace(value)
        self.value = of_inference(value)


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
