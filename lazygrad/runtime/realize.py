"""Realization: compute some nodes with one plan, and settle what is kept, forgotten and reused afterwards."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from lazygrad.host.buffer import Buffer
from lazygrad.host.collector import collector_waits
from lazygrad.host.forks import held_at_fork, let_forks_go_first, waiting
from lazygrad.host.interrupts import uninterrupted
from lazygrad.ir.node import Kind, Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.primitives.movement import apply_to_view
from lazygrad.ir.shape import numel
from lazygrad.ir.view import View
from lazygrad.runtime.listening import listening
from lazygrad.runtime.plan_cache import PlanCache
from lazygrad.runtime.recording import Recording, keeps_its_history
from lazygrad.runtime.seen_memory import own_value, seen_memory_of

if TYPE_CHECKING:
    from lazygrad.runtime.plan import Plan

cache = PlanCache()
_SMALL_PIECE = 1 << 10  # elements; to look at memory through a view would keep updates of the whole from being in place
# One realization or replay at a time: they reuse memory that others hold.
realize_lock = held_at_fork(threading.RLock())


class _Options(threading.local):
    fusion = True


_options = _Options()


def fusion_enabled() -> bool:
    """Whether this thread plans with fusion; see `unfused`."""
    return _options.fusion


@contextmanager
def unfused() -> Iterator[None]:
    """Within this context every op becomes its own kernel."""
    outer = _options.fusion
    _options.fusion = False
    try:
        yield
    finally:
        _options.fusion = outer


def plan_for(recording: Recording) -> Plan:
    """The cached or newly built plan of a recording, under the current options."""
    with realize_lock:
        return cache.get((recording.key, _options.fusion), lambda: new_plan(recording))


def new_plan(recording: Recording) -> Plan:
    """A plan that carries this recording's own provenance; a cached one has that of the first program like it."""
    # The compiler half of the package loads with the first plan: `import lazygrad` does without it.
    from lazygrad.runtime.plan import Plan

    with collector_waits():
        return Plan(recording.program(), _options.fusion)


def realize(roots: Sequence[Node]) -> None:
    """Give every root a value.

    Everything in the same graph that a live tensor holds is stored too. Values nobody can ask a gradient of forget
    how they were computed; a value whose ``backward`` has run does too.
    """
    if listening.listener is not None and listening.listener.postpones(roots):
        return
    pending = [root for root in roots if root.value is None and not look_at_realized(root)]
    if not pending:
        return
    if waiting.forks:
        let_forks_go_first()
    with realize_lock:
        recording = Recording(pending)
        if not recording.stored:
            return
        plan = plan_for(recording)
        donors = _donors(plan, recording)
        if donors:  # which are lost once the plan has begun
            uninterrupted(_compute, plan, recording, donors)
        else:
            _compute(plan, recording, donors)
        if listening.listener is not None:
            listening.listener.on_realized(recording, plan)


def look_at_realized(node: Node, copy_at_most: int | None = None) -> bool:
    """Give a view of a realized value its value without a plan: it shares the memory, or copies what it names.

    Args:
        node: any node; only views of realized values get a value.
        copy_at_most: how many elements may be copied; default any number.

    Returns:
        Whether ``node`` has a value now.
    """
    base, steps = node, []
    while base.value is None and base.op.kind in (Kind.MOVEMENT, Kind.IDENTITY):
        if base.op.kind is Kind.MOVEMENT:
            steps.append((base.op, base.attrs))
        base = base.inputs[0]
    if base.value is None:
        return False
    view = View.contiguous(base.shape)
    for op, attrs in reversed(steps):
        moved = apply_to_view(view, op, attrs)
        if moved is None:
            return False
        view = moved
    is_copied = not view.is_contiguous
    if copy_at_most is not None and is_copied and (numel(view.shape) > copy_at_most or seen_memory_of(base.value)):
        return False
    node.value = own_value(_seen_through(base.value, view), node)
    if not keeps_its_history(node, ()):
        node.seal(buffer)
    return True


def _seen_through(value: Buffer, view: View) -> Buffer:
    array = value.array
    if array is None or (array.shape == view.shape and view.is_contiguous and view.offset == 0):
        return value
    start = array.reshape(-1)[view.offset :]
    count = numel(view.shape)
    if view.is_contiguous:
        piece = start[:count].reshape(view.shape)
        memory = seen_memory_of(value)
        if memory is not None:
            return memory.buffer(piece)
        if count <= _SMALL_PIECE and not value.shared:
            return Buffer(piece.copy())
        value.shared = True  # two buffers name this memory now, so no plan may overwrite it
        return Buffer(piece, shared=True)
    strides = tuple([stride * array.itemsize for stride in view.strides])
    return Buffer(np.ascontiguousarray(np.lib.stride_tricks.as_strided(start, view.shape, strides)))


def _compute(plan: Plan, recording: Recording, donors: dict[int, Buffer]) -> None:
    _settle(recording, plan, _run(plan, recording, donors))


def _run(plan: Plan, recording: Recording, donors: dict[int, Buffer]) -> list[Buffer]:
    """The buffers of the plan's outputs, computed unless the device only plans."""
    buffers = [node.value for node in recording.buffers]
    if any(not node.device.computes for node in recording.stored):
        return [Buffer(None) for _ in plan.schedule.outputs]
    outputs = [donors.get(i) or Buffer.empty(node.type) for i, node in enumerate(plan.schedule.outputs)]
    plan.run(buffers, outputs, recording.scalars, recording.program)
    return outputs


def _donors(plan: Plan, recording: Recording) -> dict[int, Buffer]:
    """Input buffers this run may overwrite, by output number; their old owners lose them."""
    donors: dict[int, Buffer] = {}
    used: set[int] = set()
    for donation in plan.memory.donations:
        if donation.output in donors or donation.input in used or not recording.donatable[donation.input]:
            continue
        node = recording.buffers[donation.input]
        if _sole_owner(node):
            donors[donation.output] = node.value
            used.add(donation.input)
    return donors


def _sole_owner(node: Node) -> bool:
    """Whether no other node or array shares this node's memory."""
    value = node.value
    # This function's two references: the node's own slot and the local name, plus the argument of getrefcount.
    return not value.shared and value.array is not None and sys.getrefcount(value) <= 3


def _settle(recording: Recording, plan: Plan, outputs: list[Buffer]) -> None:
    """Hand the values to their nodes, then let go of history."""
    schedule, slots = plan.schedule, plan.memory.slots
    donated = {id(value) for value in outputs}
    for node in recording.buffers:
        if id(node.value) in donated:
            node.value = None
            node.seal(buffer)
    for node, root in zip(recording.stored, schedule.roots, strict=True):
        slot = slots[root]
        value = recording.buffers[slot.index].value if root.op is buffer else outputs[slot.index]
        is_alone = root.op is not buffer and slot.index in schedule.alone
        node.value = own_value(value if node.shape == root.shape else _reshaped(value, node, is_alone), node)
    for node, number in zip(recording.watched, schedule.watched, strict=True):
        if number is not None and node.value is None and node.type is schedule.outputs[number].type:
            node.value = outputs[number]
    for node in recording.forgetting:
        if node.value is not None:
            node.seal(buffer)


def _reshaped(value: Buffer, node: Node, is_alone: bool) -> Buffer:
    """The same memory under another shape. Where others hold it too, it is marked as shared."""
    if value.array is None:
        return value
    array = value.array.reshape(node.shape)
    memory = seen_memory_of(value)
    if memory is not None:
        return memory.buffer(array)
    if is_alone and not value.shared:
        value.array = array
        return value
    value.shared = True
    return Buffer(array, shared=True)
