"""The function of a form of small programs: it sees whether a program is of the form, computes it, keeps the values.

To recognize a program by a key, every node has to be described before anything is known of it. Here each node is
compared with the one that is expected at its place, which takes a fraction of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazygrad.host.buffer import Buffer, layout_of
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.leaf import buffer, constant, detach, scalar
from lazygrad.ir.primitives.movement import expand, reshape
from lazygrad.runtime.composite_parts import small_computation
from lazygrad.targets.evaluator import Evaluator, makes_array

FormFunction = Callable[[Node], bool]
"""Called with a pending node. Whether what must be computed for it is a program of this form: then the node, and those
on the way that belong to tensors, have their values. What an operation raises leaves all of them pending."""


def is_number(node: Node) -> bool:
    """Whether a node is a number of the program, which is handed over at each run."""
    return node.op is constant or node.op is scalar


class FormWriter:
    """The source of a form's function, and what it refers to.

    Args:
        nodes: a program of the form, in the order in which a walk from the root comes by.
        order: their positions, each after those of what it reads.
        evaluator: computes them.
    """

    def __init__(self, nodes: Sequence[Node], order: Sequence[int], evaluator: Evaluator) -> None:
        self._nodes, self._order, self._evaluator = nodes, order, evaluator
        self._positions = {node: position for position, node in enumerate(nodes)}
        self._operands: dict[int, list[str]] = {}
        self._arrays = 0
        self._known: dict[str, Any] = {
            "empty": np.empty, "copy": np.array, "moved": evaluator.moved, "new": Buffer.__new__, "Buffer": Buffer,
            "leaf": buffer, "nothing": (None,) * len(buffer.attr_names),
        }  # fmt: skip

    def function(self) -> FormFunction:
        lines: list[str] = []
        named = {0}
        for position in range(len(self._nodes)):
            lines += self._recognized(position, named)
        folds = self._folds_without_axes()
        for position in self._order:
            lines += self._step(position, folds)
        taken: set[Node] = set()
        for position, node in enumerate(self._nodes):
            if position == 0 or is_kept(node):
                lines += self._stored(position, taken)
        exec("\n    ".join(["def compute(n0):", *lines, "return True"]), self._known)
        made: FormFunction = self._known["compute"]
        return made

    # Is a program of the form?

    def _recognized(self, position: int, named: set[int]) -> list[str]:
        """Compare a node with the one of this position, and give names to what it reads for the first time."""
        node, name = self._nodes[position], f"n{position}"
        wrong = [
            f"{name}.op is not {self._as(position, node.op, 'o')}",
            f"{name}.type is not {self._as(position, node.type, 't')}",
            f"{name}.value is not None",
        ]
        if node.op.attr_names and not is_number(node):
            wrong.append(f"{name}.attrs != {self._as(position, node.attrs, 'k')}")
        if node.autograd is None:
            wrong.append(f"{name}.autograd is not None")
        elif position and node.op.is_view:  # it stays as it is
            wrong.append(f"{name}.autograd is None")
        else:  # it is kept for its tensor
            wrong += [f"(m := {name}.autograd) is None", "m.tracked"]
        if node.inputs:
            wrong.append(f"len(i := {name}.inputs) != {len(node.inputs)}")
        lines = [_unless(wrong)]
        operands = self._operands[position] = []
        for place, source in enumerate(node.inputs):
            read = self._positions.get(source)
            if read is None:
                lines += self._recognized_value(place, source)
                operands.append(f"a{self._arrays - 1}")
                continue
            operands.append(f"v{read}")
            if read in named:
                lines.append(_unless([f"i[{place}] is not n{read}"]))
            else:
                named.add(read)
                lines.append(f"n{read} = i[{place}]")
        return lines

    def _recognized_value(self, place: int, source: Node) -> list[str]:
        """Compare a computed value that is read with the expected one, and give its array the next name."""
        name = f"a{self._arrays}"
        type, op = self._as(self._arrays, source.type, "s"), self._as(self._arrays, source.op, "p")
        self._arrays += 1
        wrong = ["(b := s.value) is None", f"s.type is not {type}", f"s.op is not {op}"]
        return [f"s = i[{place}]", _unless(wrong), f"{name} = b.array"]

    # Its values.

    def _folds_without_axes(self) -> set[int]:
        """Positions of reductions whose axes a reshape drops, which alone reads them: they are made without these."""
        found = set()
        for node in self._nodes:
            if node.op is not reshape:
                continue
            source = node.inputs[0]
            if source not in self._positions or source.op.folding is None or source.autograd is not None:
                continue
            readers = sum([reader.inputs.count(source) for reader in self._nodes])
            axes = source["axes"]
            rest = tuple([size for axis, size in enumerate(source.type.shape) if axis not in axes])
            if readers == 1 and rest == node.type.shape and self._evaluator.fold(source) is not None:
                found.add(self._positions[source])
        return found

    def _step(self, position: int, folds: set[int]) -> list[str]:
        node = self._nodes[position]
        value, operands = f"v{position}", self._operands[position]
        if is_number(node):
            return [f"{value} = {self._as(position, self._evaluator.number_type(node))}(n{position}.attrs[0])"]
        if node.op.kind is Kind.IDENTITY:
            return [f"{value} = {operands[0]}"]
        if node.op is reshape:
            read = self._positions.get(node.inputs[0])
            is_made_so = read in folds
            return [f"{value} = {operands[0]}" + ("" if is_made_so else f".reshape({node.type.shape})")]
        if _repeats_number(node):
            return [self._empty(position), f"{value}.fill({operands[0]})"]
        if node.op.kind is Kind.MOVEMENT:
            return [f"{value} = moved(n{position}, {operands[0]})"]
        fold = self._evaluator.fold(node)
        if fold is not None:
            keeps = "" if position in folds else ", True"
            made = self._empty(position, without=tuple(node["axes"]) if position in folds else ())
            call = f"{self._as(position, fold)}({operands[0]}, {tuple(node['axes'])}, None, {value}{keeps})"
            return [made, call]
        given = "".join([f"{operand}, " for operand in operands])
        bound = self._evaluator.bound(node)
        if bound is not None:
            return [self._empty(position), f"{self._as(position, bound)}({given}out={value})"]
        computation = small_computation(node, self._evaluator)
        assert computation is not None
        return [self._empty(position), f"{self._as(position, computation.compute)}(n{position}, {value}, ({given}))"]

    def _empty(self, position: int, without: tuple[int, ...] = ()) -> str:
        type = self._nodes[position].type
        shape = tuple([size for axis, size in enumerate(type.shape) if axis not in without])
        return f"v{position} = empty({shape}, {self._as(position, layout_of(type)[0], 'd')})"

    def _as(self, position: int, value: Any, letter: str = "f") -> str:
        name = f"{letter}{position}"
        self._known[name] = value
        return name

    def _stored(self, position: int, taken: set[Node]) -> list[str]:
        node = self._nodes[position]
        is_own = _repeats_number(node) or takes_its_array(node, taken)
        return [
            "b = new(Buffer)",
            f"b.array = v{position}" if is_own else f'b.array = copy(v{position}, order="C")',
            "b.shared, b.known_address = False, 0",
            f"n{position}.value = b",
            f"n{position}.op, n{position}.inputs, n{position}.attrs = leaf, (), nothing",
        ]


def _unless(wrong: Sequence[str]) -> str:
    return f"if {' or '.join(wrong)}: return False"


def _repeats_number(node: Node) -> bool:
    """Whether all elements are one number of the program, as `zeros` and `ones` make them."""
    return node.op is expand and node.inputs[0].value is None and is_number(node.inputs[0])


def is_kept(node: Node) -> bool:
    """Whether a node on the way to the root gets its value, for the tensor whose contents it is."""
    return node.autograd is not None and (makes_array(node.op) or (node.op is detach and _reads_what_is_made(node)))


def takes_its_array(node: Node, taken: set[Node]) -> bool:
    """Whether the array of a node that gets its value is nobody else's, so that it needs no copy.

    Args:
        node: the root of a small program, or one that `is_kept`.
        taken: nodes whose arrays others took, which is added to.
    """
    if makes_array(node.op):
        return True
    if node.op not in (reshape, detach) or not _reads_what_is_made(node) or node.inputs[0] in taken:
        return False
    taken.add(node.inputs[0])
    return True


def _reads_what_is_made(node: Node) -> bool:
    """Whether the first operand is an array that is made in the program, and belongs to no other tensor."""
    source = node.inputs[0]
    return source.value is None and source.autograd is None and makes_array(source.op)
