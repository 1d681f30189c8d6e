"""Replaying a recorded call: check the guards, bring the inputs into place, run one plan.

In the steady state every updated output has its memory, and nothing is allocated but what is returned; small results
lie in memory of earlier ones that nobody has any more. An output is written over the input it replaces where the plan
allows it, and otherwise into the second of two blocks that take turns. Where somebody else has got hold of the memory,
or of the graph node that names it, all updated outputs get new ones; that costs some microseconds and the memory of one
more copy, until the old ones are let go.
"""

from __future__ import annotations

from itertools import repeat
from operator import attrgetter, is_
from typing import Any

from lazygrad.autograd_meta import is_tracked
from lazygrad.compiling.arguments import Signature
from lazygrad.compiling.bindings import Binding, Bindings, Output, Returned, Role
from lazygrad.compiling.drawings import Drawings
from lazygrad.compiling.reads import Reads
from lazygrad.compiling.updates import GradientUpdate, StorageUpdate, Update, new_node, new_storage
from lazygrad.compiling.varying_numbers import VaryingNumbers
from lazygrad.exposure import land_writes
from lazygrad.host.buffer import Buffer, new_buffer
from lazygrad.host.interrupts import uninterrupted
from lazygrad.ir.node import Node, TensorType
from lazygrad.runtime.executor import Bound
from lazygrad.runtime.ownership import Slot, Watch
from lazygrad.runtime.realize import realize
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor

_value, _grad, _storage = attrgetter("value"), attrgetter("_grad"), attrgetter("_storage")
_MOVING = (Role.ARGUMENT_STORAGE, Role.GRADIENT_STORAGE, Role.VIEW)
_KEPT = 2  # results of a call: one that the caller still holds, and the one before
_FRESH = (Role.ARGUMENT_STORAGE, Role.GRADIENT_STORAGE, Role.RESULT)


# What one replay has and the next one not: a bound plan, its inputs and outputs, the values that storages then have,
# what is watched, and the values that nodes have afterwards.
_Turn = tuple[Bound, list[Any], list[Any], list[Any], Watch, list[tuple[Node, Buffer]]]


class Stale(Exception):
    """A recorded call does not fit any more; as a string, why. Nothing has happened yet."""


