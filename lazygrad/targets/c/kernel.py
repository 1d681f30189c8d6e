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
        parameters: their common declarations, loads first.
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
    text = render(
        "kernel.c.j2",
        name=name,
        sizes=kernel.sizes,
        places=kernel.comment,
        parameters=code_lines(facts.parameters),
        arguments=[parameter.rpartition(" ")[2].lstrip("*") for parameter in facts.parameters],
        body=code_lines(unit_loops(facts)),
        finishes=finishes(facts),
        extent=nest.extent,
        grain=max(1, _SHARE_WORK // max(1, nest.work // max(1, nest.extent))),
        chunks=nest.chunks if nest.split else 0,
        totals_stride=facts.totals_stride,
        refuses=may_refuse,
    )
    totals = facts.totals_stride * nest.chunks if nest.split else 0
    return CKernel(name, text, tuple(facts.parameters), nest, facts.passes, totals, may_refuse)
