"""Recording one whole call as one program: realizations wait until its end, and what varies between calls is noted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from lazygrad.compiling.unguardable import Unguardable
from lazygrad.host.interrupts import uninterrupted
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import int64
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.origin import capture as capture_origin
from lazygrad.ir.primitives.leaf import runtime_number, structural_number
from lazygrad.ops.random.generator import default_generator
from lazygrad.runtime.device_streams import counted_states
from lazygrad.runtime.listening import listening
from lazygrad.runtime.realize import realize

if TYPE_CHECKING:
    from lazygrad.runtime.partitioned_plan import AnyPlan
    from lazygrad.runtime.random_drawing import Drawing
    from lazygrad.runtime.recording import Recording

State = dict[str, Any]


class Count(NamedTuple):
    """An optimizer's ``state["step"]`` grows by one."""

    state: State


class Numbers(NamedTuple):
    """Scalars that are computed in Python, from step counts and learning rates."""

    compute: Callable[[], Sequence[float]]
    nodes: tuple[Node, ...]


class Drawn(NamedTuple):
    """A scalar that says where a random stream stands: its seed if ``offset`` is None, or its counter.

    Attributes:
        device: whose stream it is.
        offset: of the counter, from where it stood when the call began.
    """

    device: Device
    offset: int | None


class Capture:
    """Listens while a function runs. Realizations are postponed until a value is looked at, or the call is over.

    Args:
        fullgraph: raise where a value is looked at.

    Attributes:
        actions: step counts and numbers, in the order in which the call made them.
        drawings: the arrays of random numbers that were drawn on the host, in order.
        drawn: the nodes that hold these, with their place in `drawings`.
        stream_state: of the default generator, after the last of them.
        drew_otherwise: whether that generator moved in between, or another one drew.
        draws: what the generator of in-graph randomness handed out.
        blocks: how far that of each device moved.
        equal_steps: pairs of optimizer states that share numbers, as long as their step counts are equal.
        read_at: the line that looked at a value, or None.
        final: the program of the whole call, after `realize_rest`.
    """

    def __init__(self, fullgraph: bool) -> None:
        self.actions: list[Count | Numbers] = []
        self.drawings: list[Drawing] = []
        self.drawn: dict[Node, int] = {}
        self.stream_state = default_generator.stream.get_state().tobytes()
        self.drew_otherwise = False
        self.draws: dict[Node, Drawn] = {}
        self.blocks: dict[Device, int] = {}
        self.equal_steps: list[tuple[State, State]] = []
        self.read_at: str | None = None
        self.final: tuple[Recording, AnyPlan] | None = None
        self.random_states = counted_states()
        # Nodes are not held here: a reference would look like a tensor that still needs the value.
        self.first_serial = structural_number(0, int64).serial
        self._postponed: list[ref[Node]] = []
        self._undo: list[Callable[[], None]] = []
        self._numbers: dict[Hashable, tuple[State, Numbers]] = {}
        self._fullgraph, self._ending = fullgraph, False

    # What the rest of the package reports, see `Listener`.

    def postpones(self, roots: Sequence[Node]) -> bool:
        if self._ending or self.read_at is not None:
            return False
        self._postponed += [ref(root) for root in roots if root.value is None]
        return True

    def on_read(self) -> None:
        if self._ending or self.read_at is not None:
            return
        if self._fullgraph:
            raise RuntimeError(
                f"fullgraph=True: {capture_origin()} reads a computed value, so that the rest of the call may depend "
                f"on it; return the tensor, or compile with fullgraph=False"
            )
        self.read_at = str(capture_origin())

    def on_realized(self, recording: Recording, plan: AnyPlan) -> None:
        if self._ending:
            self.final = recording, plan

    def on_draw(self, seed: Node, counter: Node, blocks: int) -> None:
        device = seed.type.device
        before = self.blocks.get(device, 0)
        self.draws[seed], self.draws[counter] = Drawn(device, None), Drawn(device, before)
        self.blocks[device] = before + blocks

    def on_drawing(self, node: Node, drawing: Drawing, before: bytes) -> None:
        self.drew_otherwise |= drawing.stream is not default_generator.stream or before != self.stream_state
        self.drawn[node] = len(self.drawings)
        self.drawings.append(drawing)
        self.stream_state = drawing.stream.get_state().tobytes()

    def on_step(self, undo: Sequence[Callable[[], None]]) -> None:
        self._undo += undo

    def on_count(self, state: State) -> None:
        self.actions.append(Count(state))

    def numbers(
        self, shared: Hashable, state: State, compute: Callable[[], Sequence[float]], type: TensorType
    ) -> tuple[Node, ...]:
        found = self._numbers.get((shared, type))
        if found is None:
            nodes = tuple([runtime_number(value, type.dtype, type.device) for value in compute()])
            found = self._numbers[shared, type] = state, Numbers(compute, nodes)
            self.actions.append(found[1])
        elif "step" in state:
            self.equal_steps.append((state, found[0]))
        return found[1].nodes

    # The end of the call.

    def realize_rest(self, roots: Sequence[Node] = ()) -> None:
        """Compute what was postponed, and ``roots``, with one plan. If that fails, optimizer steps are undone."""
        self._ending = True
        outer, listening.listener = listening.listener, self
        wanted = [*roots, *self._postponed_beside(roots)]
        made_in_call = self._made_in_call(wanted)  # referred to here, their memory is not donated
        try:
            uninterrupted(realize, wanted)
        except Exception:
            for undo in reversed(self._undo):
                undo()
            raise
        finally:
            listening.listener = outer
            del made_in_call

    def _postponed_beside(self, roots: Sequence[Node]) -> list[Node]:
        """Postponed nodes that are needed for their own sake: the others are steps on the way to ``roots``."""
        postponed = [node for node in (reference() for reference in self._postponed) if node is not None]
        covered = set(topological_order(roots, _pending_inputs))
        return [node for node in dict.fromkeys(reversed(postponed)) if node not in covered and node.value is None]

    def _made_in_call(self, roots: Sequence[Node]) -> list[Any]:
        """Buffers that the call made from Python values."""
        order = topological_order(roots, _pending_inputs)
        return [node.value for node in order if node.value is not None and node.serial >= self.first_serial]

    def check_random_state(self) -> None:
        """Raises Unguardable if the call seeded random numbers, or drew some in a way that cannot be repeated."""
        if self.drew_otherwise or default_generator.stream.get_state().tobytes() != self.stream_state:
            raise Unguardable("it draws from a Generator what depends on tensors' values, or sets its state")
        states = counted_states()
        for device, (seed, counter) in self.random_states.items():
            if states[device] != (seed, (counter + self.blocks.get(device, 0)) % 2**64):
                raise Unguardable("it seeds the random numbers inside graphs")


def _pending_inputs(node: Node) -> tuple[Node, ...]:
    return node.inputs if node.value is None else ()
