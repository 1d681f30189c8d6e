"""PyTorch's profiler by its names, over `lazygrad.profile`: what it tells of are kernels, calls and marked parts."""

from __future__ import annotations

import gzip
import os
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from types import TracebackType
from typing import Any

from lazygrad.inspect.profiling.profile import profile as Profile
from lazygrad.inspect.profiling.profile import record_function
from lazygrad.inspect.tables import Cell, text_table
from lazygrad.left_out import stand_in_class
from lazygrad.runtime.profiling import Activity

__all__ = [
    "ProfilerAction", "ProfilerActivity", "kineto_available", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip


class ProfilerActivity(Enum):
    """Where what is profiled runs."""

    CPU = auto()
    XPU = auto()
    MTIA = auto()
    CUDA = auto()
    HPU = auto()
    PrivateUse1 = auto()


class ProfilerAction(Enum):
    """What is done with a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


_RECORDS = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


emit_nvtx = stand_in_class("profiler.emit_nvtx", "nothing is told to NVIDIA's tools; profile writes timelines itself")


def supported_activities() -> set[ProfilerActivity]:
    """Only that of the processor."""
    return {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """False: timelines are lazygrad's own."""
    return False


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """A function from the number of a step to what is done with it.

    Args:
        wait, warmup, active: steps of a cycle in which nothing is done, clocks are made, and all is recorded.
        repeat: cycles; 0 for as many as there are steps.
        skip_first: steps before the first cycle.
        skip_first_wait: not 0 leaves the ``wait`` of the first cycle out.

    Raises:
        AssertionError: a negative number, or no active step.
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError("Invalid profiler schedule arguments")

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        cycle = wait + warmup + active
        if repeat and step // cycle >= repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == cycle - 1 else ProfilerAction.RECORD

    return action


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """What writes a timeline into a folder when it is ready; for ``on_trace_ready``."""

    def write(finished: profile) -> None:
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        Path(dir_name).mkdir(parents=True, exist_ok=True)
        finished.export_chrome_trace(os.path.join(dir_name, name))

    return write


@dataclass(frozen=True, slots=True)
class FunctionAverage:
    """What was done under one name; times are in microseconds.

    Attributes:
        key: the name.
        count: how often.
        cpu_time_total, self_cpu_time_total: with and without what it contains.
    """

    key: str
    count: int
    cpu_time_total: float
    self_cpu_time_total: float

    @property
    def cpu_time(self) -> float:
        """Of one time."""
        return self.cpu_time_total / self.count if self.count else 0.0


class EventList(list[FunctionAverage]):
    """What `profile.key_averages` gives."""

    @property
    def self_cpu_time_total(self) -> float:
        """The sum over all, in microseconds."""
        return sum(each.self_cpu_time_total for each in self)

    def table(self, sort_by: str | None = None, row_limit: int = 100, header: str | None = None, **_: Any) -> str:
        """As text.

        Args:
            sort_by: an attribute of `FunctionAverage`, largest first; default: as they are. Those of other devices
                sort by that of the processor.
            row_limit: how many rows; -1 for all.
            header: a line above.

        Raises:
            AttributeError: there is no such attribute.
        """
        rows: list[FunctionAverage] = list(self)
        if sort_by is not None:
            name = sort_by.replace("cuda", "cpu").replace("device", "cpu")
            rows.sort(key=lambda each: -getattr(each, name))
        whole = self.self_cpu_time_total or 1.0
        records: list[dict[str, Cell]] = [
            {
                "Name": each.key,
                "Self CPU %": f"{100 * each.self_cpu_time_total / whole:.2f}%",
                "Self CPU": _time(each.self_cpu_time_total),
                "CPU total %": f"{100 * each.cpu_time_total / whole:.2f}%",
                "CPU total": _time(each.cpu_time_total),
                "CPU time avg": _time(each.cpu_time),
                "# of Calls": each.count,
            }
            for each in (rows if row_limit < 0 else rows[:row_limit])
        ]
        lines = [*([header] if header else []), *text_table(records), f"Self CPU time total: {_time(whole)}"]
        return "\n".join(lines) + "\n"

    def total_average(self) -> FunctionAverage:
        """All as one."""
        own = self.self_cpu_time_total
        return FunctionAverage("Total", sum(each.count for each in self), own, own)


def _time(microseconds: float) -> str:
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    return f"{microseconds / 1e3:.3f}ms" if microseconds >= 1e3 else f"{microseconds:.3f}us"


class profile:
    """Profiles what this thread does within the context, or step by step as a schedule says.

    Args:
        activities: of which there is that of the processor only; others are left out.
        schedule: see the function `schedule`; default: all is recorded.
        on_trace_ready: called with this object when the recorded steps of a cycle are over.
        record_shapes, profile_memory, with_stack, with_flops, with_modules: accepted as in PyTorch; `lazygrad.profile`
            and `lazygrad.compare` tell of memory, lines and arithmetic.
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        acc_events: bool = False,
    ) -> None:
        self._schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = ProfilerAction.NONE
        self.profiler: Profile | None = None
        self._is_on = False

    def start(self) -> None:
        """Begin with the first step."""
        self._go_over(self._schedule(self.step_num))

    def step(self) -> None:
        """Begin with the next step."""
        self.step_num += 1
        self._go_over(self._schedule(self.step_num))

    def stop(self) -> None:
        """End; what was recorded is ready."""
        was_recording = self.current_action in _RECORDS
        self._end()
        self.current_action = ProfilerAction.NONE
        if was_recording and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _go_over(self, action: ProfilerAction) -> None:
        before, self.current_action = self.current_action, action
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._end()
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)
        if action is ProfilerAction.NONE:
            self._end()
        elif not self._is_on:
            self.profiler, self._is_on = Profile().__enter__(), True
        elif before is ProfilerAction.WARMUP and action in _RECORDS and self.profiler is not None:
            self.profiler.clear()

    def _end(self) -> None:
        if self._is_on and self.profiler is not None:
            self.profiler.__exit__(None, None, None)
        self._is_on = False

    def _recorded(self) -> Profile:
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before it is asked for what it recorded")
        return self.profiler

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> EventList:
        """What was done, by name, with parts that `record_function` marks.

        Raises:
            AssertionError: nothing was recorded.
        """
        recorded = self._recorded()
        sums: dict[str, list[float]] = {}
        for work in recorded.works:
            _add(sums, work.name, work.calls, work.nanoseconds, work.nanoseconds)
        for (activity, name), span in recorded.spans.items():
            _add(sums, name if activity is Activity.OWN else activity.value, span.count, span.total, span.own)
        return EventList(
            [FunctionAverage(name, int(count), total / 1e3, own / 1e3) for name, (count, total, own) in sums.items()]
        )

    def events(self) -> list[Any]:
        """The timeline, event by event.

        Raises:
            AssertionError: nothing was recorded.
        """
        return list(self._recorded().events)

    def export_chrome_trace(self, path: str) -> None:
        """Write the timeline as JSON, which Perfetto reads; compressed where ``path`` ends with .gz.

        Raises:
            AssertionError: nothing was recorded.
        """
        text = self._recorded().to_chrome_trace()
        if path.endswith(".gz"):
            Path(path).write_bytes(gzip.compress(text.encode()))
        else:
            Path(path).write_text(text, encoding="utf-8")


def _add(sums: dict[str, list[float]], name: str, *numbers: float) -> None:
    sums[name] = [a + b for a, b in zip(sums.get(name, [0.0, 0.0, 0.0]), numbers, strict=True)]
