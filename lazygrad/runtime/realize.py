"""Realization: compute some nodes with one plan, and settle what is kept, forgotten and reused afterwards."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from lazygrad.host.buffer import Buffer, DeviceBuffer
from lazygrad.host.collector import collector_waits
from lazygrad.host.forks import held_at_fork, let_forks_go_first, waiting
from lazygrad.host.interrupts import uninterrupted
from lazygrad.host.strides import as_strided
from lazygrad.ir.device import CPU
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.primitives.movement import apply_to_view
from lazygrad.ir.settings import Settings
from lazygrad.ir.shape import numel
from lazygrad.ir.view import View
from lazygrad.runtime import kept_plans
from lazygrad.runtime.at_once import FEW_NODES, MOST_NODES, compute, small_program
from lazygrad.runtime.backend_choice import AUTO, first_target_may_run, get_backend
from lazygrad.runtime.background_plans import make_in_background, plan_for_later_processes, plan_in_background
from lazygrad.runtime.dynamic.families import families
from lazygrad.runtime.dynamic.marks import expected_bounds
from lazygrad.runtime.executor import Bound, bind, commit
from lazygrad.runtime.kept_plan import KeptPlan, whole_plan
from lazygrad.runtime.listening import listening
from lazygrad.runtime.loss_apart import LossApart, loss_apart, note_network
from lazygrad.runtime.plan_cache import PlanCache, Treatment
from lazygrad.runtime.preparation import prepared
from lazygrad.runtime.profiling import Activity, profiling, span
from lazygrad.runtime.recording import Recording, keeps_its_history
from lazygrad.runtime.seen_memory import own_value, seen_memory_of
from lazygrad.runtime.siblings import siblings_beside
from lazygrad.runtime.tiers import runs_to_interpret
from lazygrad.targets.compiled_calls import compiled_calls_may_be_used
from lazygrad.targets.devices import device_evaluator

if TYPE_CHECKING:
    from lazygrad.runtime.partitioned_plan import AnyPlan
    from lazygrad.runtime.tape import Tape
    from lazygrad.targets.evaluator import Evaluator

cache = PlanCache()
_WORTH_A_PLAN = 24  # steps of a program that is planned for later processes though each of them runs it once
SMALL_PIECE = 1 << 10  # elements; to look at memory through a view would keep updates of the whole from being in place
# One realization or replay at a time: they reuse memory that others hold.
realize_lock = held_at_fork(threading.RLock())


class _Options(Settings, threading.local):
    fusion = True


_options = _Options()


def fusion_enabled() -> bool:
    """Whether this thread plans with fusion; see `unfused`."""
    return _options.fusion


RealizationObserver = Callable[[Recording], None]
_observers: list[RealizationObserver] = []


@contextmanager
def observing_realizations(observer: RealizationObserver) -> Iterator[None]:
    """Within this context ``observer`` sees what is about to be computed. Optimizers record each of their steps."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


def is_observed() -> bool:
    """Whether somebody sees what is computed."""
    return bool(_observers)


@contextmanager
def unfused() -> Iterator[None]:
    """Within this context every op becomes its own kernel."""
    outer = _options.fusion
    _options.fusion = False
    try:
        yield
    finally:
        _options.fusion = outer


def plan_for(recording: Recording) -> AnyPlan:
    """The cached or newly built plan of a recording, under the current options."""
    with realize_lock:
        return whole_plan(cache.get((recording.key, _options.fusion), lambda: _missed(recording)))


def _missed(recording: Recording) -> AnyPlan:
    _note_miss(recording, planned=True)
    return new_plan(recording)


def _note_miss(recording: Recording, planned: bool) -> None:
    """Remember a program that had no plan, for `explain_cache_miss`."""
    order = recording.order
    cache.last_misses.note(recording.key, [node.origin for node in order], planned, expected_bounds(order) is not None)
    if profiling.recorder is not None:
        profiling.recorder.missed()


def new_plan(recording: Recording) -> AnyPlan:
    """A plan that carries this recording's own provenance; a cached one has that of the first program like it."""
    # The compiler half of the package loads with the first plan: `import lazygrad` does without it.
    from lazygrad.passes.partition import is_on_one_device
    from lazygrad.runtime.partitioned_plan import PartitionedPlan
    from lazygrad.runtime.plan import Plan

    with collector_waits(), span(Activity.PLANNING):
        recorded = recording.program()
        if is_on_one_device(recorded):
            plan = Plan(recorded, _options.fusion, recording.slots_of_parts())
            if _options.fusion:
                plan.when_compiled = partial(kept_plans.keep, recording.key)
            return plan
        return PartitionedPlan(recorded, _options.fusion)


