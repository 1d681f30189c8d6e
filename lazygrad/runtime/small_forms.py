"""What small programs of one form have in common, found out once: whether they are small, and a function for them.

A program of a few operations takes a microsecond or two of numpy. To go through its nodes, look up how each is computed
and hand out values takes several times as long. So a form that comes again has a function of its own, in which all of
that is written down; `lazygrad.runtime.at_once` runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazygrad.host.buffer import Buffer, layout_of
from lazygrad.ir.device import CPU
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.primitives.leaf import buffer, constant, scalar
from lazygrad.ir.primitives.movement import expand, reshape
from lazygrad.targets.evaluator import Evaluator

MOST_BYTES = 1 << 14  # of a value; here an operation takes about as long as what surrounds it
_RUNS_BEFORE_WRITING = 3  # to write the function takes as long as some twenty runs without it
_MAKES = frozenset([Kind.ELEMENTWISE, Kind.REDUCTION, Kind.PADDING, Kind.LIBRARY, Kind.COMPOSITE])

Function = Callable[[Sequence[Node], Sequence[np.ndarray]], None]


def makes_array(op: Op) -> bool:
    """Whether the result of an op lies in memory of its own, which an evaluator's `Computation` fills."""
    return op.kind in _MAKES


class Form:
    """Programs with the same operations on values of the same types.

    Attributes:
        evaluator: what `function` uses.
        order: the positions of their nodes, each after those that it reads.
        function: computes one, given its nodes and the arrays that these read, each in the order in which the walk from
            the root came by, and gives the nodes their values; None while there were few.
    """

    __slots__ = ("_runs", "evaluator", "function", "order")

    def __init__(self, nodes: Sequence[Node], evaluator: Evaluator) -> None:
        self.order = _order(nodes)
        self.function: Function | None = None
        self.evaluator, self._runs = evaluator, 0

    def noted(self, nodes: Sequence[Node], evaluator: Evaluator) -> Function | None:
        """`function`, after one more program that is about to be computed by this evaluator."""
        if evaluator is not self.evaluator:
            return None
        self._runs += 1
        if self._runs > _RUNS_BEFORE_WRITING and self.function is None:
            self.function = _Writer(nodes, self.order, evaluator).function()
        return self.function


def is_little_work(nodes: Sequence[Node], evaluator: Evaluator) -> bool:
    """Whether all values of a program, and those that it reads, are small and on the host, and no composite is taken
    to pieces."""
    values = [*nodes, *[source for node in nodes for source in node.inputs]]
    if not all([value.type.device is CPU and layout_of(value.type)[1] <= MOST_BYTES for value in values]):
        return False
    return all([node.op.kind is not Kind.COMPOSITE or evaluator.computation(node) is not None for node in nodes])


def _order(nodes: Sequence[Node]) -> list[int]:
    return sorted(range(len(nodes)), key=lambda position: nodes[position].serial)


class _Writer:
    """The source of a form's function, and what it refers to."""

    def __init__(self, nodes: Sequence[Node], order: Sequence[int], evaluator: Evaluator) -> None:
        self._nodes, self._order, self._evaluator = nodes, order, evaluator
        self._operands: dict[int, list[str]] = {}
        self._known: dict[str, Any] = {
            "empty": np.empty, "copy": np.array, "moved": evaluator.moved, "new": Buffer.__new__, "Buffer": Buffer,
            "leaf": buffer, "nothing": (None,) * len(buffer.attr_names),
        }  # fmt: skip

    def function(self) -> Function:
        read = self._named_operands()
        lines: list[str] = []
        for position in self._order:
            lines += self._step(position)
        for position, node in enumerate(self._nodes):
            if position == 0 or (node.autograd is not None and makes_array(node.op)):
                lines += self._stored(position)
        unpacked = [f"{', '.join([f'n{i}' for i in range(len(self._nodes))])}, = nodes"]
        if read:
            unpacked.append(f"{', '.join(read)}, = arrays")
        exec("\n    ".join(["def compute(nodes, arrays):", *unpacked, *lines]), self._known)
        made: Function = self._known["compute"]
        return made

    def _named_operands(self) -> list[str]:
        """Name what each node reads; the names of the arrays that are handed over, one each time that one is read."""
        names: list[str] = []
        for position, node in enumerate(self._nodes):
            self._operands[position] = operands = []
            for source in node.inputs:
                if source.value is None:
                    operands.append(f"v{self._nodes.index(source)}")
                else:  # x * x is of the form of x * y
                    names.append(f"a{len(names)}")
                    operands.append(names[-1])
        return names

    def _step(self, position: int) -> list[str]:
        node = self._nodes[position]
        value, operands = f"v{position}", self._operands[position]
        if node.op is constant or node.op is scalar:
            return [f"{value} = {self._as(position, self._evaluator.number_type(node))}(n{position}.attrs[0])"]
        if node.op.kind is Kind.IDENTITY:
            return [f"{value} = {operands[0]}"]
        if node.op is reshape:
            return [f"{value} = {operands[0]}.reshape({node.type.shape})"]
        if _repeats_number(node):
            return [self._empty(position), f"{value}.fill({operands[0]})"]
        if node.op.kind is Kind.MOVEMENT:
            return [f"{value} = moved(n{position}, {operands[0]})"]
        bound = self._evaluator.bound(node)
        if bound is not None:
            return [self._empty(position), f"{self._as(position, bound)}({', '.join(operands)}, out={value})"]
        computation = self._evaluator.computation(node)
        assert computation is not None
        given = "".join([f"{operand}, " for operand in operands])
        return [self._empty(position), f"{self._as(position, computation.compute)}(n{position}, {value}, ({given}))"]

    def _empty(self, position: int) -> str:
        type = self._nodes[position].type
        return f"v{position} = empty({type.shape}, {self._as(position, layout_of(type)[0], 'd')})"

    def _as(self, position: int, value: Any, letter: str = "f") -> str:
        name = f"{letter}{position}"
        self._known[name] = value
        return name

    def _stored(self, position: int) -> list[str]:
        node = self._nodes[position]
        is_own = makes_array(node.op) or _repeats_number(node) or reshapes_what_is_not_kept(node)
        return [
            "b = new(Buffer)",
            f"b.array = v{position}" if is_own else f'b.array = copy(v{position}, order="C")',
            "b.shared, b.known_address = False, 0",
            f"n{position}.value = b",
            f"n{position}.op, n{position}.inputs, n{position}.attrs = leaf, (), nothing",
        ]


def _repeats_number(node: Node) -> bool:
    """Whether all elements are one number of the program, as `zeros` and `ones` make them."""
    if node.op is not expand:
        return False
    number = node.inputs[0]
    return number.value is None and (number.op is constant or number.op is scalar)


def reshapes_what_is_not_kept(root: Node) -> bool:
    """Whether the root of a small program only reshapes an array that is made in it and belongs to no other node."""
    source = root.inputs[0] if root.op is reshape else root
    return source is not root and source.value is None and source.autograd is None and makes_array(source.op)
