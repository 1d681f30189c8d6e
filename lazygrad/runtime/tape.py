"""What an interpretation computes, in which order: found out for a program that is new, and kept if it comes again.

A tape says nothing about values. Nodes of the recording are positions in its order, so that a later recording of the
same key, whose numbers and places of slices may differ, is computed by the same tape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from lazygrad.ir.callable_op import Composite
from lazygrad.ir.node import Node, TensorType, deriving_from
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import buffer, constant, leaf_node, placeholder, scalar
from lazygrad.runtime.recording import Recording
from lazygrad.targets.evaluator import Computation, Evaluator

NOTHING = -1
_LEAF, _IDENTITY, _MOVEMENT = Kind.LEAF, Kind.IDENTITY, Kind.MOVEMENT  # to name a member of an Enum takes longer
_serial = attrgetter("serial")


class Step(NamedTuple):
    """One operation.

    Attributes:
        slot: of its value.
        sources: the slots of what it is computed from.
        computation: how it is computed; None for a view.
    """

    slot: int
    sources: tuple[int, ...]
    computation: Computation | None


class Tape(NamedTuple):
    """The steps of a program. Values have slots, in the order in which they are computed.

    Attributes:
        places: by slot, of a node of the recording its position; a node that was made for the interpretation itself.
        steps: inputs first.
        ends: for each step, the slots that nobody needs after it.
        looked_at: by slot, of a view the slot of its input.
        numbers: slots of constants and runtime scalars.
        valued: slots of realized values, each with the position of the node that has it; `NOTHING` for the node itself.
        roots: slots of what is stored.
        watched: positions of watched nodes, each with its slot.
        beginnings: where writes begin, for which gradients were spelled out; empty if it does not matter.
        can_be_kept: whether every recording of the same key whose writes begin there is computed so.
    """

    places: list[int | Node]
    steps: list[Step]
    ends: list[tuple[int, ...]]
    looked_at: list[int]
    numbers: list[int]
    valued: list[tuple[int, int]]
    roots: list[int]
    watched: list[tuple[int, int]]
    beginnings: tuple[Any, ...]
    can_be_kept: bool

    def serves(self, recording: Recording) -> bool:
        """Whether a recording of the same key is computed so."""
        return not self.beginnings or self.beginnings == recording.beginnings

    def without_values(self) -> Tape:
        """The same, whose nodes refer to no node of a recording."""
        made = {place for place in self.places if isinstance(place, Node)}
        return self._replace(
            places=[place if isinstance(place, int) else _by_itself(place, made) for place in self.places]
        )


def _by_itself(node: Node, made: set[Node]) -> Node:
    """A node with the types of its inputs, as far as what computes it looks at them."""
    if not node.inputs:
        return node if node.value is None else leaf_node(buffer, (None,), node.type)
    alone = Node(node.op, tuple([_typed(source, made) for source in node.inputs]), node.attrs, node.type)
    alone.origin = node.origin
    return alone


def _typed(node: Node, made: set[Node]) -> Node:
    if node.op is constant or (node.op is scalar and node in made):
        return node
    if node.op is scalar:
        return leaf_node(scalar, (None, None), node.type)  # the next recording has another number there
    found = _types.get(node.type)
    if found is None:
        if len(_types) >= _MOST_TYPES:
            _types.clear()
        found = _types[node.type] = leaf_node(placeholder, (), node.type)
    return found


_types: dict[TensorType, Node] = {}
_MOST_TYPES = 1 << 12


def tape_of(recording: Recording, evaluator: Evaluator) -> Tape:
    """How to compute a recording."""
    return _Taping(recording, evaluator).tape()


class _Taping:
    """A composite that the evaluator does not compute stands for what it is spelled out as, and an identity for its
    input: neither is a step."""

    def __init__(self, recording: Recording, evaluator: Evaluator) -> None:
        self._recording, self._evaluator = recording, evaluator
        self._positions = {node: position for position, node in enumerate(recording.order)}
        self._slots: dict[Node, int] = {}
        self._places: list[int | Node] = []
        self._steps: list[Step] = []
        self._looked_at: list[int] = []
        self._numbers: list[int] = []
        self._valued: list[tuple[int, int]] = []
        self._has_strange_values = False
        self._has_gradients = any([node.op is grad and node.value is None for node in recording.order])
        self._replaced, self._outdated = self._gradients_spelled_out() if self._has_gradients else ({}, set())
        self._stood_for = {new: node for node, new in self._replaced.items() if node.value is not None}

    def tape(self) -> Tape:
        recording = self._recording
        self._add_all(recording.stored)
        roots = [self._slots[node] for node in recording.stored]
        positions, slots = self._positions, self._slots
        watched = [(positions[node], slots[node]) for node in recording.watched if node in slots]
        ends = _last_reads(self._steps, self._looked_at, [*roots, *[slot for _, slot in watched]])
        # The derivative of a write to a view is made for the place where that begins.
        beginnings = recording.beginnings if self._has_gradients else ()
        return Tape(
            self._places, self._steps, ends, self._looked_at, self._numbers, self._valued, roots, watched, beginnings,
            not self._has_strange_values,
        )  # fmt: skip

    def _gradients_spelled_out(self) -> tuple[dict[Node, Node], set[Node]]:
        """What takes the place of gradients and of some nodes computed from them, and the others of these."""
        from lazygrad.passes.differentiate import gradients_spelled_out  # rules load with the first gradient

        recording = self._recording
        leaves = {
            node: value_alone(node) for node in recording.buffers if node.inputs and node not in recording.history
        }
        return gradients_spelled_out(recording.order, leaves)

    def _add_all(self, roots: Iterable[Node]) -> None:
        """Note how to compute some nodes, and what they are computed from."""
        slots, replaced, steps = self._slots, self._replaced, self._steps
        computation_of, positions = self._evaluator.computation, self._positions
        for node in self._in_order(roots):
            kind = node.op.kind
            looked_at, slot = NOTHING, len(self._places)
            if node.value is not None:
                self._note_value(slot, node)
            elif node in replaced:
                slots[node] = slots[replaced[node]]
                continue
            elif kind is _IDENTITY:
                slots[node] = slots[node.inputs[0]]
                continue
            elif kind is _LEAF:
                self._numbers.append(slot)
            elif kind is _MOVEMENT:
                looked_at = slots[node.inputs[0]]
                steps.append(Step(slot, (looked_at,), None))
            else:
                computation = computation_of(node)
                if computation is None and isinstance(node.op, Composite):
                    slots[node] = self._decomposed(node.op, node)
                    continue
                sources = tuple([slots[source] for source in node.inputs])
                steps.append(Step(slot, sources, computation))
            slots[node] = slot
            self._places.append(positions.get(node, node))
            self._looked_at.append(looked_at)

    def _note_value(self, slot: int, node: Node) -> None:
        """Say whose value a slot has: that of a node of the recording, which another one may stand for."""
        position = self._positions.get(node)
        if position is None and node in self._stood_for:
            position = self._positions.get(self._stood_for[node])
        if position is None:
            self._has_strange_values = True
        self._valued.append((slot, NOTHING if position is None else position))

    def _decomposed(self, op: Composite, node: Node) -> int:
        """The slot of what a composite is spelled out as."""
        with deriving_from(node.origin):
            body = op.decompose(node)
        self._add_all([body])
        return self._slots[body]

    def _in_order(self, roots: Iterable[Node]) -> list[Node]:
        """What must be computed or looked at and has no slot yet, inputs first.

        Nodes are made after their inputs. Only those that are computed from gradients come after the gradients, which
        were spelled out just now.
        """
        slots, replaced, outdated = self._slots, self._replaced, self._outdated
        early: list[Node] = []
        late: list[Node] = []
        seen: set[Node] = set()
        stack = [*roots]
        while stack:
            node = stack.pop()
            if node in seen or node in slots:
                continue
            seen.add(node)
            if node.value is not None:
                early.append(node)
            elif node in replaced:
                late.append(node)
                stack.append(replaced[node])
            else:
                (late if node in outdated else early).append(node)
                stack += node.inputs[:1] if node.op.kind is _IDENTITY else node.inputs
        early.sort(key=_serial)
        late.sort(key=_serial)
        return early + late


def _last_reads(steps: Sequence[Step], looked_at: Sequence[int], kept: Sequence[int]) -> list[tuple[int, ...]]:
    """For each step, the slots that nobody needs after it; what a view looks at is needed as long as the view."""
    is_needed = bytearray(len(looked_at))
    for slot in kept:
        while slot != NOTHING:
            is_needed[slot] = True
            slot = looked_at[slot]
    ends: list[tuple[int, ...]] = []
    for step in reversed(steps):
        last: tuple[int, ...] = ()
        for slot in step.sources:
            while slot != NOTHING and not is_needed[slot]:
                is_needed[slot] = True
                last += (slot,)
                slot = looked_at[slot]
        ends.append(last)
    ends.reverse()
    return ends


def value_alone(node: Node) -> Node:
    """A leaf with the value of ``node`` and without its history, which no gradient of this recording asks for."""
    leaf = leaf_node(buffer, (None,), node.type)
    leaf.value, leaf.origin = node.value, node.origin
    return leaf


class _Checking:
    """Whether a tape that was kept is compared with one that is made anew, each time it is used; for tests."""

    enabled = False


checking = _Checking()


def require_same(kept: Tape, anew: Tape, recording: Recording) -> None:
    """Compare two tapes for a recording: they must compute the same, in any order.

    Of two leaves another one may be older than in an earlier recording. What lies above a value with a history that no
    gradient asks for is made again, so that fewer watched nodes are computed, and whether a value has one is not in the
    key.

    Raises:
        AssertionError: they do not, or the one that was kept lets go of a value too early or too late.
    """
    numbers: dict[Any, int] = {}
    (old_roots, old_watched), (new_roots, new_watched) = [_computed(tape, recording, numbers) for tape in (kept, anew)]
    if old_roots != new_roots:
        raise AssertionError(f"a tape that was kept has other roots: {old_roots}, not {new_roots}")
    for position in old_watched.keys() & new_watched.keys():
        if old_watched[position] != new_watched[position]:
            raise AssertionError(f"a tape that was kept computes {recording.order[position]} in another way")
    ends = _last_reads(kept.steps, kept.looked_at, [*kept.roots, *[slot for _, slot in kept.watched]])
    if kept.ends != ends:
        raise AssertionError(f"a tape that was kept has other ends: {kept.ends}, not {ends}")


def _computed(tape: Tape, recording: Recording, numbers: dict[Any, int]) -> tuple[list[Any], dict[int, Any]]:
    """What a tape's roots are, and its watched nodes by their positions, each expression by its number."""
    nodes = [recording.order[place] if isinstance(place, int) else place for place in tape.places]
    found: list[Any] = [None] * len(nodes)
    for slot in tape.numbers:
        found[slot] = repr((nodes[slot].op, nodes[slot].attrs, nodes[slot].type))  # NaN is not equal to itself
    for slot, position in tape.valued:
        found[slot] = ("value", position)
    for slot, sources, computation in tape.steps:
        node = nodes[slot]
        expression = (node.op, repr(node.attrs), node.type, computation is None, *[found[source] for source in sources])
        found[slot] = numbers.setdefault(expression, len(numbers))
    watched = {position: found[slot] for position, slot in tape.watched}
    return [found[slot] for slot in tape.roots], watched
