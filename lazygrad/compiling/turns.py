"""The memory over which a settled replay works, twice: blocks that take turns are exchanged from replay to replay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lazygrad.compiling.bindings import Role
from lazygrad.compiling.recorded_call import RecordedCall
from lazygrad.host.buffer import Buffer, is_small, new_buffer
from lazygrad.targets.base import Executable


class Turn(NamedTuple):
    """What one replay has and the next one not.

    Attributes:
        watched: objects to which nobody else may refer while the replay changes them.
        targets: those of them that are memory, which nobody else may share.
        counts: how many references to the watched objects there are while that holds; the same in both turns.
        spare, spare_counts: buffers and arrays of small results, and their references while nobody has them.
        run, argument: to call ``run`` with the items of ``argument`` runs the plan; the result is true for a refusal.
        places: where inputs and outputs are put that lie elsewhere in each call.
        pack: gives the plan other scalars; None if it reads them by itself.
        memory: per update that takes turns the blocks with its value and for the next one; then buffers of results.
    """

    watched: list[Any]
    targets: list[Any]
    counts: list[int]
    spare: list[Any]
    spare_counts: list[int]
    run: Callable[[Any], object]
    argument: tuple[Any]
    places: Any
    pack: Callable[[Sequence[Any]], object] | None
    memory: tuple[Any, ...]


class Ground:
    """The nodes and the memory that the last replay has left behind.

    Attributes:
        names: what the source of the function calls them.
        first, second: the turns.
    """

    def __init__(self, call: RecordedCall, executable: Executable | None) -> None:
        self._call = call
        self.names: dict[str, Any] = {}
        self._others: list[Any] = []
        self._blocks: list[tuple[Buffer, Buffer]] = []
        exchanged = {update.output.end.of for update in call.updated if update.takes_turns}
        for number, storage in enumerate(call.storages):
            node = storage.value
            self.names[f"node_{number}"] = node
            if storage not in exchanged:  # each block has as many references in its turn
                self.names[f"value_{number}"] = node.value
            if storage in call.written:
                self._others.append(node)
        for number, update in enumerate(call.gradients):
            tensor = update.output.end.of._grad
            node = tensor._storage.value
            self.names |= {f"gradient_{number}": tensor, f"gradient_node_{number}": node}
            self._others += [tensor, tensor._storage, node]
        for update in call.updates:
            now = update.storage().value.value
            self._blocks.append((now, new_buffer(update.output.type) if update.takes_turns else now))
        counts: list[int] = []
        self.first = self._turn(executable, counts, self._blocks)
        self.second = self._turn(executable, counts, [(then, now) for now, then in self._blocks])

    def _turn(self, executable: Executable | None, counts: list[int], blocks: list[tuple[Buffer, Buffer]]) -> Turn:
        call = self._call
        inputs = [end.of if end.role is Role.CONSTANT else None for end in call.bindings.inputs]
        for storage, slot in call.slots.items():
            inputs[slot] = storage.value.value
        outputs: list[Any] = [None] * len(call.bindings.outputs)
        for update, (now, then) in zip(call.updates, blocks, strict=True):
            outputs[update.output.number] = then
            slot = call.slots.get(update.output.end.of)
            if slot is not None:
                inputs[slot] = now
        results = [new_buffer(output.type) for output in call.fresh if is_small(output.type)]
        taking_turns = [pair for pair, update in zip(blocks, call.updates, strict=True) if update.takes_turns]
        run, argument, places, pack = self._run(executable, inputs, outputs)
        targets = [then for _, then in blocks]
        return Turn(
            watched=[*targets, *self._others],
            targets=targets,
            counts=counts,
            spare=[part for result in results for part in (result, result.array)],
            spare_counts=[],
            run=run,
            argument=argument,
            places=places,
            pack=pack,
            memory=(*[block for pair in taking_turns for block in pair], *results),
        )

    def _run(
        self, executable: Executable | None, inputs: list[Any], outputs: list[Any]
    ) -> tuple[Callable[[Any], object], tuple[Any], Any, Callable[[Sequence[Any]], object] | None]:
        """For `Turn`: what runs the plan, with what, the places, and how scalars are given."""
        bound = self._call.bound(inputs, outputs)
        standing = executable.standing(inputs, outputs) if executable and bound.computes and not bound.parts else None
        if standing is None:
            return lambda _: bound.run(), (None,), (inputs, outputs), None
        standing.pack(bound.scalars)
        self.names[f"standing_{len(self.names)}"] = standing  # lives as long
        return standing.run, (standing.argument,), standing.places, standing.pack

