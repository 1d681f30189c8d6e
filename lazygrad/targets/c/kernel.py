"""Renders one kernel as C functions: its loops over a range of units, and the call that a team of threads shares."""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.codegen.clike.passes import PassPlan
from lazygrad.codegen.clike.statements import refuses
from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.codegen.kernel import Kernel
from lazygrad.targets.c.facts import NestFacts
from lazygrad.targets.c.finish import finishes
from lazygrad.targets.c.loops import LoopNest, plan_loops
from lazygrad.targets.c.templates import render
from lazygrad.targets.c.units import unit_loops

SERIAL_WORK = 1 << 16  # scalar operations below which a second thread does not pay
_SHARE_WORK = 1 << 14  # the least work worth handing to a thread


@dataclass(frozen=True, slots=True)
class CKernel:
    """Source of one kernel and how to call it.

    Attributes:
        name: of the function the driver calls: ``name(team, loads…, outputs…, scalars…, [totals], [refused])``.
        source: the functions.
        parameters: their common declarations, loads first, and last a pointer each to totals and to where it refuses.
        nest, passes: the loops.
        totals_bytes: scratch memory for the totals of split reductions.
        refuses: it takes a pointer through which it reports a refused operand.
        is_serial: too little work for a second thread.
    """

    name: str
    source: Code
    parameters: tuple[str, ...]
    nest: LoopNest
    passes: PassPlan
    totals_bytes: int
    refuses: bool

    @property
    def is_serial(self) -> bool:
        return self.nest.work < SERIAL_WORK


def render_c_kernel(kernel: Kernel, name: str) -> CKernel:
    """The C source of ``kernel`` as a function called ``name``."""
    nest = plan_loops(kernel)
    facts = NestFacts(kernel, nest)
    may_refuse = refuses(facts)
    parameters = [
        *facts.parameters,
        *(["char *totals"] if nest.split else []),
        *(["i32 *refused"] if may_refuse else []),
    ]
    arguments = [parameter.rpartition(" ")[2].lstrip("*") for parameter in parameters]
    text = render(
        "kernel.c.j2",
        name=name,
        sizes=kernel.sizes,
        places=kernel.comment,
        parameters=code_lines(parameters),
        arguments=code_lines(arguments),
        passed_on=code_lines([f"with->{argument}" for argument in arguments]),
        of_chunk=code_lines([_of_chunk(argument, facts.totals_stride) for argument in arguments]),
        body=code_lines(unit_loops(facts)),
        finishes=finishes(facts),
        extent=nest.extent,
        grain=max(1, _SHARE_WORK // max(1, nest.work // max(1, nest.extent))),
        chunks=nest.chunks if nest.split else 0,
    )
    totals = facts.totals_stride * nest.chunks if nest.split else 0
    return CKernel(name, text, tuple(parameters), nest, facts.passes, totals, may_refuse)


def _of_chunk(argument: str, stride: int) -> str:
    """What is passed on for one chunk: totals of its own."""
    return f"with->totals + chunk * {stride}" if argument == "totals" else f"with->{argument}"
