"""The memory over which a settled replay works, twice: blocks that take turns are exchanged from replay to replay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lazygrad.compiling.bindings import Role
from lazygrad.compiling.recorded_call import RecordedCall
from lazygrad.host.buffer import Buffer, is_small, new_buffer
from lazygrad.runtime.executor import Bound
from lazygrad.targets.executable import Executable


class Turn(NamedTuple):
    """What one replay has and the next one not.

    Attributes:
        watched: objects to which nobody else may refer while the replay changes them.
        targets: those of them that are memory, which nobody else may share.
        counts: how many references to the watched objects there are while that holds; the same in both turns.
        spare, spare_counts: buffers and arrays of small results, and their references while nobody has them.
        run, argument: to call ``run`` with the items of ``argument`` runs the plan; the result is true for a refusal.
        places: where inputs and outputs are put that lie elsewhere in each call.
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
    memory: tuple[Any, ...]


class Ground:
    """The nodes and the memory that the last replay has left behind.

    Attributes:
        names: what the source of the function calls them.
        first, second: the turns.
        is_direct: whether to run the plan is one foreign call.
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
        for number, gradient in enumerate(call.gradients):
            tensor = gradient.output.end.of._grad
            node = tensor._storage.value
            self.names |= {f"gradient_{number}": tensor, f"gradient_node_{number}": node}
            self._others += [tensor, tensor._storage, node]
        for update in call.updates:
            now = update.storage().value.value
            self._blocks.append((now, new_buffer(update.output.type) if update.takes_turns else now))
        turned = [(then, now) for now, then in self._blocks]
        memories = self._memory(self._blocks), self._memory(turned)
        runs = self._runs(executable, memories)
        counts: list[int] = []
        self.first = self._turn(counts, self._blocks, runs[0])
        self.second = self._turn(counts, turned, runs[1])

    def _memory(self, blocks: list[tuple[Buffer, Buffer]]) -> tuple[list[Any], list[Any]]:
        """Inputs and outputs of the plan, where they stay."""
        call = self._call
        inputs = [end.of if end.role is Role.CONSTANT else None for end in call.bindings.inputs]
        for storage, read in call.slots.items():
            inputs[read] = storage.value.value
        outputs: list[Any] = [None] * len(call.bindings.outputs)
        for update, (now, then) in zip(call.updates, blocks, strict=True):
            outputs[update.output.number] = then
            slot = call.slots.get(update.output.end.of)
            if slot is not None:
                inputs[slot] = now
        return inputs, outputs

    def _runs(
        self, executable: Executable | None, memories: Sequence[tuple[list[Any], list[Any]]]
    ) -> list[tuple[Callable[[Any], object], tuple[Any], Any]]:
        """For each `Turn`: what runs the plan, with what, and the places."""
        bounds = [self._call.bound(inputs, outputs) for inputs, outputs in memories]
        direct = executable is not None and bounds[0].computes and not bounds[0].parts
        standing = executable.standing(memories) if executable is not None and direct else None
        self.is_direct = standing is not None
        if standing is None:
            return [(_runner(bound), (None,), memory) for bound, memory in zip(bounds, memories, strict=True)]
        runs, pack = standing
        pack(bounds[0].scalars)
        self.names |= {"pack": pack, "standing": runs}  # which must live as long
        return [(run.run, (run.argument,), run.places) for run in runs]

    def _turn(self, counts: list[int], blocks: list[tuple[Buffer, Buffer]], run: tuple[Any, tuple[Any], Any]) -> Turn:
        call = self._call
        results = [new_buffer(output.type) for output in call.fresh if is_small(output.type)]
        taking_turns = [pair for pair, update in zip(blocks, call.updates, strict=True) if update.takes_turns]
        targets = [then for _, then in blocks]
        return Turn(
            watched=[*targets, *self._others],
            targets=targets,
            counts=counts,
            spare=[part for result in results for part in (result, result.array)],
            spare_counts=[],
            run=run[0],
            argument=run[1],
            places=run[2],
            memory=(*[block for pair in taking_turns for block in pair], *results),
        )


def _runner(bound: Bound) -> Callable[[Any], object]:
    return lambda _: bound.run()
