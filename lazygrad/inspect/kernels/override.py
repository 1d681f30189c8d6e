"""Kernels put back into plans: an edited one runs in place of the original, if it computes the same."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from lazygrad.codegen.editing import EditedKernel
from lazygrad.host.buffer import on_host
from lazygrad.inspect.kernels.extraction import random_values
from lazygrad.inspect.kernels.taken_kernel import TakenKernel
from lazygrad.inspect.tolerance import relative_error, tolerance
from lazygrad.runtime.overriding import Override, edited
from lazygrad.runtime.plan import all_choose_anew
from lazygrad.targets.base import LoweredProgram, Target
from lazygrad.targets.devices import device_targets
from lazygrad.targets.executable import Executable, LoadError


class override:
    """From now on, run an edited kernel in place of the original, wherever plans have a kernel of its structure.

    Such plans run on the edited kernel's backend, and while any kernel is edited all programs are planned at once.
    Plans for ranges of sizes keep their own kernels. As a context manager it ends with the block; `undo` ends it, too.

    Args:
        kernel: one of ``lg.stages(x).kernels``.
        source: a file that `TakenKernel.save` wrote and that was edited since, or its text, or the kernel's functions
            alone.
        target: the backend whose language it is in; default: as the file's name says, and numpy's for text.
        check: whether the edited kernel is run beside the original, on random data, before it is used.

    Raises:
        ValueError: the edited kernel cannot be loaded, fails, computes something else, or there is no such target.
    """

    def __init__(self, kernel: TakenKernel, source: str | Path, target: str | None = None, check: bool = True) -> None:
        is_file = isinstance(source, Path) or "\n" not in source
        path = str(source) if is_file else ""
        text = Path(source).read_text(encoding="utf-8") if is_file else str(source)
        name = target or (kernel.target_of(Path(source)) if is_file else kernel.plan.targets[0].name)
        chosen, program = kernel.target(name), kernel.program(name)
        if name not in [each.name for each in device_targets(kernel.plan.device)]:
            raise ValueError(f"override: this plan is only looked at; {kernel.plan.device} runs nothing by {name}")
        taken = EditedKernel(program.kernels[0].kernel.name, text, kernel.source(name), path)
        if check:
            _check(taken, chosen, program)
        self._name = kernel.name
        self._kernel, self._outer = kernel.lowered.kernel, edited.get(kernel.lowered.kernel)
        edited[self._kernel] = self._edited = Override(name, taken)
        all_choose_anew()

    def undo(self) -> None:
        """Run again what ran before."""
        if edited.get(self._kernel) is self._edited:
            del edited[self._kernel]
            if self._outer is not None:
                edited[self._kernel] = self._outer
            all_choose_anew()

    def __repr__(self) -> str:
        state = "in force" if edited.get(self._kernel) is self._edited else "not in force"
        return f"<override of {self._name} on {self._edited.target}, {state}>"

    def __enter__(self) -> override:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.undo()


def _check(taken: EditedKernel, target: Target[Any], program: LoweredProgram) -> None:
    """Run the original and the edited kernel on the same data."""
    source = target.render(program)
    expected = _results(target.load(source, program), program)
    try:
        changed = target.load(target.edited(source, program, {program.kernels[0].kernel: taken}), program)
    except (LoadError, RuntimeError) as error:  # compilers of devices have errors of their own
        raise ValueError(f"override: {error}") from error
    try:
        found = _results(changed, program)
    except Exception as error:
        raise ValueError(f"override: the edited {taken.name} fails: {type(error).__name__}: {error}") from error
    for node, wanted, got in zip(program.schedule.outputs, expected, found, strict=True):
        error_found, allowed = relative_error(got, wanted), tolerance(node.dtype)
        if error_found > allowed:
            raise ValueError(
                f"override: the edited {taken.name} computes something else than the original: {node.type} is off by "
                f"{error_found:.3g} of its largest element, where {allowed:.3g} is allowed"
            )


def _results(executable: Executable, program: LoweredProgram) -> list[np.ndarray]:
    """What it computes of random data. Memory that it leaves alone has the same contents each time."""
    inputs, outputs = program.schedule.inputs, program.schedule.outputs
    given = random_values([node.type for node in inputs])
    made = random_values([node.type for node in outputs], seed=1)
    numbers = {node["slot"]: node["value"] for node in program.kernels[0].scalars}
    executable.run(given, made, [numbers.get(slot, 0) for slot in range(max(numbers, default=-1) + 1)])
    return [on_host(value, node.type) for value, node in zip(made, outputs, strict=True)]