class Replay:
    """A recorded call that can be done again with other arguments.

    Args:
        bindings: what it does.
        reads: what it depends on.
    """

    def __init__(self, bindings: Bindings, reads: Reads) -> None:
        self._bindings = bindings
        self.guards = reads.guards
        self._numbers = VaryingNumbers(bindings)
        self._inputs: list[Any] = [end.of if end.role is Role.CONSTANT else None for end in bindings.inputs]
        for constant in self._inputs:
            if constant is not None:
                constant.shared = True  # it is not this call's alone
        self._outputs: list[Any] = [None] * len(bindings.outputs)
        self._bound = self._bind(self._inputs, self._outputs)
        self._arguments = [(slot, end.of) for slot, end in enumerate(bindings.inputs) if end.role is Role.ARGUMENT]
        self._drawings = Drawings(bindings)
        self._moving = [(slot, end) for slot, end in enumerate(bindings.inputs) if end.role in _MOVING]
        self._passing = [slot for slot, _ in self._arguments + self._moving]
        self._fresh = [output for output in bindings.outputs if output.end.role in _FRESH]
        self._kept: dict[int, list[Slot]] = {output.number: [] for output in self._fresh}
        self._connect_updates(reads)
        self._changes_state = bool(self._updates) or any(o.end.role is not Role.RESULT for o in self._fresh)

    def _connect_updates(self, reads: Reads) -> None:
        """Lists in parallel: storages, the nodes they had after the last replay, and these nodes' values."""
        bindings = self._bindings
        self._slots = {end.of: slot for slot, end in enumerate(bindings.inputs) if end.role is Role.STORAGE}
        updated = [output for output in bindings.outputs if output.end.role is Role.STORAGE]
        self._written = frozenset(output.end.of for output in updated)
        # Also those of tensors of which only shape, dtype or requires_grad was asked: these may not change.
        asked = [tensor._storage for tensor in reads.tensors]
        self._storages = list(dict.fromkeys([*self._slots, *[output.end.of for output in updated], *asked]))
        self._types = [(s.value.type, is_tracked(s.value)) for s in self._storages]
        self._nodes: list[Node | None] = [None] * len(self._storages)
        self._values: list[Any] = [None] * len(self._storages)
        donations = {(donation.output, donation.input) for donation in bindings.plan.memory.donations}
        self._updated: list[StorageUpdate] = []
        for output in updated:
            old = self._slots.get(output.end.of)
            takes_turns = old is not None and (output.number, old) not in donations
            self._updated.append(StorageUpdate(output, takes_turns, old, self._storages.index(output.end.of)))
        read = {end.of for end in bindings.inputs if end.role is Role.GRADIENT_STORAGE}
        self._gradients = [
            GradientUpdate(output, output.end.of in read)
            for output in bindings.outputs
            if output.end.role is Role.GRADIENT
        ]
        self._updates: list[Update] = [*self._updated, *self._gradients]
        self._turning = [update for update in self._updates if update.takes_turns]
        self._renewed: list[tuple[Node, Buffer]] = []
        self._other: _Turn | None = None
        self._counted = [(o.end.of, o.writes, o.unseen_writes) for o in updated if o.writes]
        self._owned, self._is_settled = Watch([], []), False
        self._parameters = [update.output.end.of for update in self._gradients]
        self._gradient_tensors: list[Tensor | None] = [None] * len(self._gradients)
        # In the steady state the gradients that replays renew are known to be there.
        self._with_gradient = [t for t in bindings.with_gradient if all(t is not p for p in self._parameters)]

    def _bind(self, inputs: list[Any], outputs: list[Any]) -> Bound:
        bound = Bound(self._bindings.plan, inputs, outputs, self._numbers.scalars, self._bindings.parts)
        bound.computes = all(output.type.device.computes for output in self._bindings.outputs)
        return bound

    def run(self, signature: Signature) -> Any:
        """Do the call again; the guards hold, and the realization lock is held.

        Args:
            signature: of the arguments.

        Raises:
            Stale: it cannot be done with these tensors.
            Exception: the plan failed. Everything is as it was before the call.
        """
        inputs, outputs, tensors = self._inputs, self._outputs, signature.tensors
        if self._with_gradient or self._bindings.without_gradient:
            self._check_gradients(self._with_gradient)
        for slot, number in self._arguments:
            inputs[slot] = signature.nodes[number].value or _realized(signature.nodes[number])
        if not self._written.isdisjoint(map(_storage, tensors)):
            raise Stale("an argument shares its storage with a tensor that the call updates")
        if self._bindings.argument_chains:
            self._check_views(tensors)
        for slot, end in self._moving:
            inputs[slot] = self._moving_value(end, tensors, self._bindings.input_types[slot])
        steady = self._is_steady()
        if not steady:
            self._check_gradients(self._bindings.with_gradient)
            self._reread()
            self._renew()
        for output in self._fresh:
            outputs[output.number] = self._memory_of_result(output)
        result = (
            uninterrupted(self._compute, tensors, steady) if self._changes_state else self._compute(tensors, steady)
        )
        for slot in self._passing:
            inputs[slot] = None  # what is not this replay's is not held by it
        return result

    def _compute(self, tensors: list[Tensor], steady: bool) -> Any:
        """Run the plan and hand out its values; a Ctrl-C must not come in between."""
        outputs = self._outputs
        self._numbers.advance()
        self._drawings.draw(self._inputs)
        try:
            self._bound.run()
        except Exception:
            self._numbers.take_back()
            self._drawings.take_back()
            raise
        finally:
            self._drawings.forget(self._inputs)
        if steady:
            self._take_turns()
        else:
            self._settle()
            self._watch()  # a call of its own: its references are counted
        for storage, writes, unseen in self._counted:
            storage.version += writes
            storage.unseen_writes += unseen
        result = self._hand_out(tensors, outputs)
        land_writes()
        return result

    # Before the plan runs.

    def _check_gradients(self, tensors: list[Tensor]) -> None:
        if any(map(is_, map(_grad, tensors), repeat(None))):
            raise Stale("a gradient is None that was not")
        if not all(map(is_, map(_grad, self._bindings.without_gradient), repeat(None))):
            raise Stale("a gradient is there that was None")

    def _check_views(self, tensors: list[Tensor]) -> None:
        storages = [tensor._storage for tensor in tensors]
        for number, chain in self._bindings.argument_chains.items():
            if tensors[number]._chain != chain or storages.count(storages[number]) != 1:
                raise Stale("an argument is another view")

    def _moving_value(self, end: Binding, tensors: list[Tensor], type: TensorType) -> Any:
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
        return _realized(node)

    def _is_steady(self) -> bool:
        """Whether nothing but replays has touched the tensors since the last one."""
        return (
            self._is_settled
            and [*map(_value, self._storages)] == self._nodes  # lists compare identity first, and nodes nothing else
            and [*map(_value, self._nodes)] == self._values
            and all(map(is_, map(_grad, self._parameters), self._gradient_tensors))
            and self._owned.unshared()
        )

    def _reread(self) -> None:
        for i, storage in enumerate(self._storages):
            node = storage.value
            if storage.is_left:
                raise Stale("a tensor has gone over to other memory")
            if (node.type, is_tracked(node)) != self._types[i]:
                raise Stale("a tensor has another shape, dtype, device or requires_grad")
            self._nodes[i], self._values[i] = node, _realized(node)
            if storage in self._slots:
                self._inputs[self._slots[storage]] = self._values[i]

    def _renew(self) -> None:
        self._is_settled = False
        for update in self._updates:
            update.target = self._outputs[update.output.number] = new_buffer(update.output.type)

    def _memory_of_result(self, output: Output) -> Buffer:
        """Memory that was handed out before and that nobody has any more, where it is small; else new."""
        kept = self._kept[output.number]
        for slot in kept:
            if slot.is_unused():
                return slot.value
        made = new_buffer(output.type)
        if len(kept) < _KEPT and made.is_small:
            kept.append(Slot(made))
        elif kept:
            kept[0].value = made
            kept.reverse()
        return made

    # After the plan ran.

    def _take_turns(self) -> None:
        """Of two blocks, the one just written holds the value now, and the other is written next."""
        if self._other is not None:
            for node, value in self._renewed:
                node.value = value
            now = self._bound, self._inputs, self._outputs, self._values, self._owned, self._renewed
            self._bound, self._inputs, self._outputs, self._values, self._owned, self._renewed = self._other
            self._other = now

    def _settle(self) -> None:
        """Give the new values to the tensors they belong to, and note that nobody else knows the memory."""
        for updated in self._updated:
            node = updated.settle()
            self._nodes[updated.position], self._values[updated.position] = node, node.value
            if updated.slot is not None:
                self._inputs[updated.slot] = node.value
        for i, gradient in enumerate(self._gradients):
            self._gradient_tensors[i] = gradient.settle()
        self._other = None
        for update in self._turning:
            update.spare, update.target = update.target, new_buffer(update.output.type)
            self._outputs[update.output.number] = update.target

    def _watch(self) -> None:
        # In comprehensions, whose variables are gone when the references are counted.
        tensors = self._gradient_tensors
        others: list[Any] = [self._nodes[updated.position] for updated in self._updated]
        others += [part for t in tensors if t is not None for part in (t, t._storage, t._storage.value)]
        watch = self._owned = Watch([update.target for update in self._updates], others)
        other = Watch([update.spare if update.takes_turns else update.target for update in self._updates], others)
        if self._turning:
            self._other = self._turned(other)
        others.clear()
        watch.note()
        other.expect_as(watch)  # each block has as many references in its turn
        self._is_settled = True

    def _turned(self, watch: Watch) -> _Turn:
        """What the replay after the next one reads and writes: in place of each block its spare, and the other way."""
        inputs, outputs, values = [*self._inputs], [*self._outputs], [*self._values]
        for slot in self._passing:
            inputs[slot] = None
        for update in self._turning:
            outputs[update.output.number] = update.spare
            if update.position is not None:
                values[update.position] = update.target
            if update.slot is not None:
                inputs[update.slot] = update.target
        self._renewed = [(update.node, update.target) for update in self._turning]
        renewed = [(update.node, update.spare) for update in self._turning]
        return self._bind(inputs, outputs), inputs, outputs, values, watch, renewed

    def _hand_out(self, tensors: list[Tensor], outputs: list[Any]) -> Any:
        contents: dict[int, Storage] = {}
        for output in self._fresh:
            role, number = output.end
            value, outputs[output.number] = outputs[output.number], None
            if role is Role.RESULT:
                contents[number] = new_storage(output, value)
            else:
                storage = tensors[number]._storage if role is Role.ARGUMENT_STORAGE else number._grad._storage
                storage.keep_in_place()
                storage.value = new_node(output, value)
                storage.version += output.writes
                storage.unseen_writes += output.unseen_writes
        return self._bindings.build([_returned(each, tensors, contents) for each in self._bindings.returned])


def _returned(each: Returned, tensors: list[Tensor], contents: dict[int, Storage]) -> Tensor:
    role, of = each.end
    if role is Role.RESULT:
        base = Tensor.from_storage(contents[of]) if each.is_view else None
        return Tensor.from_storage(contents[of], each.chain, base, each.detached)
    found: Tensor = tensors[of] if role is Role.ARGUMENT else of._grad if role is Role.GRADIENT else of
    return found


def _realized(node: Node) -> Any:
    if node.value is None:
        realize([node])
    return node.value
