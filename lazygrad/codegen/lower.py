"""Lowering: from a fused group of nodes to the kernel form."""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.codegen.axes import Access, merge_axes
from lazygrad.codegen.kernel import Instruction, Kernel, Literal, Load, Operand, RuntimeScalar, Store
from lazygrad.codegen.naming import kernel_comment, kernel_name
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.indexing import pad
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.view import View
from lazygrad.passes.fuse import Group
from lazygrad.passes.fusion_legality import span_of
from lazygrad.passes.schedule import Schedule
from lazygrad.passes.views import view_of


@dataclass(slots=True)
class LoweredKernel:
    """A kernel and what one call of it is applied to.

    Attributes:
        kernel: the structure; equal structures share their source.
        arguments: the view nodes it loads, in the order of ``kernel.loads``; of a masked load, what lies inside.
        scalars: runtime scalar nodes, in the order of the kernel's parameters.
        outputs: the stored nodes, in the order of ``kernel.stores``.
        computed: the nodes that its instructions compute, in the order of ``kernel.instructions``.
    """

    kernel: Kernel
    arguments: list[Node]
    scalars: list[Node]
    outputs: list[Node]
    computed: list[Node]


def lower(schedule: Schedule) -> tuple[LoweredKernel, ...]:
    """The kernels of a schedule, one per step that is not a library call, in order."""
    return tuple([_Lowering(group, schedule).run() for group in schedule.steps if not group.is_library])


class _Lowering:
    def __init__(self, group: Group, schedule: Schedule) -> None:
        assert group.domain is not None
        self.group, self.domain, self.schedule = group, group.domain, schedule
        self.outputs = [node for node in group.nodes if node in schedule.stored]
        self.members = set(group.nodes)
        self.arguments: list[Node] = []
        self.reads: list[_Read] = []
        self.value_of: dict[Node, int] = {}
        self.scalars: list[Node] = []
        self.computed: list[Node] = []

    def run(self) -> LoweredKernel:
        self._collect_loads()
        instructions = self._instructions()
        fills = [None if read.fill is None else self._operand(read.fill) for read in self.reads]
        written = [self.schedule.memory_of(node)[1] for node in self.outputs]
        accesses = [read.access() for read in self.reads]
        axes = merge_axes(self.domain, accesses + [Access(view.shape, view.strides) for view in written])
        loads = [
            Load(read.base.dtype, access.sizes, access.strides, access.offset, access.inside, fill)
            for read, access, fill in zip(self.reads, axes.accesses, fills, strict=False)
        ]
        stores = [
            Store(self.value_of[node], access.strides)
            for node, access in zip(self.outputs, axes.accesses[len(loads) :], strict=True)
        ]
        kernel = Kernel(
            axes.sizes,
            axes.row_axes,
            axes.column_axes,
            tuple(loads),
            tuple(instructions),
            tuple(stores),
            len(self.scalars),
            self.group.needs_whole_row,
            kernel_name(self.group.nodes),
            kernel_comment(self.group.nodes),
        )
        return LoweredKernel(kernel, self.arguments, self.scalars, self.outputs, self.computed)

    def _instructions(self) -> list[Instruction]:
        instructions: list[Instruction] = []
        for node in self.group.nodes:
            if node.op is not pad:
                op, operands = node.op, tuple([self._operand(source) for source in node.inputs])
            elif node in self.outputs:
                op, operands = ew.contiguous, (self.value_of[node],)
            else:
                continue  # a masked load is all of it
            self.value_of[node] = len(self.reads) + len(instructions)
            self.computed.append(node)
            attrs = node.attrs if op is ew.require else ()
            instructions.append(Instruction(op, operands, node.dtype, span_of(node, self.domain), attrs))
        return instructions

    def _collect_loads(self) -> None:
        numbers: dict[_Read, int] = {}
        for node in self.group.nodes:
            for source in node.inputs:
                masked = node.op is pad and source is node.inputs[0]
                base, view = view_of(source)
                if base in self.members or base.op in (constant, scalar) or (not masked and source in self.value_of):
                    continue
                read = _Read(base, view, *((node.attrs, node.inputs[1]) if masked else ()))
                number = self.value_of[node if masked else source] = numbers.setdefault(read, len(self.arguments))
                if number == len(self.arguments):
                    self.arguments.append(source)
        self.reads = list(numbers)

    def _operand(self, source: Node) -> Operand:
        if source in self.value_of:
            return self.value_of[source]
        base, _ = view_of(source)
        if base.op is constant:
            return Literal(base["value"], base.dtype)
        if base.op is scalar:
            if base not in self.scalars:
                self.scalars.append(base)
            return RuntimeScalar(self.scalars.index(base), base.dtype)
        return self.value_of[base]


@dataclass(frozen=True, slots=True)
class _Read:
    """One array a group loads.

    Attributes:
        base, view: what is read.
        padding: for a masked load, how much lies before and after it along each axis.
        fill: and what is there.
    """

    base: Node
    view: View
    padding: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    fill: Node | None = None

    def access(self) -> Access:
        shape, strides, offset = self.view.shape, self.view.strides, self.view.offset
        if self.padding is None:
            return Access(shape, strides, offset)
        before, after = self.padding
        sizes = tuple([low + size + high for low, size, high in zip(before, shape, after, strict=True)])
        offset -= sum([low * stride for low, stride in zip(before, strides, strict=True)])
        return Access(sizes, strides, offset, tuple([(low, low + n) for low, n in zip(before, shape, strict=True)]))
