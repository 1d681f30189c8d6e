"""numpy as a target: what runs a plan first, and says what is wrong with an operand."""

from __future__ import annotations

from lazygrad.codegen.kernel import Kernel
from lazygrad.memory.overwriting import MayOverwrite
from lazygrad.targets.base import LoweredProgram, Target
from lazygrad.targets.numpy.code import NumpyCode
from lazygrad.targets.numpy.module import NumpySource, render_module
from lazygrad.targets.numpy.ops import UFUNCS


class NumpyTarget(Target[NumpySource]):
    """Python modules that call numpy on blocks of arrays."""

    name = "numpy"
    suffix = ".py"

    def overwriting(self, kernel: Kernel) -> MayOverwrite:
        """A ufunc may write over its own operand; what takes several calls may not."""

        def may_overwrite(store: int, load: int) -> bool:
            stored = kernel.instructions[kernel.stores[store].value - len(kernel.loads)]
            return stored.op in UFUNCS or load not in stored.operands

        return may_overwrite

    def render(self, program: LoweredProgram) -> NumpySource:
        return render_module(program)

    def load(self, source: NumpySource, program: LoweredProgram) -> NumpyCode:
        return NumpyCode(source, program)
