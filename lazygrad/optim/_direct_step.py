"""Steps that are not recorded: the plan of an earlier step runs again, in the memory where parameters and state lie.

To record an update, recognize it, bind it to memory and settle it takes longer than to compute it, for all but large
parameters. In the steady state none of that has an outcome that could differ. What could be told from a recorded step
leaves its trace in how many refer to the contents: a pending operation, a history that is kept, another storage. Where
nothing but their storages refers to them, they are changed where they are. Others get new memory and a new node, as a
recorded step would give them, and who refers to the old ones keeps those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import attrgetter, is_, itemgetter
from typing import Any, NamedTuple, Protocol

from lazygrad.autograd_meta import own_meta
from lazygrad.host.buffer import Buffer, new_buffer
from lazygrad.host.forks import let_forks_go_first, waiting
from lazygrad.host.interrupts import uninterrupted
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ops.arguments.settings import settings
from lazygrad.optim._options import as_number
from lazygrad.optim._step_numbers import StepNumbers
from lazygrad.runtime.executor import Bound
from lazygrad.runtime.listening import listening
from lazygrad.runtime.ownership import have_values_alone, positions_of_held_values
from lazygrad.runtime.realize import cache, is_observed, realize_lock
from lazygrad.runtime.recording import Recording
from lazygrad.runtime.seen_memory import expected_writes
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor, realize_all

Group = dict[str, Any]
State = dict[str, Any]

# Options that enter updates as numbers which each step computes, and else only by whether they are 0.
_COMPUTED = frozenset({"lr", "betas", "momentum", "weight_decay"})
_value, _grad, _storage = attrgetter("value"), attrgetter("_grad"), attrgetter("_storage")
_step = itemgetter("step")
_type, _op, _shared = attrgetter("type"), attrgetter("op"), attrgetter("shared")


class Stepped(Protocol):
    """An optimizer."""

    param_groups: list[Group]
    state: Any
    defaults: dict[str, Any]

    def _update_parameter(self, *arguments: Any) -> None: ...


class Unfit(Exception):
    """A step cannot be done directly; as a string, why."""


class Kept(NamedTuple):
    """What a step reads and replaces.

    Attributes:
        parameters: those that have a gradient, in order.
        states: what is kept for each.
        names: of the tensors in each state.
        tensors: the parameters, then the tensors of each state.
    """

    parameters: list[Tensor]
    states: list[State | None]
    names: list[list[str]]
    tensors: list[Tensor]


class Noted(NamedTuple):
    """What must be known of a step before it is recorded; serials stand for nodes, which must not be held.

    Attributes:
        kept: what it is about to replace.
        contents: serials of the nodes that hold it.
        gradients: serials of the gradients' nodes.
        is_computed: whether all contents lie in memory. The plan of the step reads them there then; of others, as the
            ones that a parameter began as, it may compute them itself.
    """

    kept: Kept
    contents: list[int]
    gradients: list[int]
    is_computed: bool


def note(optimizer: Stepped) -> Noted:
    """What `DirectStep` must know before a step is recorded."""
    kept = _kept_by(optimizer)
    gradients = [p._grad.node().serial if type(p._grad) is Tensor else -1 for p in kept.parameters]
    nodes = [tensor._storage.value for tensor in kept.tensors]
    is_computed = all([node.value is not None for node in nodes])
    return Noted(kept, [node.serial for node in nodes], gradients, is_computed)


class DirectStep:
    """A recorded step that can be done again.

    Args:
        optimizer: whose step it was.
        noted: what `note` told before.
        numbers: what the step counted and computed.
        ran: what computed it.

    Raises:
        Unfit: it cannot.
    """

    def __init__(
        self, optimizer: Stepped, noted: Noted, numbers: StepNumbers, ran: tuple[Recording, Bound] | None
    ) -> None:
        if ran is None:
            raise Unfit("no plan has computed it")
        if not ran[1].plan.is_one_program or not ran[1].computes:
            raise Unfit("no plan of one program has computed it")
        recording, self._plan = ran[0], ran[1].plan
        kept = self._kept = _kept_by(optimizer)
        if recording.parts or recording.watched:
            raise Unfit("it does more than update")
        if not noted.is_computed or not _are_same(kept.tensors, noted.kept.tensors):
            raise Unfit("it began to keep something, or computed what it read")
        if any(
            not isinstance(value, Tensor) and name != "step" for state in kept.states for name, value in _items(state)
        ):
            raise Unfit("a state holds more than tensors and a count")
        if any(tensor._chain or tensor._detached or tensor._unseen for tensor in kept.tensors):
            raise Unfit("a view is updated")
        self._places = [
            (state, name) for state, names in zip(kept.states, kept.names, strict=True) for name in names if state
        ]
        self._storages: list[Storage] = [tensor._storage for tensor in kept.tensors]
        if len(set(self._storages)) != len(self._storages):
            raise Unfit("memory is updated twice")
        if any(storage.is_inference for storage in self._storages):
            raise Unfit("inference tensors are updated")
        self._rule = _rule_of(optimizer)
        self._groups, self._options, self._settings = [*optimizer.param_groups], _options_of(optimizer), settings()
        self._types = [storage.value.type for storage in self._storages]
        read = self._positions_read(recording, noted)
        self._inputs = _picking(read)
        self._outputs = _picking(self._positions_written(recording, read))
        self._connect_numbers(recording, numbers)

    def _positions_read(self, recording: Recording, noted: Noted) -> list[int]:
        """Per input slot the position of its value among the kept ones and, behind them, the gradients."""
        known = [*noted.contents, *noted.gradients]
        positions = {serial: position for position, serial in enumerate(known)}
        if len(positions) < len(known):
            raise Unfit("it reads one value in two places, which may have two values later")
        serials = [node.serial for node in recording.buffers]
        if not positions.keys() >= set(serials):
            raise Unfit("it reads another value")
        return [positions[serial] for serial in serials]

    def _positions_written(self, recording: Recording, read: list[int]) -> list[int]:
        """Where each output lies: over a kept value, or behind all others in spare memory that takes turns with it."""
        schedule, memory = self._plan.schedule, self._plan.memory
        positions = {storage.value: position for position, storage in enumerate(self._storages)}
        slots = {position: slot for slot, position in enumerate(read)}
        donations = {(donation.output, donation.input) for donation in memory.donations}
        written: dict[int, int] = {}
        self._turning: list[Storage] = []
        self._written: list[Storage] = []
        self._spares: list[Buffer] = []
        for node, root in zip(recording.stored, schedule.roots, strict=True):
            slot, position = memory.slots[root], positions.get(node)
            if position is None or not slot.is_output or slot.index in written:
                raise Unfit("a result is no new value of its own")
            storage = self._storages[position]
            self._written.append(storage)
            if (slot.index, slots.get(position)) in donations:
                written[slot.index] = position
            else:
                written[slot.index] = len(self._storages) + len(self._kept.parameters) + len(self._spares)
                self._turning.append(storage)
                self._spares.append(new_buffer(node.type))
        if len(written) != len(schedule.outputs):
            raise Unfit("it stores more than new values")
        return [written[number] for number in range(len(written))]

    def _connect_numbers(self, recording: Recording, numbers: StepNumbers) -> None:
        """What counts steps, and which scalars are computed anew in each."""
        self._scalars = list(recording.scalars)
        slots = {node: slot for slot, node in enumerate(recording.numbers)}
        self._numbers: list[tuple[Callable[[], Sequence[float]], list[tuple[int, int]]]] = []
        for compute, tensors in numbers.made:
            places = [(slots.pop(node), i) for i, node in enumerate([t.node() for t in tensors]) if node in slots]
            if places:
                self._numbers.append((compute, places))
        self._counted = [*numbers.counted]
        self._steps = [state["step"] for state in self._counted]

    def run(self, optimizer: Stepped) -> bool:
        """Do the step; False if something is not as it was, and it is to be recorded.

        Raises:
            Exception: what the plan refuses. Everything is as it was before the step.
        """
        if listening.listener is not None or is_observed() or settings() is not self._settings:
            return False
        if not self._is_same_step(optimizer):
            return False
        gradients = [*map(_grad, self._kept.parameters)]
        if {*map(type, gradients)} != {Tensor}:
            return False
        sources = [gradient.node() for gradient in gradients]
        realize_all([gradient for gradient, node in zip(gradients, sources, strict=True) if node.value is None])
        if waiting.forks:
            let_forks_go_first()
        with realize_lock:
            memory = self._memory(sources)
            if memory is None:
                return False
            uninterrupted(self._compute, *memory)
        return True

    def _is_same_step(self, optimizer: Stepped) -> bool:
        """Whether the same tensors are to be updated by the same rule."""
        kept = self._kept
        parameters = [p for group in optimizer.param_groups for p in group["params"] if p._grad is not None]
        return (
            _are_same(parameters, kept.parameters)
            and _rule_of(optimizer) is self._rule
            and _are_same(optimizer.param_groups, self._groups)  # of which the numbers are computed
            and _are_same([*map(optimizer.state.get, parameters)], kept.states)
            and _are_same([state.get(name) for state, name in self._places], kept.tensors[len(parameters) :])
            and [*map(_step, self._counted)] == self._steps
            and _options_of(optimizer) == self._options
            and _are_same([*map(_storage, kept.tensors)], self._storages)
        )

    def _memory(self, sources: list[Node]) -> tuple[list[Buffer], list[Buffer], list[int]] | None:
        """What the step reads, where it may write, and the positions of kept values that somebody else refers to.

        None if the values are not such that the plan could read them, or if code outside sees their memory.

        Args:
            sources: the gradients. A kept value that is one of them is referred to by this list.
        """
        read = [*map(_value, sources)]
        if None in read or [*map(_type, sources)] != self._types[: len(sources)] or expected_writes:
            return None
        held: list[int] = []
        if not have_values_alone(self._storages):  # before the nodes are listed
            held = positions_of_held_values(self._storages)
        nodes = [*map(_value, self._storages)]
        if [*map(_type, nodes)] != self._types or not all(map(is_, map(_op, nodes), repeat(buffer))):
            return None
        if not have_values_alone(nodes):
            held += positions_of_held_values(nodes)
        values = [*map(_value, nodes)]
        if None in values or any(map(_shared, values)):
            return None
        given = targets = [*values, *read, *self._spares]
        if held:
            targets = [*given]
            for position in held:
                targets[position] = new_buffer(self._types[position])
        return given, targets, held

    def _compute(self, given: list[Buffer], targets: list[Buffer], held: list[int]) -> None:
        """Count, run the plan, and say that the contents were written to; a Ctrl-C must not come in between."""
        for state in self._counted:
            state["step"] += 1
        try:
            for compute, places in self._numbers:
                numbers = compute()
                for slot, position in places:
                    self._scalars[slot] = float(numbers[position])
            self._plan.run(self._inputs(given), self._outputs(targets), self._scalars)
        except BaseException:
            for state in self._counted:
                state["step"] -= 1
            raise
        self._steps = [*map(_step, self._counted)]
        moved = {self._storages[position]: targets[position] for position in held}
        for number, storage in enumerate(self._turning):
            if storage in moved:
                moved[storage], self._spares[number] = self._spares[number], new_buffer(storage.value.type)
            else:
                node = storage.value
                self._spares[number], node.value = node.value, self._spares[number]
        for storage in self._written:
            if storage in moved:
                storage.replace(_contents(storage, moved[storage]), seen=True)
            else:
                storage.version += 1
        cache.hits += 1


def _contents(storage: Storage, value: Buffer) -> Node:
    """A node for new contents of ``storage``, which a living leaf may own."""
    old = storage.value
    node = Node(buffer, (), (None,), old.type)
    node.value, node.origin = value, old.origin
    if storage.leaf is not None and storage.leaf() is not None:
        meta = own_meta(node)
        meta.say_tracked(True)
        meta.leaf = storage.leaf
    return node


def _rule_of(optimizer: Stepped) -> Any:
    """The function that updates a parameter, which somebody may have replaced."""
    method = optimizer._update_parameter
    return getattr(method, "__func__", method)


def _kept_by(optimizer: Stepped) -> Kept:
    parameters = [p for group in optimizer.param_groups for p in group["params"] if p._grad is not None]
    states = [optimizer.state.get(parameter) for parameter in parameters]
    names = [[name for name, value in _items(state) if isinstance(value, Tensor)] for state in states]
    tensors = [state[name] for state, each in zip(states, names, strict=True) if state for name in each]
    return Kept(parameters, states, names, [*parameters, *tensors])


def _items(state: State | None) -> Iterable[tuple[str, Any]]:
    return state.items() if state else ()


def _options_of(optimizer: Stepped) -> list[Any]:
    """What decides of the options by which rule parameters are updated."""
    return [
        _decisive(name, group[name]) for group in optimizer.param_groups for name in optimizer.defaults if name in group
    ]


def _decisive(name: str, value: Any) -> Any:
    if name in _COMPUTED:
        return None if name in ("lr", "betas") else as_number(value) == 0
    return object() if isinstance(value, Tensor) else value  # which equals no other


def _picking(positions: list[int]) -> Callable[[list[Buffer]], Sequence[Buffer]]:
    """A function that takes out of a list what lies at some positions."""
    if len(positions) == 1:
        return lambda values: [values[positions[0]]]
    return itemgetter(*positions)


def _are_same(first: Sequence[Any], second: Sequence[Any]) -> bool:
    return len(first) == len(second) and all(map(is_, first, second))
