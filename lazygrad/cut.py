"""What the aliases have in common that one ``detach()`` has made: gradients that were written to one of them since.

Their memory is that of the tensor they were cut off from, so they share its storage. A write of a value with a gradient
is a write of plain numbers for that tensor, and part of a history for them, as PyTorch's views of a detached tensor
have a history of their own.
"""

from __future__ import annotations

from lazygrad.autograd_meta import detached, is_tracked, track
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.storage import Storage


class Cut:
    """The aliases of a storage that one ``detach()`` made, and their views.

    Attributes:
        own: the storage's contents with the gradient that was written through one of them; None while none was.
    """

    __slots__ = ("_version", "own")

    def __init__(self) -> None:
        self.own: Node | None = None
        self._version = -1

    def contents(self, storage: Storage) -> Node:
        """The contents of the storage as these aliases see them."""
        if self.own is None:
            return detached(storage.value) if is_tracked(storage.value) else storage.value
        if self._version != storage.version:  # somebody else wrote numbers since; the history stays
            node = make_node(straight_through, (detached(storage.value), self.own), (), storage.value.origin)
            track(node)
            self.keep(node, storage)
            return node
        return self.own

    def keep(self, own: Node, storage: Storage) -> None:
        """From now on ``own`` is what these aliases see, until somebody else writes to the storage."""
        self.own, self._version = own, storage.version
