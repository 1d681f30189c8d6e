"""Outputs of a replay that outlive it outside its result: updated tensors and new gradients."""

from __future__ import annotations

from lazygrad.autograd_meta import AutogradMeta
from lazygrad.compiling.bindings import Output
from lazygrad.host.buffer import Buffer
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor


class Update:
    """One such output.

    Args:
        output: what the bindings say about it.
        takes_turns: whether the plan still reads the old value when it writes the new one, so that it takes two blocks.

    Attributes:
        slot: the plan's input that is the old value and is kept from replay to replay, or None.
        position: among the replay's storages, or None.
        target: where the replay after the one that settled it writes.
        spare: of two blocks, the one that was written when it was settled.
        node: the value.
    """

    slot: int | None = None
    position: int | None = None
    target: Buffer
    spare: Buffer
    node: Node

    def __init__(self, output: Output, takes_turns: bool) -> None:
        self.output, self.takes_turns = output, takes_turns


class StorageUpdate(Update):
    """The contents of a tensor that lives on, such as a parameter."""

    position: int

    def __init__(self, output: Output, takes_turns: bool, slot: int | None, position: int) -> None:
        super().__init__(output, takes_turns)
        self.slot, self.position = slot, position

    def settle(self) -> Node:
        """Give its storage a new node that holds what was written."""
        storage: Storage = self.output.end.of
        self.node = new_node(self.output, self.target)
        storage.keep_in_place()
        storage.supersede(storage.value)
        if storage.leaf is not None and storage.leaf() is not None:
            self.node.autograd = AutogradMeta(tracked=True, superseded=0)
            self.node.autograd.leaf = storage.leaf
        storage.value = self.node
        return self.node


class GradientUpdate(Update):
    """A gradient that takes the place of what was in ``.grad``."""

    def settle(self) -> Tensor:
        """Put a new tensor of what was written into ``.grad``."""
        storage = new_storage(self.output, self.target)
        self.node = storage.value
        made = self.output.end.of._grad = Tensor.from_storage(storage)
        return made


def new_node(output: Output, value: Buffer) -> Node:
    """A realized node, for a storage to hold, of which autograd knows what it knew of the recorded one."""
    node = Node(buffer, (), (None,), output.type)
    node.value, node.origin, node.autograd = value, output.origin, output.meta
    return node


def new_storage(output: Output, value: Buffer) -> Storage:
    """A storage that holds `new_node`."""
    node = new_node(output, value)
    node.autograd = None
    storage = Storage(node)
    storage.value, node.autograd = node, output.meta
    return storage