def realize(roots: Sequence[Node], may_be_small: bool = True) -> tuple[Recording, Bound] | None:
    """Give every root a value.

    Everything in the same graph that a live tensor holds is stored too. Values nobody can ask a gradient of forget
    how they were computed; a value whose ``backward`` has run does too.

    Args:
        roots: of which those that have a value are left alone.
        may_be_small: False if it is known that they are more work than what needs no plan.

    Returns:
        What ran, if that was a plan.
    """
    if profiling.recorder is None:
        return _realize(roots, may_be_small)
    with profiling.recorder.span(Activity.REALIZING):
        return _realize(roots, may_be_small)


def _realize(roots: Sequence[Node], may_be_small: bool = True) -> tuple[Recording, Bound] | None:
    if listening.listener is not None and listening.listener.postpones(roots):
        return None
    pending = [root for root in dict.fromkeys(roots) if root.value is None and not look_at_realized(root)]
    if not pending:
        return None
    if waiting.forks:
        let_forks_go_first()
    with realize_lock:
        if may_be_small and len(pending) == 1 and _computed_at_once(pending[0]):
            return None
        recording = cache.precedents.recorded(pending)
        if not recording.stored:
            return None
        siblings = siblings_beside(recording.covered)
        if siblings:
            del recording  # it holds nodes whose references are counted
            recording = cache.precedents.recorded([*pending, *siblings])
        plan = cache.find((recording.key, _options.fusion)) or _kept_plan(recording)
        if plan is None and expected_bounds(recording.order) is None and _is_new(recording):
            early = prepared(recording.order)
            loss = None if early else loss_apart(recording)
            if early or loss is not None:
                del recording
                return _realize_in_parts([*pending, *siblings], early, loss)
        for observer in _observers:
            observer(recording)
        if plan is None and _run_at_its_size(recording):
            return None
        if plan is None:
            evaluator = _evaluator_for(recording)
            if evaluator is not None:
                _interpret(recording, evaluator)
                if cache.runs_of((recording.key, True)) > 1:
                    note_network(recording)
                return None
            plan = plan_for(recording)
        else:
            note_network(recording)
            cache.note_precedent(recording, (recording.key, _options.fusion))
        bound = bind(plan, recording)
        if bound.donors:  # which are lost once the plan has begun
            uninterrupted(_compute, recording, bound)
        else:
            _compute(recording, bound)
        if listening.listener is not None:
            listening.listener.on_realized(recording, whole_plan(plan))
        return recording, bound


def _realize_in_parts(
    roots: Sequence[Node], early: Sequence[Node], loss: LossApart | None
) -> tuple[Recording, Bound] | None:
    """`realize` a new program: first what it prepares, or its loss with the gradients at what the loss looks at."""
    realize(early if loss is None else loss.roots)
    if loss is None:
        return _realize(roots)
    loss.join()
    ran = _realize(roots)
    loss.forget()
    return ran


def _kept_plan(recording: Recording) -> KeptPlan | None:
    """What an earlier process kept of a plan for a program that this one meets for the first time."""
    if listening.listener is not None or not _options.fusion or runs_to_interpret() is not None:
        return None
    key = (recording.key, True)
    if cache.was_seen(key) or not all([node.type.device is CPU for node in recording.order]):
        return None
    found = kept_plans.find(recording)
    if found.plan is not None:
        cache.restore(key, found.plan)
    elif found.was_met:
        plan_for_later_processes(recording)
    return found.plan


def realize_if_small(node: Node) -> None:
    """Give a pending node a value now, if that is so little work that it needs no plan."""
    if node.value is None:
        if waiting.forks:
            let_forks_go_first()
        with realize_lock:
            _computed_at_once(node, FEW_NODES)


def needs_no_plan(node: Node) -> bool:
    """Whether a pending node is so little work that nobody need wait for it, and no gradient is asked."""
    return small_program(node, cast("Evaluator", device_evaluator(CPU)), FEW_NODES) is not None


def is_computed_at_once(node: Node) -> bool:
    """Whether a pending node is computed without a look at the cache, under the current options."""
    program = small_program(node, cast("Evaluator", device_evaluator(CPU)))
    return program is not None and _may_compute_at_once()


def _may_compute_at_once() -> bool:
    return listening.listener is None and _options.fusion and runs_to_interpret() is None


def _computed_at_once(root: Node, most_nodes: int = MOST_NODES) -> bool:
    evaluator = cast("Evaluator", device_evaluator(CPU))
    program = small_program(root, evaluator, most_nodes)
    if program is None or not _may_compute_at_once():
        return False
    for observer in _observers:
        observer(Recording([root]))
    cache.interpreted += 1
    if profiling.recorder is not None:
        evaluator = profiling.recorder.timed(evaluator)
    compute(program, evaluator)
    return True


def _is_new(recording: Recording) -> bool:
    """Whether a program was never seen before, so that parts of it are computed apart; from now on it was."""
    if listening.listener is not None or not _options.fusion or runs_to_interpret() is not None:
        return False
    return cache.is_first_sight((recording.key, True))


