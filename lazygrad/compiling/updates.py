"""Outputs of a replay that outlive it outside its result: updated tensors and new gradients."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd_meta import AutogradMeta
from lazygrad.compiling.bindings import Output, Role
from lazygrad.host.buffer import Buffer
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.storage import Storage, storage_around
from lazygrad.tensor import Tensor


class Update:
    """One such output.

    Args:
        output: what the bindings say about it.
        takes_turns: whether the plan still reads the old value when it writes the new one, so that it takes two blocks.
    """

    def __init__(self, output: Output, takes_turns: bool) -> None:
        self.output, self.takes_turns = output, takes_turns

    def settle(self, value: Buffer) -> None:
        """Give a value that was written to whom it belongs, in a new node."""
        raise NotImplementedError

    def storage(self) -> Storage:
        """Where it is."""
        raise NotImplementedError


class StorageUpdate(Update):
    """The contents of a tensor that lives on, such as a parameter.

    Attributes:
        slot: the plan's input that is the old value, or None.
    """

    def __init__(self, output: Output, takes_turns: bool, slot: int | None) -> None:
        super().__init__(output, takes_turns)
        self.slot = slot

    def settle(self, value: Buffer) -> None:
        storage = self.storage()
        node = new_node(self.output, value)
        storage.keep_in_place()
        storage.supersede(storage.value)
        if storage.leaf is not None and storage.leaf() is not None:
            node.autograd = AutogradMeta(tracked=True, superseded=0)
            node.autograd.leaf = storage.leaf
        storage.value = node

    def storage(self) -> Storage:
        storage: Storage = self.output.end.of
        return storage


class GradientUpdate(Update):
    """A gradient that takes the place of what was in ``.grad``."""

    def settle(self, value: Buffer) -> None:
        self.output.end.of._grad = Tensor.from_storage(new_storage(self.output, value))

    def storage(self) -> Storage:
        storage: Storage = self.output.end.of._grad._storage
        return storage


def give_contents(output: Output, value: Buffer, tensors: Sequence[Tensor]) -> None:
    """Give new contents to the storage of an argument or of what is in ``.grad``."""
    role, of = output.end
    storage = tensors[of]._storage if role is Role.ARGUMENT_STORAGE else of._grad._storage
    storage.keep_in_place()
    storage.value = new_node(output, value)
    storage.version += output.writes
    storage.unseen_writes += output.unseen_writes


def new_node(output: Output, value: Buffer) -> Node:
    """A realized node, for a storage to hold, of which autograd knows what it knew of the recorded one."""
    node = Node(buffer, (), (None,), output.type)
    node.value, node.origin, node.autograd = value, output.origin, output.meta
    return node


def new_storage(output: Output, value: Buffer) -> Storage:
    """A storage that holds `new_node`."""
    return storage_around(new_node(output, value))
