"""Connecting a plan's slots with the tensors outside."""

from __future__ import annotations

from typing import Any
from weakref import ref

from lazygrad.autograd_meta import AutogradMeta, ConsumedHistory, consumed_history, is_of_inference, is_tracked
from lazygrad.compiling.arguments import Signature
from lazygrad.compiling.bindings import Binding, Bindings, Number, Output, Returned, Role
from lazygrad.compiling.call_state import CallState
from lazygrad.compiling.capture import Capture, Count, Numbers
from lazygrad.compiling.unguardable import Unguardable
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer, scalar
from lazygrad.memory.slots import Place
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor


class Binder:
    """Connects a plan's slots with the world.

    Attributes:
        unowned: stored nodes that belong to no tensor that is known. They are gone with the recording, or somebody
            unknown has them.
        with_history: stored nodes that were not sealed, because gradients inside the recording had no values.
    """

    def __init__(self, capture: Capture, call_state: CallState, gradients: dict[Tensor, Tensor]) -> None:
        assert capture.final is not None
        self._recording, self._plan = capture.final
        self._capture, self._around, self._gradients = capture, call_state, gradients
        self._chains: dict[int, tuple[Any, ...]] = {}
        self.unowned: list[ref[Node]] = []
        self.with_history: list[Node] = []

    def bindings(self, result: Any, returned: list[Tensor], build: Any) -> Bindings:
        recording = self._recording
        if recording.watched:
            raise Unguardable("it keeps the history of a value for a later backward")
        inputs = [self._input(node) for node in recording.buffers]
        handed_out, contents = self._returned(returned)
        outputs = self._outputs(self._destinations(contents))
        numbers = {
            node: Number(action, position)
            for action, numbers in enumerate(self._capture.actions)
            if isinstance(numbers, Numbers)
            for position, node in enumerate(numbers.nodes)
        }
        varying = {**numbers, **self._capture.draws}
        if any(node.op is scalar and node.value is not None for node in recording.numbers):
            raise Unguardable("a number is returned as a tensor")
        scalars = [varying.get(node, value) for node, value in zip(recording.numbers, recording.scalars, strict=True)]
        actions = [a if isinstance(a, Count) else Numbers(a.compute, ()) for a in self._capture.actions]
        return Bindings(
            plan=self._plan,
            inputs=inputs,
            input_types=[node.type for node in recording.buffers],
            outputs=outputs,
            parts=list(recording.parts.values()),
            scalars=scalars,
            actions=actions,
            blocks=self._capture.blocks,
            drawings=self._capture.drawings,
            with_gradient=[tensor for tensor in self._around.leaves if tensor in self._around.gradients],
            without_gradient=[tensor for tensor in self._around.leaves if tensor not in self._around.gradients],
            returned=handed_out,
            build=build,
            result_key=Signature((result,), {}).key,
            argument_chains=self._chains,
        )

    def _input(self, node: Node) -> Binding:
        end = self._around.ends.get(node)
        if end is None:
            if node in self._capture.drawn:
                return Binding(Role.DRAWN, self._capture.drawn[node])
            if node.serial < self._capture.first_serial:
                where = f", made at {node.origin}," if node.origin is not None else ""
                raise Unguardable(f"it reads a tensor of type {node.type}{where} that is kept where it cannot be found")
            assert node.value is not None
            return Binding(Role.CONSTANT, node.value)
        if end.role is Role.ARGUMENT_STORAGE:
            self._chains[end.of] = self._around.arguments[end.of]._chain
        return end

    def _returned(self, tensors: list[Tensor]) -> tuple[list[Returned], list[Storage]]:
        """How to hand out each tensor, and the storages made for them."""
        arguments = {tensor: Binding(Role.ARGUMENT, i) for i, tensor in enumerate(self._around.arguments)}
        held = {tensor: Binding(Role.STORAGE, tensor) for tensor in self._around.reachable}
        gradients = {gradient: Binding(Role.GRADIENT, tensor) for tensor, gradient in self._gradients.items()}
        known = gradients | held | arguments
        contents: list[Storage] = []
        handed_out = []
        for tensor in tensors:
            if tensor in known:
                handed_out.append(Returned(known[tensor]))
                continue
            storage = tensor._storage
            if storage in self._around.storages or any(storage is g._storage for g in self._gradients.values()):
                raise Unguardable("it returns a view of a tensor that lives on")
            if type(tensor) is not Tensor or storage.leaf is not None:
                raise Unguardable("it returns a new leaf that requires gradients")
            if tensor._has_own_gradient():
                raise Unguardable("it returns what a custom function passed on, whose gradient is not its memory's")
            if storage not in contents:
                contents.append(storage)
            end = Binding(Role.RESULT, contents.index(storage))
            handed_out.append(Returned(end, tensor._chain, bool(tensor._detached), tensor._base is not None))
        return handed_out, contents

    def _destinations(self, contents: list[Storage]) -> dict[Node, tuple[Binding, Storage]]:
        found: list[tuple[Storage, Binding]] = [(s, self._around.storages[s]) for s in self._around.changed()]
        for tensor in self._around.reachable:
            before, now = self._around.gradients.get(tensor), self._gradients.get(tensor)
            if now is None and before is not None:
                raise Unguardable("it clears a gradient that was there before")
            if now is not None and now is not before:
                if now.is_sparse:
                    raise Unguardable("a gradient is sparse")
                if now._chain or now._detached:
                    raise Unguardable("it assigns a view to .grad")
                found.append((now._storage, Binding(Role.GRADIENT, tensor)))
        found += [(storage, Binding(Role.RESULT, number)) for number, storage in enumerate(contents)]
        destinations = {storage.value: (end, storage) for storage, end in found}
        if len(destinations) != len(found):
            raise Unguardable("two tensors share one value")
        return destinations

    def _outputs(self, destinations: dict[Node, tuple[Binding, Storage]]) -> list[Output]:
        schedule = self._plan.schedule
        outputs: dict[int, Output] = {}
        unowned: dict[int, Node] = {}
        for node, root in zip(self._recording.stored, schedule.roots, strict=True):
            slot = self._plan.memory.slots[root]
            if root.op is buffer or slot.place is not Place.OUTPUT:
                raise Unguardable("a result is one of the inputs")
            if node.inputs:
                self.with_history.append(node)
            if node not in destinations:
                self.unowned.append(ref(node))
                unowned[slot.index] = node
            elif slot.index in outputs:
                raise Unguardable("two results are one value")
            else:
                outputs[slot.index] = self._output(node, *destinations.pop(node), slot.index)
        if destinations:
            raise Unguardable("a result is a value that existed before, or that was made from Python values")
        for number in unowned.keys() - outputs.keys():
            outputs[number] = self._output(unowned[number], Binding(Role.RESULT, -1 - number), None, number)
        if len(outputs) != len(schedule.outputs):
            raise Unguardable("a value is kept for a later backward")
        return [outputs[number] for number in range(len(outputs))]

    def _output(self, node: Node, end: Binding, storage: Storage | None, number: int) -> Output:
        writes = unseen = 0
        before = self._around.before.get(storage) if storage is not None else None
        if storage is not None and before is not None:
            if before[3] != is_tracked(node):
                raise Unguardable("it changes whether a tensor requires gradients")
            writes, unseen = storage.version - before[1], storage.unseen_writes - before[2]
        if end.role is Role.ARGUMENT_STORAGE:
            self._chains[end.of] = self._around.arguments[end.of]._chain
        return Output(end, node.type, number, _meta_of(node), node.origin, writes, unseen)


_used_up = ConsumedHistory()  # says that a backward has been through


def _meta_of(node: Node) -> AutogradMeta:
    """What autograd will know of a new value like ``node`` that has no history."""
    meta = AutogradMeta(is_tracked(node), superseded=0, shared=True)
    meta.of_inference = is_of_inference(node)
    meta.consumed = _used_up if consumed_history(node) is not None else None
    return meta
