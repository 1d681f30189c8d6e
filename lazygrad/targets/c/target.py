"""C as a target: what takes over from numpy when a compiler has made it ready.

What only compiling needs is imported where it is used: a program that ends before does without it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lazygrad.codegen.editing import NO_EDITS, Edits
from lazygrad.codegen.kernel import Kernel
from lazygrad.ir.op import Kind, Op
from lazygrad.memory.overwriting import MayOverwrite
from lazygrad.targets.base import LoweredProgram, Missing, Target
from lazygrad.targets.c.facts import pass_plan
from lazygrad.targets.c.library_functions import ATTRIBUTES
from lazygrad.targets.c.loops import plan_loops

if TYPE_CHECKING:
    from lazygrad.targets.c.code import CCode, ClockedCCode
    from lazygrad.targets.c.module import CSource

_INSTALL = "install gcc >= 12 or clang >= 16, or set CC to the one to use; `python -m lazygrad doctor` says more"


class CTarget(Target["CSource"]):
    """One translation unit per plan, compiled for this processor."""

    name = "c"
    suffix = program_suffix = ".c"
    compiles = True

    def missing(self) -> Missing | None:
        """A C compiler that works. That there is none at all is no surprise, unless ``CC`` names one."""
        from lazygrad.targets.c.toolchain import NOT_FOUND, search

        found = search()
        if found.toolchain is not None:
            return None
        broken = {
            name: reason for name, reason in found.failures.items() if reason != NOT_FOUND or os.environ.get("CC")
        }
        warning = f"no C compiler works, so everything runs on numpy ({_listed(broken)}): {_INSTALL}"
        return Missing(
            f"the C backend needs a C compiler, and none works ({_listed(found.failures)}): {_INSTALL}",
            warning if broken else None,
        )

    def serves(self, op: Op) -> bool:
        return op in ATTRIBUTES

    def overwriting(self, kernel: Kernel) -> MayOverwrite:
        """A row is walked again for what waits for a reduction: a load may be read in a later pass than a store's."""
        if all(instruction.op.kind is not Kind.REDUCTION for instruction in kernel.instructions):
            return lambda store, load: True
        passes = pass_plan(kernel, plan_loops(kernel))
        return lambda store, load: passes.last_read(load, kernel) <= passes.pass_of_store(store)

    def render(self, program: LoweredProgram) -> CSource:
        from lazygrad.targets.c.module import render_c_module

        return render_c_module(program)

    def load(self, source: CSource, program: LoweredProgram) -> CCode:
        from lazygrad.targets.c.code import CCode

        return CCode(source, program)

    def edited(self, source: CSource, program: LoweredProgram, edits: Edits) -> CSource:
        from lazygrad.targets.c.standalone import with_edited

        return with_edited(source, edits)

    def standalone(self, program: LoweredProgram, reference: str) -> str:
        from lazygrad.targets.c.standalone import standalone_unit

        return standalone_unit(program)

    def clocked(self, program: LoweredProgram, edits: Edits = NO_EDITS) -> ClockedCCode:
        from lazygrad.targets.c.code import ClockedCCode
        from lazygrad.targets.c.module import render_c_module
        from lazygrad.targets.c.standalone import with_edited

        return ClockedCCode(with_edited(render_c_module(program, clocked=True), edits), program)


def _listed(failures: dict[str, str]) -> str:
    return "; ".join(f"{name}: {reason}" for name, reason in failures.items())
