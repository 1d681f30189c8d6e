"""Fused beside unfused: the same program planned twice, run in turn, with the largest difference of the results."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median

import numpy as np

from lazygrad.host.buffer import new_buffer, on_host
from lazygrad.inspect.plan_text import moved_bytes
from lazygrad.memory.plan import Place
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.runtime.partitioned_plan import AnyPlan
from lazygrad.runtime.parts import with_parts
from lazygrad.runtime.realize import plan_for, unfused
from lazygrad.runtime.recording import Recording
from lazygrad.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Side:
    """One way of running: kernel and library calls, bytes moved, median milliseconds."""

    kernels: int
    library_calls: int
    bytes_moved: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of `compare`; prints as a table.

    Attributes:
        fused, unfused: the two sides.
        max_difference: the largest absolute difference between their results.
    """

    fused: Side
    unfused: Side
    max_difference: float

    @property
    def speedup(self) -> float:
        """Unfused time over fused time."""
        return self.unfused.milliseconds / self.fused.milliseconds

    def __str__(self) -> str:
        rows = [
            ("", "fused", "unfused"),
            ("kernels", str(self.fused.kernels), str(self.unfused.kernels)),
            ("library calls", str(self.fused.library_calls), str(self.unfused.library_calls)),
            ("bytes moved", f"{self.fused.bytes_moved:,}", f"{self.unfused.bytes_moved:,}"),
            ("ms (median)", f"{self.fused.milliseconds:.3f}", f"{self.unfused.milliseconds:.3f}"),
        ]
        table = [f"{name:<14}{left:>16}{right:>16}" for name, left, right in rows]
        return "\n".join([*table, f"speedup {self.speedup:.2f}, max |Δ| {self.max_difference:.3g}"])

    __repr__ = __str__


def compare(x: Tensor, repeats: int = 7) -> Comparison:
    """Run the program of a pending ``x`` fused and unfused, in turn, and print nothing: the result prints.

    Args:
        x: a tensor that is not realized yet; it stays pending.
        repeats: timed runs of each side after one warm-up; medians are reported.

    Raises:
        TypeError: ``x`` is not a tensor.
        RuntimeError: ``x`` is realized already, so there is nothing to run.
    """
    recording = Recording([tensor_argument(x, "compare", "x").node()])
    if not recording.stored:
        raise RuntimeError("compare: this tensor is realized already; call it on a pending one")
    fused = plan_for(recording)
    with unfused():
        plain = plan_for(recording)
    runs = {plan: _Runner(plan, recording) for plan in (fused, plain)}
    times: dict[AnyPlan, list[float]] = {fused: [], plain: []}
    for _ in range(repeats):
        for plan, run in runs.items():
            times[plan].append(run.once())
    difference = _largest_difference(runs[fused].results(), runs[plain].results())
    sides = [Side(p.kernel_calls, p.library_calls, moved_bytes(p), 1000 * median(times[p])) for p in (fused, plain)]
    return Comparison(sides[0], sides[1], difference)


class _Runner:
    def __init__(self, plan: AnyPlan, recording: Recording) -> None:
        self.plan = plan
        self.inputs = with_parts([node.value for node in recording.buffers], list(recording.parts.values()))
        self.scalars = recording.scalars
        self.outputs = [new_buffer(node.type) for node in plan.schedule.outputs]
        self.once()

    def results(self) -> list[np.ndarray]:
        """The values that were asked for; outputs may hold further ones, kept for a later gradient."""
        slots = {root: self.plan.memory.slots[root] for root in self.plan.schedule.roots}
        made = {root: self.outputs[slot.index] for root, slot in slots.items() if slot.place is Place.OUTPUT}
        return [on_host(value, root.type) for root, value in made.items() if root.device.computes]

    def once(self) -> float:
        start = time.perf_counter()
        self.plan.run(self.inputs, self.outputs, self.scalars)
        return time.perf_counter() - start


def _largest_difference(first: list[np.ndarray], second: list[np.ndarray]) -> float:
    largest = 0.0
    for a, b in zip(first, second, strict=True):
        if a.size:
            delta = np.abs(a.astype(np.float64) - b.astype(np.float64))
            largest = max(largest, float(np.nanmax(delta, initial=0.0)))
    return largest
