"""One program run in several ways, in turn: fused and unfused, on several backends, or two versions of a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.inspect.comparing.comparison import Comparison, Part, Row, Side
from lazygrad.inspect.comparing.differences import Difference, difference, largest
from lazygrad.inspect.comparing.roofline import Roofline, roofline
from lazygrad.inspect.comparing.sides import Contender
from lazygrad.inspect.costs import Cost, cost_of
from lazygrad.inspect.exposing import Values
from lazygrad.inspect.patience import waiting_for_library
from lazygrad.inspect.programs import recording_of
from lazygrad.inspect.timing import Timing, timed_in_turn
from lazygrad.ir.node import Node
from lazygrad.passes.fuse import Group
from lazygrad.runtime.partitioned_plan import AnyPlan, PartitionedPlan
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.realize import plan_for, unfused
from lazygrad.runtime.recording import Recording
from lazygrad.tensor import Tensor


def compare(
    x: Tensor | Callable[..., Any],
    *args: Any,
    backends: Sequence[str] = (),
    against: Callable[..., Any] | None = None,
    repeats: int = 15,
    limits: Roofline | None = None,
) -> Comparison:
    """Run a program in several ways, in turn, and say what each does and how long it takes. The result prints.

    By default it is planned with and without fusion. What is compared stays pending. A plan is run by the target that
    would run it once its code is compiled, and is waited for; the first time on a machine that includes the C library.

    Args:
        x: a pending tensor; or a function or module, which is called with ``args`` and returns pending tensors.
        args: of the call.
        backends: names of at least two backends to run the fused plan on instead, such as ``("numpy", "c")``.
        against: another version of the function ``x`` to run instead of the unfused plan, with the same ``args``.
        repeats: rounds of timing. Below six, no difference of times is called one.
        limits: what the machine can do at best; default: `roofline`, which is measured once.

    Raises:
        TypeError: ``x`` is no tensor and nothing that can be called, or returns no tensors.
        ValueError: a backend that the device does not have, or both ``backends`` and ``against``.
        RuntimeError: everything is realized already, so there is nothing to run; or a backend cannot run here.
    """
    if backends and against is not None:
        raise ValueError("compare: either several backends, or another function")
    recording = recording_of(x, args, "compare")
    if against is None:
        return compare_recording(recording, backends, repeats, limits)
    other, names = recording_of(against, args, "compare"), _names(x, against)
    versions = zip(names, (recording, other), strict=True)
    with waiting_for_library():
        contenders = [Contender(name, plan_for(each), each, only_asked=True) for name, each in versions]
        return _compared(contenders, repeats, limits)


def compare_recording(
    recording: Recording, backends: Sequence[str] = (), repeats: int = 15, limits: Roofline | None = None
) -> Comparison:
    """`compare` for a program that is about to be computed; it stays so."""
    fused = plan_for(recording)
    with waiting_for_library():
        if backends:
            contenders = [Contender(name, fused, recording, name) for name in backends]
        else:
            with unfused():
                plain = plan_for(recording)
            contenders = [Contender("fused", fused, recording), Contender("unfused", plain, recording)]
        return _compared(contenders, repeats, limits)


def _compared(contenders: list[Contender], repeats: int, limits: Roofline | None) -> Comparison:
    timings = timed_in_turn([contender.run for contender in contenders], repeats)
    clocks = _clocked(contenders, repeats)
    sides = [
        Side(contender.name, contender.runs_on, _total(contender.plan), timing)
        for contender, timing in zip(contenders, timings.each, strict=True)
    ]
    results = [contender.results() for contender in contenders]
    differs = [
        largest([difference(a, b) for a, b in zip(results[0], other, strict=True)]) if _fit(results[0], other) else None
        for other in results[1:]
    ]
    rows = _rows(contenders, clocks, any(each is None or each.absolute for each in differs))
    return Comparison(tuple(sides), tuple(rows), tuple(differs), timings.interference, limits or roofline())


def _names(first: Any, second: Any) -> tuple[str, str]:
    names = [getattr(each, "__name__", type(each).__name__) for each in (first, second)]
    return (names[0], names[1]) if names[0] != names[1] else ("first", "second")


def _fit(first: list[Any], second: list[Any]) -> bool:
    return [(a.shape, a.dtype) for a in first] == [(b.shape, b.dtype) for b in second]


def _total(plan: AnyPlan) -> Cost:
    plans = plan.plans if isinstance(plan, PartitionedPlan) else [plan]
    return sum([cost_of(group, each.schedule) for each in plans for group in each.schedule.steps], Cost())


# Group by group.


def _clocked(contenders: list[Contender], rounds: int) -> list[dict[tuple[int, ...], Timing]]:
    """How long the steps of each took, by their numbers; in turn, too."""
    clocks = [contender.clocked() for contender in contenders]
    samples: list[list[list[int]]] = [[] for _ in contenders]
    for _ in range(rounds + 1):
        for contender, clock, taken in zip(contenders, clocks, samples, strict=True):
            if clock is not None:
                clock.run(contender.inputs, contender.outputs, contender.scalars)
                taken.append(clock.nanoseconds())
    return [
        {} if clock is None else dict(zip(clock.readings, map(_timing, zip(*taken[1:], strict=True)), strict=True))
        for clock, taken in zip(clocks, samples, strict=True)  # the first run warms up
    ]


def _timing(nanoseconds: Sequence[int]) -> Timing:
    return Timing(tuple([each / 1e6 for each in nanoseconds]))


def _rows(contenders: list[Contender], clocks: list[dict[tuple[int, ...], Timing]], differ: bool) -> list[Row]:
    """For each reading of the first contender's clock, what the others do instead; none where they are not alike."""
    plans = [contender.plan for contender in contenders]
    first = plans[0]
    if not all(isinstance(plan, Plan) for plan in plans) or not all(map(len, clocks)):
        return []
    assert isinstance(first, Plan)
    numbers = {node: number for number, node in enumerate(first.stages.primitive.nodes)}
    positions = [{node: i for i, node in enumerate(p.stages.primitive.nodes)} for p in plans if isinstance(p, Plan)]
    ops = [[node.op for node in p.stages.primitive.nodes] for p in plans if isinstance(p, Plan)]
    if any(each != ops[0] for each in ops):
        return []
    values = [_values(contender) for contender in contenders] if differ else []
    rows = []
    for steps in clocks[0]:
        groups = [first.schedule.steps[step] for step in steps]
        members = {numbers[node] for group in groups for node in group.nodes}
        parts = [
            _part(plan, clock, position, members)
            for plan, clock, position in zip(plans, clocks, positions, strict=True)
            if isinstance(plan, Plan)
        ]
        stored = [node for group in groups for node in group.nodes if node in first.schedule.stored]
        others = zip(values[1:], plans[1:], strict=False)
        differs = [_apart(stored, values[0], other, numbers, plan) for other, plan in others]
        rows.append(Row(_label(groups), _place(groups), tuple(parts), tuple(differs)))
    return rows


