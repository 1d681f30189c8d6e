"""Lowering: from a fused group of nodes to the kernel form."""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.codegen.kernel import Instruction, Kernel, Literal, Load, Operand, RuntimeScalar
from lazygrad.codegen.naming import kernel_comment, kernel_name
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import View
from lazygrad.passes.fuse import Group
from lazygrad.passes.fusion_legality import Axes, Domain, span_of
from lazygrad.passes.schedule import Schedule
from lazygrad.passes.views import view_of


@dataclass(slots=True)
class LoweredKernel:
    """A kernel and what one call of it is applied to.

    Attributes:
        kernel: the structure; equal structures share their source.
        arguments: the view nodes it loads, in the order of ``kernel.loads``.
        scalars: runtime scalar nodes, in the order of the kernel's parameters.
        outputs: the stored nodes, in the order of ``kernel.stores``.
    """

    kernel: Kernel
    arguments: list[Node]
    scalars: list[Node]
    outputs: list[Node]


def lower_plan(plan: Schedule) -> tuple[LoweredKernel, ...]:
    """The kernels of a schedule, one per step that is not a library call, in order."""
    stored = plan.stored
    return tuple([lower_group(group, stored) for group in plan.steps if not group.is_library])


def lower_group(group: Group, stored: set[Node]) -> LoweredKernel:
    """The kernel of a group.

    Args:
        group: a fused group that is not a library call.
        stored: the nodes that something outside their group reads.
    """
    return _Lowering(group, stored).run()


class _Lowering:
    def __init__(self, group: Group, stored: set[Node]) -> None:
        assert group.domain is not None
        self.group, self.domain = group, group.domain
        self.outputs = [node for node in group.nodes if node in stored]
        self.members = set(group.nodes)
        self.arguments: list[Node] = []
        self.views: list[View] = []
        self.value_of: dict[Node, int] = {}
        self.scalars: list[Node] = []

    def run(self) -> LoweredKernel:
        self._collect_loads()
        instructions = []
        for number, node in enumerate(self.group.nodes, len(self.arguments)):
            operands = tuple(self._operand(source) for source in node.inputs)
            instructions.append(Instruction(node.op, operands, node.dtype, span_of(node, self.domain)))
            self.value_of[node] = number
        sizes, row_axes, column_axes, loads = _merge_axes(self.domain, self.arguments, self.views)
        kernel = Kernel(
            sizes,
            row_axes,
            column_axes,
            loads,
            tuple(instructions),
            tuple(self.value_of[node] for node in self.outputs),
            len(self.scalars),
            self.group.needs_whole_row,
            kernel_name(self.group.nodes),
            kernel_comment(self.group.nodes),
        )
        return LoweredKernel(kernel, self.arguments, self.scalars, self.outputs)

    def _collect_loads(self) -> None:
        seen: dict[tuple[Node, View], int] = {}
        for node in self.group.nodes:
            for source in node.inputs:
                base, view = view_of(source)
                if base in self.members or base.op in (constant, scalar) or source in self.value_of:
                    continue
                number = seen.setdefault((base, view), len(self.arguments))
                if number == len(self.arguments):
                    self.arguments.append(source)
                    self.views.append(view)
                self.value_of[source] = number

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


def _merge_axes(domain: Domain, arguments: list[Node], views: list[View]) -> tuple[Shape, Axes, Axes, tuple[Load, ...]]:
    """Drop size-1 axes and merge neighbours that every load walks as one."""
    rank = len(domain.shape)
    sizes = [_aligned(node.shape, rank, 1) for node in arguments]
    strides = [
        tuple(0 if size == 1 else stride for size, stride in zip(shape, _aligned(view.strides, rank, 0), strict=True))
        for shape, view in zip(sizes, views, strict=True)
    ]
    runs: list[list[int]] = []
    for axis in range(rank):
        if domain.shape[axis] == 1:
            continue
        if runs and _mergeable(runs[-1][-1], axis, domain, sizes, strides):
            runs[-1].append(axis)
        else:
            runs.append([axis])
    merged = tuple(_product(domain.shape, run) for run in runs)
    row_axes = frozenset(i for i, run in enumerate(runs) if run[0] in domain.row_axes)
    column_axes = frozenset(i for i, run in enumerate(runs) if run[0] in domain.column_axes)
    loads = tuple(
        Load(
            node.dtype,
            tuple(_product(size, run) for run in runs),
            tuple(stride[run[-1]] for run in runs),
            view.offset,
        )
        for node, view, size, stride in zip(arguments, views, sizes, strides, strict=True)
    )
    return merged, row_axes, column_axes, loads


def _aligned(values: tuple[int, ...], rank: int, fill: int) -> tuple[int, ...]:
    return (fill,) * (rank - len(values)) + values


def _product(sizes: tuple[int, ...], axes: list[int]) -> int:
    total = 1
    for axis in axes:
        total *= sizes[axis]
    return total


def _mergeable(outer: int, inner: int, domain: Domain, sizes: list[Shape], strides: list[tuple[int, ...]]) -> bool:
    if any((outer in axes) != (inner in axes) for axes in (domain.row_axes, domain.column_axes)):
        return False
    if any((size[outer] == 1) != (size[inner] == 1) for size in sizes):
        return False  # one axis expanded by a view, the other broadcast by the kernel: no size would fit both
    return all(stride[outer] == stride[inner] * domain.shape[inner] for stride in strides)
