"""numpy as a target: what runs a plan first, and says what is wrong with an operand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lazygrad.codegen.editing import NO_EDITS, Edits
from lazygrad.codegen.kernel import Kernel
from lazygrad.ir.polynomial import NotDynamic
from lazygrad.memory.overwriting import MayOverwrite
from lazygrad.targets.base import LoweredProgram, Target
from lazygrad.targets.numpy.code import ClockedNumpyCode, NumpyCode, OpenCode
from lazygrad.targets.numpy.editing import with_edited
from lazygrad.targets.numpy.module import NumpySource, render_module
from lazygrad.targets.numpy.ops import UFUNCS
from lazygrad.targets.numpy.schedule import schedule_blocks
from lazygrad.targets.numpy.source_template import source_template
from lazygrad.targets.numpy.standalone import standalone_module


class NumpyTarget(Target[NumpySource]):
    """Python modules that call numpy on blocks of arrays."""

    name = "numpy"
    suffix = program_suffix = ".py"

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

    def clocked(self, program: LoweredProgram, edits: Edits = NO_EDITS) -> ClockedNumpyCode:
        return ClockedNumpyCode(with_edited(render_module(program, clocked=True), edits), program)

    def edited(self, source: NumpySource, program: LoweredProgram, edits: Edits) -> NumpySource:
        return with_edited(source, edits)

    def standalone(self, program: LoweredProgram, reference: str) -> str:
        return standalone_module(program)

    def opened(self, programs: Sequence[LoweredProgram], sizes: Sequence[int]) -> OpenCode:
        source = render_module(programs[0])
        blocks = [schedule_blocks(kernel) for kernel in source.kernels]
        try:
            texts = [render_module(program, blocks=blocks).text for program in programs]
        except IndexError as error:
            raise NotDynamic(f"the plans for {min(sizes)} and {max(sizes)} have other kernels") from error
        template = source_template(texts, sizes)
        code = NumpyCode(replace(source, text=template.text), programs[0])
        return OpenCode(code, template.text, template.values)
