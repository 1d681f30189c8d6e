"""Statements of a kernel: loads, operations, stores, and what a pass over a row does at one index."""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.codegen.clike.facts import KernelFacts
from lazygrad.codegen.clike.lines import Lines
from lazygrad.codegen.clike.passes import RowPass
from lazygrad.codegen.clike.places import Places
from lazygrad.codegen.clike.reductions import combined
from lazygrad.codegen.clike.spellings import condition_of_refusal, expression
from lazygrad.codegen.kernel import Literal, Load, Operand
from lazygrad.ir.op import Refusal


def refusal(facts: KernelFacts, value: int, operands: list[str]) -> str | None:
    """The condition under which an operation refuses its operands, or None if it takes all."""
    instruction = facts.instruction(value)
    if len(instruction.operands) != 2:
        return None
    if instruction.op.refuses is Refusal.ZERO_DIVISOR:
        divisor = instruction.operands[1]
        if isinstance(divisor, Literal) and not isinstance(divisor.value, complex) and divisor.value > 0:
            return None
    return condition_of_refusal(instruction.op, instruction.dtype, operands)


def refuses(facts: KernelFacts) -> bool:
    """Whether some operation of a kernel may refuse its operands."""
    return any(refusal(facts, value, ["x", "y"]) for value in facts.kernel.values)


def bounds(load: Load) -> list[str]:
    """Per axis the condition under which a masked load's element lies in its array; empty where it always does."""
    conditions = []
    for axis, ((begin, end), size) in enumerate(zip(load.inside, load.sizes, strict=True)):
        sides = [f"i{axis} >= {begin}"] if begin > 0 else []
        sides += [f"i{axis} < {end}"] if end < size else []
        conditions.append(" && ".join(sides))
    return conditions


class Statements:
    """Renders statements into ``out``.

    What a function's operations refuse is gathered in ``has_refused``, in lanes where a loop is vectorized, and
    reported once at the end: a store in the innermost loop would keep the compiler from vectorizing it.

    Attributes:
        places: where the loops around the statements keep what these read and write.
        known: how the code at hand refers to a value.
        prepared: by value, how it follows from its operands where part of the work was done outside the innermost loop.
    """

    def __init__(self, facts: KernelFacts, places: Places) -> None:
        self.facts, self.kernel, self.dialect, self.places = facts, facts.kernel, facts.dialect, places
        self.out = Lines()
        self.known: dict[int, str] = {}
        self.prepared: dict[int, Callable[[list[str]], str]] = {}
        self.refuses = refuses(facts)

    def begin_refusals(self) -> None:
        if self.refuses:
            self.out.add("i32 has_refused = 0;")

    def report_refusals(self) -> None:
        if self.refuses:
            self.out.add("if (has_refused) *refused = REFUSED;")

    # Values.

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
        if value in self.prepared:
            text = self.dialect.rounded(self.prepared[value](operands), instruction.dtype)
        else:
            operand_dtype = self.kernel.dtype_of(instruction.operands[-1])
            text = expression(self.dialect, instruction.op, operand_dtype, instruction.dtype, operands)
        self.define(value, text)

    def operand(self, operand: Operand) -> str:
        """An operand as a name or a literal; what was not loaded yet is loaded here."""
        if isinstance(operand, Literal):
            text = self.dialect.literal(operand.value, operand.dtype)
            return f"({text})" if text.startswith("-") else text
        if not isinstance(operand, int):
            return f"s{operand.index}"
        if operand not in self.known:
            if not self.kernel.is_load(operand):
                return self.places.from_outside(operand)
            self.load(operand)
        return self.known[operand]

    def load(self, value: int) -> None:
        load = self.kernel.loads[value]
        element = self.dialect.loaded(self.places.loaded(value), load.dtype)
        if load.fill is not None:
            inside = " && ".join(bound for bound in bounds(load) if bound)
            element = f"{inside} ? {element} : {self.operand(load.fill)}"
        self.define(value, element)

    def store(self, value: int) -> None:
        """Write a value to all outputs it belongs to."""
        for position, output in enumerate(self.kernel.stores):
            if output.value == value:
                element = self.dialect.stored(self.known[value], self.facts.dtype(value))
                self.out.add(f"{self.places.stored(position)} = {element};")

    # Passes over a row.

    def element(self, row_pass: RowPass, take_in: Callable[[int, str], None] | None = None) -> None:
        """What a pass does at one index: loads, operations, stores, and an element for each of its reductions.

        Args:
            row_pass: the pass.
            take_in: renders how a reduction takes in an element; default: by `add_to_total`.
        """
        outer = dict(self.known)
        for value in row_pass.recalled:
            self._recall(value)
        for value in row_pass.computed:
            self.compute(value)
            if value in row_pass.kept:
                self.out.add(f"{self.places.kept(value)} = {self.known[value]};")
        for value in dict.fromkeys(self.kernel.stores[position].value for position in row_pass.stores):
            self.store(value)
        for value in row_pass.reductions:
            element = self.operand(self.facts.instruction(value).operands[0])
            (take_in or self.add_to_total)(value, element)
        self.known = outer

    def _recall(self, value: int) -> None:
        """A value of an earlier pass, from the buffer that kept it or from the output it was stored to."""
        if any(value in row_pass.kept for row_pass in self.facts.passes.passes):
            self.define(value, self.places.kept(value))
        else:
            position = next(i for i, store in enumerate(self.kernel.stores) if store.value == value)
            self.define(value, self.dialect.loaded(self.places.written(position), self.facts.dtype(value)))

    def start_total(self, value: int) -> None:
        """Declare a reduction's running value."""
        self.out.add(f"{self.facts.total_type(value)} total{value} = {self.facts.identity(value)};")

    def add_to_total(self, value: int, element: str) -> None:
        """Let a reduction's running value take in an element, or another running value."""
        total, op = self.places.total(value), self.facts.instruction(value).op
        self.out.add(f"{total} = {combined(self.dialect, op, self.facts.total_dtype(value), total, element)};")

    def row_value(self, value: int, total: str) -> None:
        """A value of the whole row: a reduction whose running value is ``total`` now, or what follows from others."""
        if self.kernel.is_reduction(value):
            cast = f"({self.facts.register(value)}){total}"
            self.define(value, self.dialect.rounded(cast, self.facts.dtype(value)))
        else:
            self.compute(value)
        self.store(value)
