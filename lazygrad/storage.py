"""Storage: the data several tensors may share. The graph is pure; writing means pointing at a new value."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import mark_detached

if TYPE_CHECKING:
    from lazygrad.tensor import Tensor


class Storage:
    """What aliases have in common.

    Attributes:
        value: the node of the whole current contents.
        version: how often it was written to in place.
        leaf: the tensor that owns these contents as a leaf requiring gradients, or None.
    """

    __slots__ = ("__weakref__", "leaf", "value", "version")

    def __init__(self, value: Node) -> None:
        self.value = value
        self.version = 0
        self.leaf: ref[Tensor] | None = None

    def replace(self, value: Node) -> None:
        """Point at new contents; every alias sees them at its next use."""
        self.value = value
        self.version += 1


_leaf_tensors: WeakKeyDictionary[Node, ref[Tensor]] = WeakKeyDictionary()


def new_leaf(value: Node, tensor: Tensor) -> Node:
    """A fresh node of ``value``'s contents whose gradient accumulates into ``tensor.grad``.

    It is fresh so that what was computed from ``value`` earlier stays outside the new variable's reach.
    """
    node = mark_detached(value)
    node.tracked = True
    _leaf_tensors[node] = ref(tensor)
    return node


def leaf_tensor(node: Node) -> Tensor | None:
    """The living leaf tensor a node is the value of, now or before a later update."""
    reference = _leaf_tensors.get(node)
    return reference() if reference is not None else None
