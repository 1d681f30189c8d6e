"""What aliases have in common whose memory is that of a tensor, and whose gradient is not.

One ``detach()`` has made them: they share the storage of the tensor they were cut off from. A write of a value with a
gradient is a write of plain numbers for that tensor, and part of a history for them, as PyTorch's views of a detached
tensor have a history of their own. Or a custom function has passed on the memory of an argument: then the gradient goes
through its ``backward``.
"""

from __future__ import annotations

from lazygrad.autograd_meta import detached, is_tracked, track
from lazygrad.ir.alias import Step
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.storage import Storage
from lazygrad.writing import value_after_write


class Cut:
    """The aliases of a storage that one ``detach()`` or one custom function made, and their views.

    Attributes:
        own: the storage's contents with the gradient of these aliases; None while they have none.
    """

    __slots__ = ("_chain", "_forbidden", "_version", "own")

    def __init__(self) -> None:
        self.own: Node | None = None
        self._version = -1
        self._chain: tuple[Step, ...] = ()  # where not empty, `own` is only what these steps name of the contents
        self._forbidden = ""

    @staticmethod
    def passed_on(storage: Storage, chain: tuple[Step, ...], own: Node, forbidden: str) -> Cut:
        """The cut of what a custom function made of an argument without copying it.

        Args:
            storage: the argument's.
            chain: the steps to what was passed on, no element of which is named twice.
            own: that, with the gradient that goes through the function.
            forbidden: why nobody writes to it while gradients are recorded.
        """
        cut = Cut()
        cut.own, cut._version, cut._chain, cut._forbidden = own, storage.version, chain, forbidden
        return cut

    def require_writable(self) -> None:
        """Raises RuntimeError for what a custom function passed on, to which nobody writes in gradient mode."""
        if self._forbidden:
            raise RuntimeError(self._forbidden)

    def contents(self, storage: Storage) -> Node:
        """The contents of the storage as these aliases see them."""
        if self.own is None:
            return detached(storage.value) if is_tracked(storage.value) else storage.value
        if self._chain:
            self.own = value_after_write(storage, self._chain, detached(storage.value), self.own, "")
            self._chain = ()
        if self._version != storage.version:  # somebody else wrote numbers since; the history stays
            node = make_node(straight_through, (detached(storage.value), self.own), (), storage.value.origin)
            track(node)
            self.keep(node, storage)
            return node
        return self.own

    def keep(self, own: Node, storage: Storage) -> None:
        """From now on ``own`` is what these aliases see, until somebody else writes to the storage."""
        self.own, self._version = own, storage.version
