"""A recorded call as its replays see it: what they ask for, what they run, and whom they give new values."""

from __future__ import annotations

from typing import Any

from lazygrad.autograd_meta import is_tracked
from lazygrad.codegen.escaping import Words
from lazygrad.compiling.arguments import Signature
from lazygrad.compiling.bindings import Binding, Bindings, Role
from lazygrad.compiling.drawings import Drawings
from lazygrad.compiling.reads import Reads
from lazygrad.compiling.updates import GradientUpdate, StorageUpdate, Update
from lazygrad.compiling.varying_numbers import VaryingNumbers
from lazygrad.ir.node import Node, TensorType
from lazygrad.runtime.executor import Bound
from lazygrad.runtime.realize import realize
from lazygrad.tensor import Tensor

_MOVING = (Role.ARGUMENT_STORAGE, Role.GRADIENT_STORAGE, Role.VIEW)
_FRESH = (Role.ARGUMENT_STORAGE, Role.GRADIENT_STORAGE, Role.RESULT)


class Stale(Exception):
    """A recorded call does not fit any more; as a string, why. Nothing has happened yet."""


class RecordedCall:
    """One recorded call.

    Args:
        bindings: what it does.
        reads: what it depends on.
        signature: of its arguments.
        title: what people call the function.

    Attributes:
        bindings, title: see above.
        key, argument_count: of the signature, and how many tensors are in it.
        guards: what must be as it was.
        numbers, drawings: what is different in each replay.
        arguments: slots of inputs that are arguments, with their numbers.
        moving: slots of inputs that may lie elsewhere in each call, with what they are.
        fresh: outputs that get new memory in each call.
        storages: those of all tensors that it reads or updates, or of which it asked shape, dtype or requires_grad:
            these may not change.
        types: of their contents, and whether those were tracked.
        slots: by storage, the input slot of its contents.
        updated, gradients, updates: outputs that outlive a replay outside its result; the last are both.
        written: storages that it updates.
        counted: these, with their counts of in-place writes and of unseen ones.
    """

    def __init__(self, bindings: Bindings, reads: Reads, signature: Signature, title: Words) -> None:
        self.bindings, self.guards, self.title = bindings, reads.guards, title
        self.key, self.argument_count = signature.key, len(signature.tensors)
        self.numbers, self.drawings = VaryingNumbers(bindings), Drawings(bindings)
        ends = list(enumerate(bindings.inputs))
        for _, end in ends:
            if end.role is Role.CONSTANT:
                end.of.shared = True  # it is not this call's alone
        self.arguments = [(slot, end.of) for slot, end in ends if end.role is Role.ARGUMENT]
        self.moving = [(slot, end) for slot, end in ends if end.role in _MOVING]
        self.slots = {end.of: slot for slot, end in ends if end.role is Role.STORAGE}
        self.fresh = [output for output in bindings.outputs if output.end.role in _FRESH]
        updated = [output for output in bindings.outputs if output.end.role is Role.STORAGE]
        self.written = frozenset(output.end.of for output in updated)
        self.counted = [(o.end.of, o.writes, o.unseen_writes) for o in updated if o.writes]
        asked = [tensor._storage for tensor in reads.tensors]
        self.storages = list(dict.fromkeys([*self.slots, *[output.end.of for output in updated], *asked]))
        self.types = [(s.value.type, is_tracked(s.value)) for s in self.storages]
        donations = {(donation.output, donation.input) for donation in bindings.plan.memory.donations}
        self.updated: list[StorageUpdate] = []
        for output in updated:
            old = self.slots.get(output.end.of)
            takes_turns = old is not None and (output.number, old) not in donations
            self.updated.append(StorageUpdate(output, takes_turns, old))
        read = {end.of for end in bindings.inputs if end.role is Role.GRADIENT_STORAGE}
        self.gradients = [GradientUpdate(o, o.end.of in read) for o in bindings.outputs if o.end.role is Role.GRADIENT]
        self.updates: list[Update] = [*self.updated, *self.gradients]

    @property
    def changes_state(self) -> bool:
        """Whether a replay leaves more behind than its result."""
        return bool(self.updates) or any(output.end.role is not Role.RESULT for output in self.fresh)

    def bound(self, inputs: list[Any], outputs: list[Any]) -> Bound:
        """The plan over this memory."""
        bound = Bound(self.bindings.plan, inputs, outputs, self.numbers.scalars, self.bindings.parts)
        bound.computes = all(output.type.device.computes for output in self.bindings.outputs)
        return bound

    def check_views(self, tensors: list[Tensor]) -> None:
        """Raises `Stale` if an argument whose storage is used looks at it in another way."""
        storages = [tensor._storage for tensor in tensors]
        for number, chain in self.bindings.argument_chains.items():
            if tensors[number]._chain != chain or storages.count(storages[number]) != 1:
                raise Stale("an argument is another view")


def moving_value(end: Binding, tensors: list[Tensor], type: TensorType) -> Any:
    """The buffer of one of `RecordedCall.moving`.

    Raises:
        Stale: there is none of this type.
    """
    if end.role is Role.ARGUMENT_STORAGE:
        node = tensors[end.of]._storage.value
    elif end.role is Role.GRADIENT_STORAGE:
        if end.of._grad is None or end.of._grad._chain:
            raise Stale("a gradient is None that was not, or a view")
        node = end.of._grad._storage.value
    else:
        node = end.of.node()
    if node.type is not type:
        raise Stale("a tensor has other contents")
    return realized(node)


def realized(node: Node) -> Any:
    """The buffer of a node, which is computed if it is pending."""
    if node.value is None:
        realize([node])
    return node.value
