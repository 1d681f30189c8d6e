"""A plan whose compiled code an earlier process left on disk: it runs without having been made in this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lazygrad.host.buffer import Buffer
from lazygrad.host.refusal import Refused
from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import dtype_named
from lazygrad.ir.node import Node, TensorType, tensor_type
from lazygrad.ir.primitives.leaf import buffer, leaf_node, placeholder
from lazygrad.memory.slots import Donation, Place, Slot
from lazygrad.runtime.backend_choice import AUTO, get_backend
from lazygrad.runtime.overriding import edited
from lazygrad.runtime.profiling import profiling
from lazygrad.runtime.results import Results
from lazygrad.runtime.tiers import runs
from lazygrad.targets.executable import Executable

if TYPE_CHECKING:
    from lazygrad.ir.graph import Graph
    from lazygrad.runtime.partitioned_plan import AnyPlan
    from lazygrad.runtime.plan import Plan

# What such a plan holds for each recorded node: of the graphs of a plan it has only the first.
_BYTES_OF_PLAN, _BYTES_OF_NODE = 1 << 12, 1 << 9


class Places(NamedTuple):
    """Where results are: the part of a `MemoryPlan` that an executor reads.

    Attributes:
        slots: of the roots.
        donations: outputs that may be written over an input's memory.
    """

    slots: dict[Node, Slot]
    donations: tuple[Donation, ...]


class KeptPlan:
    """Runs as a `Plan` does, on one target; whatever else is asked of a plan, `whole` knows.

    Args:
        kept: what `facts_of` told of the plan.
        target: the target of ``executable``.
        executable: its code.
        recorded: the graph of a program that the plan serves.
        parts: as for `Plan`.

    Attributes:
        schedule, memory: of what goes in and comes out.
        runs: how often it ran.
    """

    is_one_program = True

    def __init__(
        self,
        kept: Mapping[str, Any],
        target: str,
        executable: Executable,
        recorded: Graph,
        parts: Mapping[int, int],
    ) -> None:
        self._target, self._executable = target, executable
        self._recorded, self._parts = recorded, parts
        self._whole: Plan | None = None
        self.runs = 0
        outputs = [leaf_node(placeholder, (), _type_of(each)) for each in kept["outputs"]]
        roots: list[Node] = []
        slots: dict[Node, Slot] = {}
        for place, index, kind in kept["roots"]:
            is_output = place == Place.OUTPUT.value
            root = outputs[index] if is_output else leaf_node(buffer, (index,), _type_of(kind))
            roots.append(root)
            slots[root] = Slot(Place.OUTPUT if is_output else Place.INPUT, index)
        inputs = [root for root in roots if root.op is buffer]
        self.schedule = Results(inputs, outputs, roots, kept["watched"], frozenset(kept["alone"]))
        self.memory = Places(slots, tuple([Donation(*pair) for pair in kept["donations"]]))

    @property
    def bytes_held(self) -> int:
        """About how much memory it keeps between runs."""
        return _BYTES_OF_PLAN + _BYTES_OF_NODE * len(self._recorded)

    def run(
        self,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        scalars: Sequence[Any],
        recorded: Callable[[], Graph] | None = None,
    ) -> None:
        """Run once; see `Plan.run`. Where other code than what was kept is to run, the whole plan does."""
        self.runs += 1
        if get_backend() in (AUTO, self._target) and not edited and profiling.recorder is None:
            try:
                self._executable.run(inputs, outputs, scalars)
            except Refused:
                pass  # numpy says what is wrong
            else:
                runs.compiled += 1
                return
        self.whole().run(inputs, outputs, scalars, recorded)

    def whole(self) -> Plan:
        """The plan with all its forms, made when it is first asked for."""
        if self._whole is None:
            from lazygrad.runtime.plan import Plan

            self._whole = Plan(self._recorded, parts=self._parts)
        return self._whole


def whole_plan(plan: AnyPlan | KeptPlan) -> AnyPlan:
    """The plan with all its forms."""
    return plan.whole() if isinstance(plan, KeptPlan) else plan


def facts_of(plan: Plan) -> dict[str, Any]:
    """What a `KeptPlan` must know of a plan, beside its code, as JSON takes it."""
    schedule, memory = plan.schedule, plan.memory
    slots = [memory.slots[root] for root in schedule.roots]
    return {
        "outputs": [_described(node.type) for node in schedule.outputs],
        "roots": [
            [slot.place.value, slot.index, _described(root.type)]
            for slot, root in zip(slots, schedule.roots, strict=True)
        ],
        "watched": list(schedule.watched),
        "alone": sorted(schedule.alone),
        "donations": [[donation.output, donation.input] for donation in memory.donations],
    }


def _described(type: TensorType) -> list[Any]:
    return [type.dtype.short, [*map(int, type.shape)]]


def _type_of(described: Sequence[Any]) -> TensorType:
    short, shape = described
    return tensor_type(tuple(shape), dtype_named(short), CPU)
