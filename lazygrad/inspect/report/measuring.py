"""How long the steps of a program take, on the values that it would be computed from."""

from __future__ import annotations

from statistics import median

from lazygrad.inspect.comparing.roofline import roofline
from lazygrad.inspect.comparing.sides import Contender
from lazygrad.inspect.report.model import Measured, Program
from lazygrad.runtime.partitioned_plan import AnyPlan
from lazygrad.runtime.recording import Recording

_RUNS = 9


def measure(program: Program, plan: AnyPlan, recording: Recording) -> None:
    """Run ``plan`` with a clock between its steps, and note the medians. The program's values stay as they are.

    A program on several devices is not timed.
    """
    contender = Contender("measured", plan, recording)
    clocked = contender.clocked()
    if clocked is None or contender.target is None:
        return
    clocked.run(contender.inputs, contender.outputs, contender.scalars)
    samples = []
    for _ in range(_RUNS):
        clocked.run(contender.inputs, contender.outputs, contender.scalars)
        samples.append(clocked.nanoseconds())
    for steps, times in zip(clocked.readings, zip(*samples, strict=True), strict=True):
        program.steps[steps[0]].milliseconds = median(times) / 1e6
        for step in steps[1:]:
            program.steps[step].timed_with = steps[0]
    machine = roofline()
    best = machine.bytes_per_second, machine.flops
    program.measured = Measured(contender.target.name, _RUNS, *best, str(machine))
