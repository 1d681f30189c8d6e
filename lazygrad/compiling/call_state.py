"""What a call can see from outside, as it was when the call began."""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from lazygrad.autograd_meta import is_tracked
from lazygrad.compiling.bindings import Binding, Role
from lazygrad.ir.node import Node
from lazygrad.runtime.realize import realize
from lazygrad.storage import Storage, take_pending_writes
from lazygrad.tensor import Tensor


class CallState:
    """The tensors a call can see from outside, and what they held when it began. Those that are pending are computed.

    Attributes:
        arguments: tensors among the arguments.
        reachable: tensors that are found otherwise.
        leaves: those of them that have or may get a gradient.
        gradients: by the tensor whose they are.
        ends: what the nodes are that hold these tensors' values.
        storages: where these tensors are stored.
        aliased: whether some of them share a storage, so that it cannot be told which of them a node is read for.
        before: per storage its node's serial, its counts of writes and of unseen writes, and whether it was tracked.
    """

    def __init__(self, arguments: list[Tensor], reachable: Iterable[Tensor]) -> None:
        self.arguments, self.reachable = arguments, list(reachable)
        self.leaves = [t for t in self.reachable if t.requires_grad or t._grad is not None]
        self.gradients = {tensor: tensor._grad for tensor in self.reachable if tensor._grad is not None}
        tensors = [*self.reachable, *self.gradients.values()]
        pending = [tensor._storage.value for tensor in [*tensors, *arguments]] + [a.node() for a in arguments]
        # Earlier in-place updates are computed now, so that they do not become a part of this call's program.
        realize([*[node for node in pending if node.value is None], *take_pending_writes()])
        self.ends: WeakKeyDictionary[Node, Binding] = WeakKeyDictionary()
        self.storages: dict[Storage, Binding] = {}
        self.aliased = False
        self._chains = [tensor._chain for tensor in arguments]
        for tensor in self.reachable:
            self._know(tensor._storage, Binding(Role.STORAGE, tensor._storage))
            node = tensor._node
            if node is not None and tensor._node_version == tensor._storage.version and node.value is not None:
                self.ends.setdefault(node, Binding(Role.VIEW, tensor))
        for tensor, gradient in self.gradients.items():
            self.aliased |= gradient._storage in self.storages or bool(gradient._chain)
            self._know(gradient._storage, Binding(Role.GRADIENT_STORAGE, tensor))
        for number, tensor in enumerate(arguments):
            self.aliased |= tensor._storage in self.storages
            self.ends.setdefault(tensor.node(), Binding(Role.ARGUMENT, number))
            self._know(tensor._storage, Binding(Role.ARGUMENT_STORAGE, number))
        self.before = {s: (s.value.serial, s.version, s.unseen_writes, is_tracked(s.value)) for s in self.storages}

    def _know(self, storage: Storage, end: Binding) -> None:
        self.storages.setdefault(storage, end)
        self.ends.setdefault(storage.value, end)

    def changed(self) -> list[Storage]:
        """Storages with other contents than before."""
        return [storage for storage, before in self.before.items() if storage.value.serial != before[0]]

    def arguments_are_relaid(self) -> bool:
        """Whether an argument itself became another view, as ``x.t_()`` makes it."""
        return any(a._chain != chain for a, chain in zip(self.arguments, self._chains, strict=True))
