"""Kernels taken out of a plan, and saved as programs that run alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lazygrad.codegen.lower import LoweredKernel
from lazygrad.inspect.kernels.extraction import one_step
from lazygrad.runtime.overriding import override_words
from lazygrad.runtime.plan import Plan
from lazygrad.targets.base import LoweredProgram, Target
from lazygrad.targets.devices import target_called
from lazygrad.targets.executable import LoadError


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

    @property
    def overridden(self) -> str:
        """What runs in its place, in words; empty while it runs itself."""
        return override_words(self.lowered.kernel)

    def __str__(self) -> str:
        return "\n".join([*([f"# {words}"] if (words := self.overridden) else []), str(self.lowered.kernel)])

    def __repr__(self) -> str:
        words = self.overridden
        said = words or "print it or save it as a program"
        return f"<kernel {self.name} of plan {self.plan.number}, step {self.step}; {said}>"

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
        name = self.plan.sources[target].functions.get(self.lowered.kernel, self.name)
        return one_step(self.plan.program, self.step, self.lowered, name)

    def source(self, target: str) -> str:
        """A program that runs the kernel on random data of its shapes and times it.

        Of an overridden kernel it is the original.

        Raises:
            ValueError: no such target, or it has no such programs.
        """
        chosen, program = self.target(target), self.program(target)
        try:
            return chosen.standalone(program, target_called("numpy").render(program).text)
        except LoadError as error:
            raise ValueError(str(error)) from error

    def save(self, path: str | Path, target: str | None = None) -> Path:
        """Write `source` to a file and return its path. A C program says in its first lines how it is compiled; a CUDA
        kernel is in a Python program, which launches it by cupy.

        Args:
            path: of the file; missing folders are made.
            target: the name of a backend; default: the one whose sources end as ``path`` does.

        Raises:
            ValueError: no target's sources end so, or see `source`.
        """
        file = Path(path)
        text = self.source(target or self.target_of(file))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def target_of(self, file: Path) -> str:
        """The target whose programs end as the name of a file does.

        Raises:
            ValueError: there is none.
        """
        endings = {target.program_suffix: target.name for target in self.plan.targets if target.program_suffix}
        found = endings.get(file.suffix)
        if found is None:
            raise ValueError(
                f"the name of a kernel's file must end with one of {', '.join(endings)}, not {file.name!r}"
            )
        return found


def taken_kernels(plan: Plan) -> list[TakenKernel]:
    """Those of a plan, in the order in which they run."""
    steps = [number for number, group in enumerate(plan.schedule.steps) if not group.is_library]
    return [TakenKernel(plan, number, kernel) for number, kernel in zip(steps, plan.kernels, strict=True)]