def _evaluator_for(recording: Recording) -> Evaluator | None:
    """What interprets a program that is too new to be worth a plan; None if it is planned."""
    if listening.listener is not None or not _options.fusion:
        return None
    if not all([node.type.device is CPU for node in recording.order]):
        return None
    treatment = cache.treatment((recording.key, True), runs_to_interpret())
    if treatment is Treatment.PLANNED:
        return None
    if treatment is Treatment.DUE:
        plan_in_background(recording, cache.arrived)
    return device_evaluator(CPU)


def _run_at_its_size(recording: Recording) -> bool:
    """Compute a program by a plan for many sizes, if it is expected to have some and has such a plan."""
    bounds = expected_bounds(recording.order)
    if bounds is None or listening.listener is not None or not _options.fusion or not first_target_may_run():
        return False
    if not all([node.type.device is CPU for node in recording.order]):
        return False
    runs = runs_to_interpret()
    plan = families.plan_of(recording, bounds, make_in_background if runs is None else None)
    if plan is None:
        return False
    key = (recording.key, True)
    if runs is None:  # what comes again often has a plan of its own, which is compiled
        treatment = cache.treatment(key, None)
        if treatment is Treatment.PLANNED:
            return False
        cache.interpreted -= 1
        if treatment is Treatment.DUE:
            plan_in_background(recording, cache.arrived)
    start = time.thread_time()
    bound = bind(plan, recording)
    if bound.donors:
        uninterrupted(_compute, recording, bound)
    else:
        _compute(recording, bound)
    cache.spend(key, time.thread_time() - start, plan.steps)
    return True


def _interpret(recording: Recording, evaluator: Evaluator) -> None:
    from lazygrad.runtime.interpreter import Interpretation  # as the compiler half, it loads with the first program

    _note_miss(recording, planned=False)
    start = time.thread_time()
    is_timed = profiling.recorder is not None
    if profiling.recorder is not None:
        evaluator = profiling.recorder.timed(evaluator)
    with collector_waits(), span(Activity.INTERPRETING):  # nothing of what is made here is garbage
        interpretation = Interpretation(recording, _tape_of(recording, evaluator, is_timed), evaluator)
        with compiled_calls_may_be_used() if get_backend() == AUTO else nullcontext():
            if interpretation.overwritten:
                uninterrupted(interpretation.run)
            else:
                interpretation.run()
    cache.spend((recording.key, True), time.thread_time() - start, interpretation.count)
    if interpretation.count >= _WORTH_A_PLAN and cache.runs_of((recording.key, True)) == 1:
        kept_plans.note_met(recording.key)


def _tape_of(recording: Recording, evaluator: Evaluator, is_timed: bool) -> Tape:
    """How a program is interpreted; what comes a second time is recognized and known from then on."""
    from lazygrad.runtime.tape import checking, require_same, tape_of  # see above

    tape = None if is_timed else cache.tape_of(recording)
    if tape is not None:
        if checking.enabled:
            require_same(tape, tape_of(recording, evaluator), recording)
    else:
        tape = tape_of(recording, evaluator)
        if tape.can_be_kept and not is_timed and cache.runs_of((recording.key, True)) > 1:
            cache.keep_tape(recording, tape)
    return tape


def look_at_realized(node: Node, copy_at_most: int | None = None) -> bool:
    """Give a view of a realized value its value without a plan: it shares the memory, or copies what it names.

    Args:
        node: any node; only views of realized values get a value.
        copy_at_most: how many elements may be copied; default any number.

    Returns:
        Whether ``node`` has a value now.
    """
    base, steps = node, []
    while base.value is None and base.op.is_alias:
        if base.op.is_view:
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
    if isinstance(base.value, DeviceBuffer) and not (view.is_contiguous and numel(view.shape) == numel(base.shape)):
        return False  # the device copies it
    is_copied = not view.is_contiguous
    if copy_at_most is not None and is_copied and (numel(view.shape) > copy_at_most or seen_memory_of(base.value)):
        return False
    node.value = own_value(_seen_through(base.value, view), node)
    if not keeps_its_history(node, ()):
        node.seal(buffer)
    return True


def _seen_through(value: Buffer, view: View) -> Buffer:
    if isinstance(value, DeviceBuffer) or value.array is None:
        return value  # it has no shape
    array = value.array
    if array.shape == view.shape and view.is_contiguous and view.offset == 0:
        return value
    start = array.reshape(-1)[view.offset :]
    count = numel(view.shape)
    if view.is_contiguous:
        piece = start[:count].reshape(view.shape)
        memory = seen_memory_of(value)
        if memory is not None:
            return memory.buffer(piece)
        if count <= SMALL_PIECE and not value.shared:
            return Buffer(piece.copy())
        value.shared = True  # two buffers name this memory now, so no plan may overwrite it
        return Buffer(piece, shared=True)
    strides = tuple([stride * array.itemsize for stride in view.strides])
    return Buffer(np.ascontiguousarray(as_strided(start, view.shape, strides)))


def _compute(recording: Recording, bound: Bound) -> None:
    bound.run()
    commit(recording, bound)
