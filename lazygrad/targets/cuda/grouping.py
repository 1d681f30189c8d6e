"""Kernels with one body over many arrays, in one launch: the updates of an optimizer's parameters.

The addresses and sizes of all arrays are a table that is handed over by value. Each block looks up which arrays it
works on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod

from lazygrad.codegen.clike.statements import refuses
from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.node import Node
from lazygrad.memory.slots import Place
from lazygrad.passes.fusion_legality import Span
from lazygrad.passes.views import view_of
from lazygrad.targets.cuda.facts import CudaFacts, used_scalars
from lazygrad.targets.cuda.kernel import Walk
from lazygrad.targets.cuda.nest import Team, Variant, plan_nest
from lazygrad.targets.cuda.table import Address, Parameter, Table
from lazygrad.targets.cuda.teams import Teams
from lazygrad.targets.cuda.templates import render
from lazygrad.targets.cuda.writer import Writer, number_of

_PARAMETER_BYTES = 4096  # that a launch may take
_BLOCK = 256
_MOST_BLOCKS = 1 << 12  # of one member


@dataclass(frozen=True, slots=True)
class Member:
    """A kernel that may share a launch: elementwise, over arrays that it walks from one end to the other.

    Attributes:
        call: the kernel and its operands.
        key: the kernel over three packets, which is the same for all of one body, and its runtime scalars.
        loads, stores: where its arrays lie.
    """

    call: LoweredKernel
    key: tuple[Variant, tuple[Node, ...]]
    loads: tuple[Address, ...]
    stores: tuple[Address, ...]

    @property
    def elements(self) -> int:
        return prod(self.call.kernel.sizes)


def member_of(writer: Writer, call: LoweredKernel) -> Member | None:
    """The kernel as a member of a group, or None where it has rows, strides or operands that it may refuse."""
    kernel = call.kernel
    if len(kernel.sizes) != 1 or not kernel.sizes[0] or any(i.span is not Span.FULL for i in kernel.instructions):
        return None
    if any(load.inside or load.offset or load.strides not in ((1,), (0,)) for load in kernel.loads):
        return None
    if any(store.strides != (1,) for store in kernel.stores):
        return None
    loads = tuple(writer.address(view_of(node)[0]) for node in call.arguments)
    stores = tuple(writer.address(node) for node in call.outputs)
    if any(store.place is not Place.OUTPUT for store in stores):
        return None
    width = plan_nest(Variant(kernel, (True,) * len(loads), (True,) * len(stores))).width
    length = 3 * width  # of three packets the width is this one and no larger
    sizes = tuple(1 if load.strides == (0,) else length for load in kernel.loads)
    body = replace(
        kernel,
        sizes=(length,),
        loads=tuple(replace(load, sizes=(size,)) for load, size in zip(kernel.loads, sizes, strict=True)),
    )
    variant = Variant(body, (True,) * len(loads), (True,) * len(stores))
    if refuses(CudaFacts(variant, plan_nest(variant))):
        return None
    if any(address.offset % 16 for address in (*loads, *stores)):
        return None
    return Member(call, (variant, tuple(call.scalars)), loads, stores)


def are_independent(members: Sequence[Member], other: Member) -> bool:
    """Whether no order between a kernel and some others is asked for: they share nothing but numbers.

    An output may lie over an input that its own kernel reads, and no other one.
    """
    walked, read = _walked(other), set(other.loads)
    return all(
        read.isdisjoint([*member.stores, *_walked(member)]) and walked.isdisjoint(member.loads) for member in members
    )


def _walked(member: Member) -> set[Address]:
    """The inputs that an output may lie over."""
    return {
        address
        for address, load in zip(member.loads, member.call.kernel.loads, strict=True)
        if load.strides == (1,) or member.elements == 1
    }


def write_group(writer: Writer, members: Sequence[Member]) -> None:
    """Launch members of one key together, as many at a time as the table of their addresses has room for."""
    (variant, scalars), first = members[0].key, members[0]
    columns = len(first.loads) + len(first.stores) + 2
    room = (_PARAMETER_BYTES - 16 * max(1, len(scalars))) // (8 * columns)
    for begin in range(0, len(members), room):
        _write(writer, variant, scalars, members[begin : begin + room])


def _write(writer: Writer, variant: Variant, scalars: tuple[Node, ...], members: Sequence[Member]) -> None:
    name, used = _rendered(writer, variant, len(members), members[0].call.kernel)
    width, blocks = plan_nest(variant).width, 0
    table: list[Address | int] = []
    for member in members:
        packets = member.elements // width
        table += [*member.loads, *member.stores, packets, blocks]
        blocks += min(_MOST_BLOCKS, -(-packets // _BLOCK))
    numbers: list[Parameter] = [parameter for index in used for parameter in number_of(scalars[index])]
    writer.launch(name, blocks, _BLOCK, [Table((*table, blocks)), *numbers])


def _rendered(writer: Writer, variant: Variant, count: int, kernel: Kernel) -> tuple[str, tuple[int, ...]]:
    facts = CudaFacts(variant, plan_nest(variant))
    used = tuple(used_scalars(facts))
    key = ("group", variant, count)

    def make(name: str) -> Code:
        arrays = len(variant.kernel.loads) + len(variant.kernel.stores)
        parameters = facts.parameters
        return render(
            "group.cu.j2",
            name=name,
            places=kernel.comment,
            count=count,
            columns=arrays + 2,
            arrays=code_lines(
                [f"{text} = ({text.rpartition('*')[0]}*)own[{i}]" for i, text in enumerate(parameters[:arrays])]
            ),
            table=Code(f"const {name}_table table"),
            parameters=code_lines(parameters[arrays:]),
            block=_BLOCK,
            body=code_lines(_GroupWalk(facts).run(name)),
        )

    return writer.function(key, f"{kernel.name}_of_many", make), used


class _GroupTeams(Teams):
    """A block walks its member's packets."""

    @contextmanager
    def each_packet(self) -> Iterator[None]:
        assert self.nest.team is Team.GRID
        first = f"(blockIdx.x - first_block) * {_BLOCK} + threadIdx.x"
        with self.out.block(f"for (i64 packet = {first}; packet < packets; packet += blocks * {_BLOCK})"):
            yield


class _GroupWalk(Walk):
    teams_class = _GroupTeams
