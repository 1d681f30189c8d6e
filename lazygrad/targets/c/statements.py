"""Statements of a C kernel: loads, operations, stores, and what is said about values already computed."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.codegen.kernel import Instruction, Literal, Load, Operand
from lazygrad.ir.dtype import DType
from lazygrad.ir.op import Refusal
from lazygrad.targets.c import ops as c_ops
from lazygrad.targets.c.facts import KernelFacts
from lazygrad.targets.c.lines import Lines
from lazygrad.targets.c.loops import STAGED_TILE
from lazygrad.targets.c.types import literal, loaded, rounded, stored


def refusal(facts: KernelFacts, value: int, operands: list[str]) -> str | None:
    """The condition under which an operation refuses its operands, or None if it takes all."""
    instruction = facts.instruction(value)
    if len(instruction.operands) != 2:
        return None
    if instruction.op.refuses is Refusal.ZERO_DIVISOR:
        divisor = instruction.operands[1]
        if isinstance(divisor, Literal) and not isinstance(divisor.value, complex) and divisor.value > 0:
            return None
    return c_ops.refusal(instruction.op, instruction.dtype, operands)


def refuses(facts: KernelFacts) -> bool:
    """Whether some operation of a kernel may refuse its operands."""
    return any(refusal(facts, value, ["x", "y"]) for value in facts.values())


class Statements:
    """Renders statements into ``out``.

    What a function's operations refuse is gathered in ``has_refused``, in lanes where a loop is vectorized, and
    reported once at the end: a store in the innermost loop would keep the compiler from vectorizing it.

    Attributes:
        known: how the code at hand refers to a value.
        divisors: by quotient, a divisor that was prepared outside the innermost loop.
    """

    def __init__(self, facts: KernelFacts) -> None:
        self.facts, self.kernel, self.nest = facts, facts.kernel, facts.nest
        self.out = Lines()
        self.known: dict[int, str] = {}
        self.divisors: dict[int, str] = {}
        self.refuses = refuses(facts)

    def begin_refusals(self) -> None:
        if self.refuses:
            self.out.add("i32 has_refused = 0;")

    def report_refusals(self) -> None:
        if self.refuses:
            self.out.add("if (has_refused) *refused = REFUSED;")

    def vectorized(self, clauses: Sequence[str] = ()) -> None:
        """The line before a loop that the compiler vectorizes."""
        refusals = ["reduction(| : has_refused)"] if self.refuses else []
        self.out.add(" ".join(["#pragma omp simd", *clauses, *refusals]))

    def define(self, value: int, text: str) -> None:
        self.out.add(f"const {self.facts.register(value)} v{value} = {text};")
        self.known[value] = f"v{value}"

    def compute(self, value: int) -> None:
        """An elementwise instruction on operands that are known or can be loaded."""
        instruction = self.facts.instruction(value)
        operands = [self.operand(operand) for operand in instruction.operands]
        check = refusal(self.facts, value, operands)
        if check:
            self.out.add(f"has_refused |= {check};")
        if value in self.divisors:
            text = rounded(f"lg_divide_f32({operands[0]}, {self.divisors[value]})", instruction.dtype)
        else:
            text = c_ops.expression(instruction.op, self._operand_dtype(instruction), instruction.dtype, operands)
        self.define(value, text)

    def _operand_dtype(self, instruction: Instruction) -> DType:
        operand = instruction.operands[-1]
        return self.facts.dtype(operand) if isinstance(operand, int) else operand.dtype

    def operand(self, operand: Operand) -> str:
        """An operand as a name or a literal; what was not loaded yet is loaded here."""
        if isinstance(operand, Literal):
            text = literal(operand.value, operand.dtype)
            return f"({text})" if text.startswith("-") else text
        if not isinstance(operand, int):
            return f"s{operand.index}"
        if operand not in self.known:
            if operand >= self.facts.first:
                assert self.facts.in_lanes, f"value {operand} is read before it is known"
                return f"row{operand}[{self.facts.lane()}]"
            self.load(operand)
        return self.known[operand]

    def load(self, value: int) -> None:
        load = self.kernel.loads[value]
        if value in self.nest.staged:
            (across, _), _ = self.nest.tiles
            text = f"turned{value}[(i{across} - first{across}) * {STAGED_TILE} + {self.facts.lane()}]"
        else:
            text = f"x{value}[{self.facts.index(load.sizes, load.strides, load.offset)}]"
        element = loaded(text, load.dtype)
        if load.fill is not None:
            inside = " && ".join(bound for bound in self.bounds(load) if bound)
            element = f"{inside} ? {element} : {self.operand(load.fill)}"
        self.define(value, element)

    @staticmethod
    def bounds(load: Load) -> list[str]:
        """Per axis the condition under which a masked load's element lies in its array; empty where it always does."""
        bounds = []
        for axis, ((begin, end), size) in enumerate(zip(load.inside, load.sizes, strict=True)):
            sides = [f"i{axis} >= {begin}"] if begin > 0 else []
            sides += [f"i{axis} < {end}"] if end < size else []
            bounds.append(" && ".join(sides))
        return bounds

    def store(self, value: int) -> None:
        """Write a value to all outputs it belongs to."""
        for position, output in enumerate(self.kernel.stores):
            if output.value == value:
                element = stored(self.known[value], self.facts.dtype(value))
                self.out.add(f"{self.target(position)} = {element};")

    def target(self, position: int) -> str:
        """Where the element at hand of an output is written."""
        return f"out{position}[{self.facts.place_in(position)}]"
