"""Replaying a recorded call: check the guards, bring the inputs into place, run one plan.

A replay as it stands here asks for everything anew, and gives updated tensors new memory. What it leaves behind is
known, so that the next one can be straight-line code over that memory, which `lazygrad.compiling.settled` makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.autograd_meta import is_tracked
from lazygrad.codegen.escaping import Words
from lazygrad.compiling.arguments import Signature
from lazygrad.compiling.bindings import Bindings, Returned, Role
from lazygrad.compiling.reads import Reads
from lazygrad.compiling.recorded_call import RecordedCall, Stale, moving_value, realized
from lazygrad.compiling.settled import Settled
from lazygrad.compiling.updates import give_contents, new_storage
from lazygrad.exposure import land_writes
from lazygrad.host.buffer import new_buffer
from lazygrad.host.interrupts import uninterrupted
from lazygrad.runtime.executor import Bound
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor


class Replay:
    """A recorded call that can be done again with other arguments.

    Args:
        bindings: what it does.
        reads: what it depends on.
        signature: of its arguments.
        title: what people call the function.

    Attributes:
        guards: what must be as it was.
        settled: the same for when nothing but replays has touched the tensors since the last one.
    """

    def __init__(self, bindings: Bindings, reads: Reads, signature: Signature, title: Words) -> None:
        self._call = RecordedCall(bindings, reads, signature, title)
        self.guards = reads.guards
        self.settled = Settled(self._call)
        self._build = bindings.build.function(len(bindings.returned))

    def run(self, signature: Signature) -> Any:
        """Do the call again; the guards hold, and the realization lock is held.

        Args:
            signature: of the arguments.

        Raises:
            Stale: it cannot be done with these tensors.
            Exception: the plan failed. Everything is as it was before the call.
        """
        call, tensors = self._call, signature.tensors
        self._check_gradients()
        inputs = [end.of if end.role is Role.CONSTANT else None for end in call.bindings.inputs]
        for slot, number in call.arguments:
            inputs[slot] = realized(signature.nodes[number])
        if not call.written.isdisjoint([tensor._storage for tensor in tensors]):
            raise Stale("an argument shares its storage with a tensor that the call updates")
        call.check_views(tensors)
        for slot, end in call.moving:
            inputs[slot] = moving_value(end, tensors, call.bindings.input_types[slot])
        self._read_storages(inputs)
        self.settled.release()
        outputs: list[Any] = [new_buffer(output.type) for output in call.bindings.outputs]
        bound = call.bound(inputs, outputs)
        result = uninterrupted(self._compute, bound, tensors) if call.changes_state else self._compute(bound, tensors)
        inputs.clear()  # references to what was in it are counted
        outputs.clear()
        self.settled.follow()
        return result

    # Before the plan runs.

    def _check_gradients(self) -> None:
        if any([tensor._grad is None for tensor in self._call.bindings.with_gradient]):
            raise Stale("a gradient is None that was not")
        if any([tensor._grad is not None for tensor in self._call.bindings.without_gradient]):
            raise Stale("a gradient is there that was None")

    def _read_storages(self, inputs: list[Any]) -> None:
        call = self._call
        for storage, known in zip(call.storages, call.types, strict=True):
            node = storage.value
            if storage.is_left:
                raise Stale("a tensor has gone over to other memory")
            if (node.type, is_tracked(node)) != known:
                raise Stale("a tensor has another shape, dtype, device or requires_grad")
            value = realized(node)
            if storage in call.slots:
                inputs[call.slots[storage]] = value

    # The plan, and what is done with its values.

    def _compute(self, bound: Bound, tensors: list[Tensor]) -> Any:
        """Run the plan and hand out its values; a Ctrl-C must not come in between."""
        call = self._call
        call.numbers.advance()
        for slot, value in zip(call.drawings.slots, call.drawings.draw(), strict=True):
            bound.inputs[slot] = value
        try:
            bound.run()
        except Exception:
            call.numbers.take_back()
            call.drawings.take_back()
            raise
        for update in call.updates:
            update.settle(bound.outputs[update.output.number])
        for storage, writes, unseen in call.counted:
            storage.version += writes
            storage.unseen_writes += unseen
        result = self._hand_out(tensors, bound.outputs)
        land_writes()
        return result

    def _hand_out(self, tensors: list[Tensor], outputs: Sequence[Any]) -> Any:
        contents: dict[int, Storage] = {}
        for output in self._call.fresh:
            if output.end.role is Role.RESULT:
                contents[output.end.of] = new_storage(output, outputs[output.number])
            else:
                give_contents(output, outputs[output.number], tensors)
        return self._build(*[_returned(each, tensors, contents) for each in self._call.bindings.returned])


def _returned(each: Returned, tensors: list[Tensor], contents: dict[int, Storage]) -> Tensor:
    role, of = each.end
    if role is Role.RESULT:
        base = Tensor.from_storage(contents[of]) if each.is_view else None
        return Tensor.from_storage(contents[of], each.chain, base, each.detached)
    found: Tensor = tensors[of] if role is Role.ARGUMENT else of._grad if role is Role.GRADIENT else of
    return found
