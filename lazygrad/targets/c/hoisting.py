"""What a C kernel does once before its innermost loop rather than in it."""

from __future__ import annotations

from functools import partial

from lazygrad.codegen.clike.passes import RowPass
from lazygrad.codegen.clike.statements import Statements
from lazygrad.codegen.kernel import Operand
from lazygrad.ir.dtype import complex64, complex128, float64
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.passes.fusion_legality import Span
from lazygrad.targets.c.facts import NestFacts

_DIVIDED = (float64, complex64, complex128)  # by the machine, or by complex.h


class Hoisting:
    """Renders through ``statements`` what goes before the innermost loop of a pass."""

    def __init__(self, facts: NestFacts, statements: Statements) -> None:
        self.facts, self.kernel, self.statements = facts, facts.kernel, statements

    def loads(self, row_pass: RowPass) -> None:
        """What does not change along the vectorized axis is read before its loop: stores could alias it."""
        for value in (*row_pass.computed, *row_pass.reductions):
            for operand in self.facts.instruction(value).operands:
                if not isinstance(operand, int) or not self.kernel.is_load(operand) or operand in self.statements.known:
                    continue
                if not self.kernel.loads[operand].varies_along(self.facts.vector):
                    self.statements.load(operand)

    def divisors(self, row_pass: RowPass) -> None:
        """What divides every element of the innermost loop is prepared once, before it."""
        for value in row_pass.computed:
            instruction = self.facts.instruction(value)
            if instruction.op is not ew.div or instruction.dtype in _DIVIDED or value in self.statements.prepared:
                continue
            divisor = instruction.operands[1]
            if self._is_uniform(divisor):
                self.statements.out.add(
                    f"const divisor divisor{value} = lg_divisor({self.statements.operand(divisor)});"
                )
                self.statements.prepared[value] = partial(_quotient, f"divisor{value}")

    def _is_uniform(self, operand: Operand) -> bool:
        """Whether an operand is the same for all elements of the innermost loop."""
        if not isinstance(operand, int):
            return True
        is_same = self.kernel.is_load(operand) or self.kernel.span_of(operand) is not Span.FULL
        return operand in self.statements.known and is_same


def _quotient(divisor: str, operands: list[str]) -> str:
    return f"lg_divide_f32({operands[0]}, {divisor})"
