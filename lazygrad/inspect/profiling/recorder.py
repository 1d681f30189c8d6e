"""What a profile is told while it is on: spans of what takes time, runs of kernels, cache misses."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NamedTuple

from lazygrad.codegen.editing import Edits
from lazygrad.codegen.kernel import Kernel
from lazygrad.inspect.costs import cost_of, flops_of
from lazygrad.ir.node import Node
from lazygrad.ir.origin import Origin
from lazygrad.ir.shape import numel
from lazygrad.passes.fuse import Group
from lazygrad.runtime.profiling import Activity
from lazygrad.runtime.realize import cache
from lazygrad.targets.base import LoweredProgram, Target
from lazygrad.targets.evaluator import Computation, Evaluator
from lazygrad.targets.executable import Clocked, ClockedWhole, Executable, LoadError, Watched

_MOST_EVENTS = 200_000


class Event(NamedTuple):
    """Something that took time, for a timeline.

    Attributes:
        name: what it is called.
        category: the value of an `Activity`, "kernel", "call" or "operation".
        start, duration: in nanoseconds.
        thread: its number.
        place: the user's line, if there is one.
    """

    name: str
    category: str
    start: int
    duration: int
    thread: int
    place: str = ""


class Work:
    """One kernel, call or interpreted operation over a whole profile.

    Attributes:
        name, category: see `Event`.
        backend: that computed it.
        origins: the lines that it computes for, with the part of its time that is theirs.
        calls, nanoseconds: how often it ran, and how long in all.
        bytes: that it moves in one run; None of an interpreted operation.
    """

    __slots__ = ("backend", "bytes", "calls", "category", "name", "nanoseconds", "origins")

    def __init__(
        self, name: str, category: str, backend: str, origins: Sequence[tuple[Origin, float]], bytes: int | None
    ) -> None:
        self.name, self.category, self.backend, self.origins, self.bytes = name, category, backend, origins, bytes
        self.calls = self.nanoseconds = 0

    @property
    def place(self) -> str:
        """The line that most of it is for."""
        return max(self.origins, key=lambda pair: pair[1])[0].place if self.origins else ""


class SpanSums:
    """How often something was done, how many nanoseconds that took, and how many without what it contains."""

    __slots__ = ("count", "own", "total")

    def __init__(self) -> None:
        self.count = self.total = self.own = 0


class ProfileRecorder:
    """Sums everything up as it comes; keeps the first 200,000 events for a timeline.

    Attributes:
        thread: the one that is profiled; of others only events are kept.
        spans: what took time in that thread, by activity and name.
        elsewhere: nanoseconds that activities took in other threads, without what they contain.
        works: what computed.
        misses: reasons why programs had no plan, with how often.
        events, dropped: for a timeline, and how many there was no room for.
    """

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.spans: dict[tuple[Activity, str], SpanSums] = {}
        self.elsewhere: dict[Activity, int] = defaultdict(int)
        self.works: dict[Any, Work] = {}
        self.misses: Counter[str] = Counter()
        self.events: list[Event] = []
        self.dropped = 0
        self._inside = threading.local()

    # What the runtime calls.

    def span(self, activity: Activity, name: str = "") -> Span:
        return Span(self, activity, name)

    def watched(
        self, program: LoweredProgram, target: Target[Any], executable: Executable, edits: Edits
    ) -> TimedExecutable:
        timed = TimedExecutable(self, program, target, executable, edits)
        if threading.get_ident() != self.thread:  # it waits for compilers anyway
            timed.prepare()
        return timed

    def timed(self, evaluator: Evaluator) -> TimedEvaluator:
        return TimedEvaluator(self, evaluator)

    def missed(self) -> None:
        with self.span(Activity.PROFILING):
            self.misses[cache.last_misses.explain()] += 1

    # Sums.

    def clear(self) -> None:
        """Begin anew; clocks that were made stay."""
        for work in self.works.values():
            work.calls = work.nanoseconds = 0
        self.spans.clear()
        self.elsewhere.clear()
        self.misses.clear()
        self.events.clear()
        self.dropped = 0

    def own(self, activity: Activity) -> int:
        """Nanoseconds that an activity took in the profiled thread, without what it contains."""
        return sum(sums.own for (each, _), sums in self.spans.items() if each is activity)

    def contained(self, duration: int) -> None:
        """Something inside the current span took so long."""
        stack = self._stack()
        if stack:
            stack[-1] += duration

    def enter(self) -> None:
        self._stack().append(0)

    def leave(self, activity: Activity, name: str, start: int, end: int) -> None:
        """The innermost span is over."""
        inner = self._stack().pop()
        name = name or activity.value
        if threading.get_ident() == self.thread:
            sums = self.spans.setdefault((activity, name), SpanSums())
            sums.count, sums.total, sums.own = sums.count + 1, sums.total + end - start, sums.own + end - start - inner
        else:
            self.elsewhere[activity] += end - start - inner
        self.contained(end - start)
        self.event(name, activity.value, start, end - start)

    def event(self, name: str, category: str, start: int, duration: int, place: str = "") -> None:
        if len(self.events) < _MOST_EVENTS:
            self.events.append(Event(name, category, start, duration, threading.get_ident(), place))
        else:
            self.dropped += 1

    def computed(self, work: Work, start: int, duration: int) -> None:
        """A kernel, a call or an operation ran."""
        work.calls += 1
        work.nanoseconds += duration
        self.contained(duration)
        self.event(work.name, work.category, start, duration, work.place)

    def operation(self, node: Node) -> Work:
        """The work of an interpreted operation; that of one line is summed up."""
        origin = node.origin
        key = node.op, (origin.file, origin.line) if origin is not None else None
        work = self.works.get(key)
        if work is None:
            origins = [(origin, 1.0)] if origin is not None else []
            work = self.works[key] = Work(node.op.name, "operation", "interpreter", origins, None)
        return work

    def _stack(self) -> list[int]:
        """For each open span of this thread, what it contains so far."""
        stack: list[int] | None = getattr(self._inside, "stack", None)
        if stack is None:
            stack = self._inside.stack = []
        return stack


class Span:
    """The context of something that takes time."""

    __slots__ = ("_activity", "_name", "_recorder", "_start")

    def __init__(self, recorder: ProfileRecorder, activity: Activity, name: str) -> None:
        self._recorder, self._activity, self._name = recorder, activity, name

    def __enter__(self) -> None:
        self._recorder.enter()
        self._start = time.perf_counter_ns()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._recorder.leave(self._activity, self._name, self._start, time.perf_counter_ns())


class TimedExecutable(Watched):
    """Runs a plan's program with a clock between its steps."""

    def __init__(
        self, recorder: ProfileRecorder, program: LoweredProgram, target: Target[Any], plain: Executable, edits: Edits
    ) -> None:
        self._recorder, self._program, self._target = recorder, program, target
        self.plain, self._edits = plain, edits
        self._clocked: Clocked | None = None
        self._works: list[Work] = []

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any], scalars: Sequence[Any]) -> None:
        recorder = self._recorder
        clocked = self._clocked or self.prepare()
        with recorder.span(Activity.CALLING, f"{self._program.name} on {self._target.name}"):
            start = time.perf_counter_ns()
            clocked.run(inputs, outputs, scalars)
            for work, duration in zip(self._works, clocked.nanoseconds(), strict=True):
                recorder.computed(work, start, duration)
                start += duration

    def failed_step(self, error: BaseException) -> int | None:
        return None if self._clocked is None else self._clocked.failed_step(error)

    def prepare(self) -> Clocked:
        """Have the program with its clocks."""
        with self._recorder.span(Activity.PROFILING, "making clocks"):
            clocked = self._clocked = self._with_clock()
            self._works = [self._work(steps) for steps in clocked.readings]
        return clocked

    def _with_clock(self) -> Clocked:
        try:
            return self._target.clocked(self._program, self._edits)
        except LoadError:
            return ClockedWhole(self.plain, len(self._program.schedule.steps))

    def _work(self, steps: tuple[int, ...]) -> Work:
        groups = [self._program.schedule.steps[step] for step in steps]
        key = self._program.name, self._target.name, steps, *[edited.text for edited in self._edits.values()]
        works = self._recorder.works
        if key not in works:
            works[key] = _work_of(groups, self._program, self._target.name, self._edits)
        return works[key]


