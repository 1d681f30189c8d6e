"""What aliases have in common whose memory is that of a tensor, and whose gradient is not.

One ``detach()`` has made them: they share the storage of the tensor they were cut off from. A write of a value with a
gradient is a write of plain numbers for that tensor, and part of a history for them, as PyTorch's views of a detached
tensor have a history of their own. Or a custom function has passed on the memory of an argument: then the gradient goes
through its ``backward``.
"""

from __future__ import annotations

from typing import NamedTuple

from lazygrad.autograd_meta import detached, is_tracked, track
from lazygrad.ir.alias import Step
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.storage import Storage
from lazygrad.writing import value_after_write

_ONE_OF_SEVERAL = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
_ALONE = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)


class _PassedOn(NamedTuple):
    """What a custom function has passed on.

    Attributes:
        chain: the steps to it; where there are some, `Cut.own` is what they name and not the whole contents.
        position: which output of the function it is.
        name: of the function.
        has_others: whether it has other outputs.
    """

    chain: tuple[Step, ...]
    position: int
    name: str
    has_others: bool


class Cut:
    """The aliases of a storage that one ``detach()`` or one custom function made, and their views.

    Attributes:
        own: the storage's contents with the gradient of these aliases; None while they have none.
    """

    __slots__ = ("_passed_on", "_version", "own")

    def __init__(self) -> None:
        self.own: Node | None = None
        self._version = -1
        self._passed_on: _PassedOn | None = None

    @staticmethod
    def passed_on(storage: Storage, chain: tuple[Step, ...], own: Node, by: tuple[int, str, bool]) -> Cut:
        """The cut of what a custom function made of an argument without copying it.

        Args:
            storage: the argument's.
            chain: the steps to what was passed on, no element of which is named twice.
            own: that, with the gradient that goes through the function.
            by: which output it is of the function of which name, and whether that has others.
        """
        cut = Cut()
        cut.own, cut._version, cut._passed_on = own, storage.version, _PassedOn(chain, *by)
        return cut

    def require_writable(self) -> None:
        """Raises RuntimeError for what a custom function passed on, to which nobody writes in gradient mode."""
        if self._passed_on is not None:
            _, position, name, has_others = self._passed_on
            why = _ONE_OF_SEVERAL if has_others else _ALONE
            raise RuntimeError(f"Output {position} of {name} is a view and is being modified inplace. {why}")

    def contents(self, storage: Storage) -> Node:
        """The contents of the storage as these aliases see them."""
        if self.own is None:
            return detached(storage.value) if is_tracked(storage.value) else storage.value
        if self._passed_on is not None and self._passed_on.chain:
            self.own = value_after_write(storage, self._passed_on.chain, detached(storage.value), self.own, "")
            self._passed_on = self._passed_on._replace(chain=())
        if self._version != storage.version:  # somebody else wrote numbers since; the history stays
            node = make_node(straight_through, (detached(storage.value), self.own), (), storage.value.origin)
            track(node)
            self.keep(node, storage)
            return node
        return self.own

    def keep(self, own: Node, storage: Storage) -> None:
        """From now on ``own`` is what these aliases see, until somebody else writes to the storage."""
        self.own, self._version = own, storage.version
