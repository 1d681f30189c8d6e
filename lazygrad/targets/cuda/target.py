"""CUDA as a target: one program per plan, compiled for the device that it runs on."""

from __future__ import annotations

from lazygrad.codegen.editing import NO_EDITS, Edits
from lazygrad.codegen.kernel import Kernel
from lazygrad.host.allocator import allocator_of
from lazygrad.ir.op import Kind, Op
from lazygrad.memory.overwriting import MayOverwrite
from lazygrad.passes.fusion_legality import Span
from lazygrad.targets.base import LoweredProgram, Target
from lazygrad.targets.cuda.allocator import CudaAllocator
from lazygrad.targets.cuda.clocked import ClockedCudaCode
from lazygrad.targets.cuda.executable import CudaCode
from lazygrad.targets.cuda.library import serves
from lazygrad.targets.cuda.module import CudaSource, render_cuda_module
from lazygrad.targets.cuda.nest import Variant, pass_plan, plan_nest
from lazygrad.targets.cuda.ordered_sums import OrderedOnDemand
from lazygrad.targets.cuda.standalone import standalone_program
from lazygrad.targets.executable import Executable


class CudaTarget(Target[CudaSource]):
    """Kernels in CUDA C++, products by the device's library."""

    name = "cuda"
    suffix, program_suffix = ".cu", ".py"

    def serves(self, op: Op) -> bool:
        return serves(op)

    def overwriting(self, kernel: Kernel) -> MayOverwrite:
        """A thread reads an element of a full value before it writes the one at its index, in passes as C does. What
        belongs to a whole row is read by all threads of a team, and not at the same time."""
        if all(instruction.op.kind is not Kind.REDUCTION for instruction in kernel.instructions):
            has_rows = any(instruction.span is not Span.FULL for instruction in kernel.instructions)
            return lambda store, load: not has_rows
        aligned = Variant(kernel, (True,) * len(kernel.loads), (True,) * len(kernel.stores))
        passes = pass_plan(kernel, plan_nest(aligned))

        def may_overwrite(store: int, load: int) -> bool:
            is_full = kernel.span_of(kernel.stores[store].value) is Span.FULL
            is_full = is_full and kernel.loads[load].sizes == kernel.sizes
            return is_full and passes.last_read(load, kernel) <= passes.pass_of_store(store)

        return may_overwrite

    def render(self, program: LoweredProgram) -> CudaSource:
        """Raises NoCudaForm where an operation has none."""
        return render_cuda_module(program)

    def load(self, source: CudaSource, program: LoweredProgram) -> Executable:
        if source.is_ordered is None:
            return self.code(source, program)
        return OrderedOnDemand(
            source, lambda: self.edited(source, program, source.edits), lambda source: self.code(source, program)
        )

    def code(self, source: CudaSource, program: LoweredProgram) -> Executable:
        """A program on the device of its memory."""
        return CudaCode(source, program, _memory(program))

    def edited(self, source: CudaSource, program: LoweredProgram, edits: Edits) -> CudaSource:
        return render_cuda_module(program, edits=edits)

    def standalone(self, program: LoweredProgram, reference: str) -> str:
        return standalone_program(program, reference)

    def clocked(self, program: LoweredProgram, edits: Edits = NO_EDITS) -> ClockedCudaCode:
        return ClockedCudaCode(render_cuda_module(program, edits=edits), program, _memory(program))


def _memory(program: LoweredProgram) -> CudaAllocator:
    nodes = program.schedule.outputs or program.schedule.inputs
    memory = allocator_of(nodes[0].device)
    assert isinstance(memory, CudaAllocator)
    return memory