def _part(plan: Plan, clock: dict[tuple[int, ...], Timing], positions: dict[Node, int], members: set[int]) -> Part:
    """What of a plan computes certain primitives."""
    cost, samples = Cost(), []
    for steps, timing in clock.items():
        groups = [plan.schedule.steps[step] for step in steps]
        if positions[groups[0].nodes[0]] in members:  # so that each reading is counted once
            cost = sum([cost_of(group, plan.schedule) for group in groups], cost)
            samples.append(timing.milliseconds)
    return Part(cost, Timing(tuple(map(sum, zip(*samples, strict=True)))) if samples else None)


def _values(contender: Contender) -> Values:
    assert contender.target is not None and isinstance(contender.plan, Plan)
    plan, target = contender.plan, contender.target
    return Values(target, plan.program, contender.inputs, contender.scalars, plan.edits(target))


def _apart(stored: list[Node], mine: Values, others: Values, numbers: dict[Node, int], plan: AnyPlan) -> Difference:
    """How far what a group stores is from what another plan has there, earlier differences included."""
    assert isinstance(plan, Plan)
    nodes = plan.stages.primitive.nodes
    pairs = [(node, nodes[numbers[node]]) for node in stored]
    return largest([difference(mine[a], others[b]) for a, b in pairs if a in mine and b in others])


def _label(groups: list[Group]) -> str:
    names = list(dict.fromkeys(node.op.name for group in groups for node in group.nodes))
    return " ".join(names if len(names) <= 4 else [*names[:3], f"… {names[-1]}"])


def _place(groups: list[Group]) -> str:
    places = [node.origin.place for group in groups for node in group.nodes if node.origin is not None]
    return max(dict.fromkeys(places), key=places.count, default="")
