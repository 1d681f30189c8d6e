"""Kernels taken out of a plan: saved as programs that run alone, edited, and put back."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from lazygrad.codegen.lower import LoweredKernel
from lazygrad.host.buffer import on_host
from lazygrad.inspect.kernels.extraction import one_step, random_values
from lazygrad.inspect.tolerance import relative_error, tolerance
from lazygrad.runtime.overriding import Edited, edited
from lazygrad.runtime.plan import Plan, all_choose_anew
from lazygrad.targets.base import Executable, LoadError, LoweredProgram, Target


class TakenKernel:
    """A kernel of a plan.

    Attributes:
        plan: the plan.
        step: the number of the step that runs it.
        lowered: the kernel in its own form, and what it is applied to.
    """

    def __init__(self, plan: Plan, step: int, lowered: LoweredKernel) -> None:
        self.plan, self.step, self.lowered = plan, step, lowered

    @property
    def name(self) -> str:
        return self.lowered.kernel.name

    def __str__(self) -> str:
        return str(self.lowered.kernel)

    def __repr__(self) -> str:
        return f"<kernel {self.name} of plan {self.plan.number}, step {self.step}; print it or save it as a program>"

    def target(self, name: str) -> Target[Any]:
        """The target of this name.

        Raises:
            ValueError: the plan's device has none.
        """
        targets = {target.name: target for target in self.plan.targets}
        if name not in targets:
            raise ValueError(f"{self.plan.device} has no backend {name!r}, only {', '.join(targets)}")
        return targets[name]

    def program(self, target: str) -> LoweredProgram:
        """The kernel as a program of its own, under the name that it has in the plan's source for ``target``."""
        name = self.plan.sources[target].functions[self.lowered.kernel]
        return one_step(self.plan.program, self.step, self.lowered, name)

    def source(self, target: str) -> str:
        """A program that runs the kernel on random data of its shapes and times it.

        Raises:
            ValueError: no such target, or it has no such programs.
        """
        try:
            return self.target(target).standalone(self.program(target))
        except LoadError as error:
            raise ValueError(str(error)) from error

    def save(self, path: str | Path, target: str | None = None) -> Path:
        """Write `source` to a file and return its path. A C program says in its first lines how it is compiled.

        Args:
            path: of the file; missing folders are made.
            target: the name of a backend; default: the one whose sources end as ``path`` does.

        Raises:
            ValueError: no target's sources end so, or see `source`.
        """
        file = Path(path)
        text = self.source(target or self._target_of(file))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def _target_of(self, file: Path) -> str:
        found = {target.suffix: target.name for target in self.plan.targets}.get(file.suffix)
        if found is None:
            endings = ", ".join(target.suffix for target in self.plan.targets)
            raise ValueError(f"the name of a kernel's file must end with one of {endings}, not {file.name!r}")
        return found


def taken_kernels(plan: Plan) -> list[TakenKernel]:
    """Those of a plan, in the order in which they run."""
    steps = [number for number, group in enumerate(plan.schedule.steps) if not group.is_library]
    return [TakenKernel(plan, number, kernel) for number, kernel in zip(steps, plan.kernels, strict=True)]


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
        text = Path(source).read_text(encoding="utf-8") if is_file else str(source)
        name = target or (kernel._target_of(Path(source)) if is_file else kernel.plan.targets[0].name)
        if check:
            _check(kernel, kernel.target(name), text)
        self._name = kernel.name
        self._kernel, self._outer = kernel.lowered.kernel, edited.get(kernel.lowered.kernel)
        edited[self._kernel] = self._edited = Edited(kernel.target(name).name, text)
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


def _check(kernel: TakenKernel, target: Target[Any], text: str) -> None:
    """Run the original and the edited kernel on the same data."""
    program = kernel.program(target.name)
    source = target.render(program)
    try:
        changed = target.edited(source, program, {program.kernels[0].kernel: text})
    except LoadError as error:
        raise ValueError(f"override: {error}") from error
    expected = _results(target.load(source, program), program)
    try:
        found = _results(changed, program)
    except Exception as error:
        raise ValueError(f"override: the edited {kernel.name} fails: {type(error).__name__}: {error}") from error
    for node, wanted, got in zip(program.schedule.outputs, expected, found, strict=True):
        error_found, allowed = relative_error(got, wanted), tolerance(node.dtype)
        if error_found > allowed:
            raise ValueError(
                f"override: the edited {kernel.name} computes something else than the original: {node.type} is off by "
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
