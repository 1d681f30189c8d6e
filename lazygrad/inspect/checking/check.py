"""Whether a program computes what it says: every pass and every kernel beside numpy in double precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lazygrad.host.buffer import Buffer, buffer_of
from lazygrad.host.dtypes import to_numpy
from lazygrad.inspect.checking.graph_check import Check, Finding
from lazygrad.inspect.checking.reproducing import smallest, write_script
from lazygrad.inspect.kernels.extraction import random_values
from lazygrad.inspect.programs import recording_of
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer, scalar
from lazygrad.passes.partition import is_on_one_device
from lazygrad.runtime.parts import with_parts
from lazygrad.runtime.recording import Recording
from lazygrad.targets.devices import device_targets
from lazygrad.tensor import Tensor


@dataclass(frozen=True, slots=True, repr=False)
class CheckReport:
    """The result of `check`; prints as text.

    Attributes:
        operations: how many were recorded.
        findings: of each pass, and of each step on each backend, in order.
        operation: the first operation that shows the divergence when it is computed alone; None without one.
        script: a program that shows it; None where nothing diverges or none was asked for.
    """

    operations: int
    findings: tuple[Finding, ...]
    operation: str | None = None
    script: Path | None = None

    @property
    def ok(self) -> bool:
        return self.first is None

    @property
    def first(self) -> Finding | None:
        """The first pass or step that diverges."""
        return next((finding for finding in self.findings if finding.diverges), None)

    def __str__(self) -> str:
        backends = list(dict.fromkeys(finding.backend for finding in self.findings if finding.backend))
        passes = sum(finding.what.startswith("pass ") for finding in self.findings)
        counts = [f"{sum(each.backend == name for each in self.findings) - 1} steps on {name}" for name in backends]
        counts += [finding.what for finding in self.findings if finding.is_of_edited]
        lines = [f"check of {self.operations} recorded operations: {', '.join([f'{passes} passes', *counts])}"]
        if self.first is None:
            compared = [each for each in self.findings if each.type is not None and not each.is_slope]
            worst = max(compared, key=lambda each: each.error)
            lines.append(f"ok; the least exact {worst}")
            return "\n".join(lines)
        lines += [f"DIVERGES: {finding}" for finding in self.findings if finding.diverges]
        if self.operation is not None:
            lines.append(f"the first operation that shows it alone: {self.operation}")
        if self.script is not None:
            lines.append(f"a program that shows it: {self.script}")
        return "\n".join(lines)

    __repr__ = __str__


def check(
    x: Tensor | Graph | Callable[..., Any],
    *args: Any,
    backends: Sequence[str] = (),
    script: str | Path | None = "lazygrad_repro.py",
) -> CheckReport:
    """Compute a program in double precision, one operation after another, and compare every pass and step with that.

    The graph after each pass must have the same results. Each kernel and call must make of the values that it reads
    what numpy makes of them, on each backend; and the plan, whose values share memory, must have the results of one
    where none do. What rounding explains is no divergence: a kernel may be off by some hundred units in the last place,
    or by eight times what its operations, one by one in their own dtypes, are.

    While `override` replaces kernels of the program, its plan also runs with those, and its results are compared, too.

    Gradients are compared with slopes: differences along one random direction, where there is a slope. Those of
    gradients, and those that a program defines itself, are taken as they are.

    Args:
        x: a pending tensor; or a function or module, which is called with ``args`` and returns pending tensors; or a
            recorded graph, whose inputs are ``args``, arrays in slot order. Missing ones are random.
        args: see ``x``.
        backends: which to check; default: all that can run here.
        script: where to write a small program that shows the first divergence, if there is one. None: nowhere.

    Raises:
        TypeError: ``x`` is none of these, or returns no tensors.
        RuntimeError: nothing is pending, or the program is on several devices, or on one that computes nothing.
        ValueError: a backend that the device does not have.
    """
    if isinstance(x, Graph):
        examined = _of_graph(x, args, _chosen(x, backends))
        return _reported(examined, script)
    return check_recording(recording_of(x, args, "check"), backends, script)


def check_recording(recording: Recording, backends: Sequence[str], script: str | Path | None) -> CheckReport:
    """`check` for a program that is about to be computed; it stays so."""
    recorded = recording.program()
    inputs = with_parts([node.value for node in recording.buffers], list(recording.parts.values()))
    chosen = _chosen(recorded, backends)
    return _reported(Check(recorded, inputs, recording.scalars, chosen, recording.slots_of_parts()), script)


def _reported(examined: Check, script: str | Path | None) -> CheckReport:
    findings = tuple(examined.findings())
    report = CheckReport(len(examined.recorded), findings)
    if report.first is None or script is None or report.first.is_of_edited:
        return report  # a script would run lazygrad's own kernels
    found = smallest(report.first, _shows)
    written = write_script(Path(script), str(report.first), found, report.first.backend)
    return CheckReport(len(examined.recorded), findings, found.operation, written)


def _chosen(recorded: Graph, backends: Sequence[str]) -> Sequence[str]:
    if not is_on_one_device(recorded) or not recorded.roots[0].device.computes:
        raise RuntimeError("check: the program must be on one device, and this must compute")
    targets = {target.name: target for target in device_targets(recorded.roots[0].device)}
    unknown = [name for name in backends if name not in targets]
    if unknown:
        raise ValueError(f"check: no backend {unknown[0]!r} for {recorded.roots[0].device}, only {', '.join(targets)}")
    return backends or [name for name, target in targets.items() if target.missing() is None]


def _of_graph(graph: Graph, arrays: Sequence[Any], backends: Sequence[str]) -> Check:
    leaves = {node["slot"]: node for node in graph.nodes if node.op is buffer}
    inputs: list[Buffer] = random_values([leaves[slot].type for slot in sorted(leaves)])
    for slot, array in enumerate(arrays):
        type = leaves[slot].type
        inputs[slot] = buffer_of(np.ascontiguousarray(array, to_numpy(type.dtype)).reshape(type.shape), type.device)
    numbers: Mapping[int, Node] = {node["slot"]: node for node in graph.nodes if node.op is scalar}
    scalars = [numbers[slot]["value"] if slot in numbers else 0 for slot in range(max(numbers, default=-1) + 1)]
    return Check(graph, inputs, scalars, backends, {})


def _shows(graph: Graph, values: Sequence[np.ndarray], backend: str) -> bool:
    """Whether a graph diverges, too."""
    examined = _of_graph(graph, values, [backend] if backend else [])
    found = examined.findings() if backend else [*examined.passes(), *examined.slopes()]
    return any(finding.diverges for finding in found)
