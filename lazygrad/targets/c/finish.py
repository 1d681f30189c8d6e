"""The second function of a C kernel with split reductions: it combines the chunks' totals in order."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from lazygrad.codegen.clike.places import Places
from lazygrad.codegen.clike.reductions import combined, identity
from lazygrad.codegen.clike.statements import Statements
from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.passes.fusion_legality import Span
from lazygrad.targets.c.facts import NestFacts
from lazygrad.targets.c.loops import LoopShape


@dataclass(frozen=True, slots=True)
class Finish:
    """What finishes the reductions of one span.

    Attributes:
        span: the word in the function's name.
        extent: how many elements it finishes.
        body: of the function that finishes elements ``begin`` to ``end``.
    """

    span: str
    extent: int
    body: list[Code]


def finishes(facts: NestFacts) -> list[Finish]:
    """The finishing functions of a kernel: none, or one per span of its split reductions."""
    found = []
    for span in (Span.ROW, Span.COLUMN):
        split = [value for value in sorted(facts.nest.split) if facts.kernel.span_of(value) is span]
        if split:
            extent = prod(facts.kernel.sizes_of(split[0]))
            found.append(Finish(span.value, extent, code_lines(_Finish(facts).run(span, split))))
    return found


class _Finish:
    def __init__(self, facts: NestFacts) -> None:
        self.facts, self.kernel, self.nest = facts, facts.kernel, facts.nest
        self.statements = Statements(facts, Places(facts))
        self.out = self.statements.out

    def run(self, span: Span, split: list[int]) -> list[str]:
        sizes = self.kernel.sizes_of(split[0])
        self.statements.begin_refusals()
        with self.out.block("for (i64 element = begin; element < end; element++)"):
            self._decode(sizes)
            for value in split:
                self._total(value)
            if span is Span.ROW and self.nest.shape is LoopShape.SPLIT:
                self._following_row_values()
        self.statements.report_refusals()
        return self.out.lines

    def _decode(self, sizes: tuple[int, ...]) -> None:
        step, lines = 1, []
        for axis in reversed(range(len(sizes))):
            if sizes[axis] != 1:
                lines.append(f"const i64 i{axis} = element / {step} % {sizes[axis]};")
                step *= max(sizes[axis], 1)
        self.out.add(*reversed(lines))

    def _total(self, value: int) -> None:
        facts, dialect = self.facts, self.facts.dialect
        op, wide, kind = facts.instruction(value).op, facts.wide_dtype(value), facts.total_type(value)
        part = f"((const {kind} *)(totals + chunk * {facts.totals_stride} + {facts.total_offsets[value]}))[element]"
        start = dialect.register_type(wide) if wide.differentiable else kind
        self.out.add(f"{start} total{value} = {identity(dialect, op, wide)};")
        with self.out.block(f"for (i64 chunk = 0; chunk < {self.nest.chunks}; chunk++)"):
            self.out.add(f"total{value} = {combined(dialect, op, wide, f'total{value}', part)};")
        self.statements.row_value(value, f"total{value}")

    def _following_row_values(self) -> None:
        for value in self.kernel.values:
            if self.kernel.span_of(value) is Span.ROW and value not in self.nest.split:
                self.statements.row_value(value, f"total{value}")