class TimedEvaluator(Evaluator):
    """Times what another evaluator computes, operation by operation."""

    def __init__(self, recorder: ProfileRecorder, plain: Evaluator) -> None:
        self._recorder, self._plain = recorder, plain

    def number(self, node: Node) -> Any:
        return self._plain.number(node)

    def moved(self, node: Node, x: Any) -> Any:
        return self._plain.moved(node, x)

    def computation(self, node: Node) -> Computation | None:
        found = self._plain.computation(node)
        if found is None:
            return None
        compute, recorder = found.compute, self._recorder

        def timed(node: Node, out: Any, operands: Sequence[Any]) -> None:
            start = time.perf_counter_ns()
            compute(node, out, operands)
            recorder.computed(recorder.operation(node), start, time.perf_counter_ns() - start)

        return found._replace(compute=timed)


def _called(kernel: Kernel, edits: Edits) -> str:
    return f"{kernel.name} (overridden)" if kernel in edits else kernel.name


def _work_of(groups: list[Group], program: LoweredProgram, backend: str, edits: Edits) -> Work:
    """What steps of a program that run as one do, and for which lines."""
    numbers = {
        id(group): number for number, group in enumerate([g for g in program.schedule.steps if not g.is_library])
    }
    names = [
        group.nodes[0].op.name if group.is_library else _called(program.kernels[numbers[id(group)]].kernel, edits)
        for group in groups
    ]
    costs = [cost_of(group, program.schedule) for group in groups]
    weights: dict[tuple[str, int], list[Any]] = {}
    for node in [node for group in groups for node in group.nodes if node.origin is not None]:
        assert node.origin is not None
        entry = weights.setdefault((node.origin.file, node.origin.line), [node.origin, 0])
        entry[1] += flops_of(node) or numel(node.shape)
    total = sum(weight for _, weight in weights.values()) or 1
    origins = [(origin, weight / total) for origin, weight in weights.values()]
    category = "call" if groups and groups[0].is_library else "kernel"
    return Work(" + ".join(names), category, backend, origins, sum(cost.bytes for cost in costs))
