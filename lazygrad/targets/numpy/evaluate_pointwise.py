"""Pointwise composites for the interpreter: a Python function with one call of numpy for each primitive inside.

What a pointwise composite is spelled out as does not depend on extents. So its function is made once and serves values
of every shape; a program whose lengths are always new spells nothing out again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazygrad.host import numpy_support
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.dtype import Category, DType
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import constant, leaf_node, placeholder, scalar
from lazygrad.passes.decompose import decompose
from lazygrad.targets.evaluator import Computation
from lazygrad.targets.numpy.ops import SELECT, UFUNCS, ufunc_named
from lazygrad.targets.numpy.pieces import in_pieces

_CATEGORIES = frozenset([Category.BOOL, Category.FLOAT, Category.COMPLEX])  # here numpy promotes as the graph says
_computations: dict[tuple[Any, ...], Computation | None] = {}
_UNKNOWN = Computation(lambda node, out, operands: None)
_LIMIT = 1 << 12


def pointwise_computation(node: Node) -> Computation | None:
    """What computes a composite of elementwise ops in one go; None for any other one."""
    shape = node.type.shape
    parts: list[Any] = [node.op, node.attrs, node.type.dtype, not shape]
    for source in node.inputs:
        type, op = source.type, source.op
        parts += (type.dtype, type.shape == shape, op if op is constant or op is scalar else None)
    key = tuple(parts)
    found = _computations.get(key, _UNKNOWN)
    if found is _UNKNOWN:
        if len(_computations) >= _LIMIT:
            _computations.clear()
        found = _computations[key] = _traced(node)
    return found


def _traced(node: Node) -> Computation | None:
    op = node.op
    assert isinstance(op, Composite)
    inputs = [_stand_in(source) for source in node.inputs]
    body = op.decompose(Node(op, tuple(inputs), node.attrs, node.type))
    order = decompose(Graph([body])).nodes
    steps = [step for step in order if step.op is not constant and step not in inputs]
    if not steps or not all([_is_served(step) for step in steps]):
        return None
    return _Function(node, inputs, order, steps).computation()


def _stand_in(source: Node) -> Node:
    if source.op is constant or source.op is scalar:  # a formula may look at that
        return Node(source.op, (), source.attrs, source.type)
    return leaf_node(placeholder, (), tensor_type(source.shape, source.dtype))


def _is_served(step: Node) -> bool:
    is_known = step.op is SELECT or (step.op in UFUNCS and step.op.refuses is None)
    is_known = is_known or (step.op is ew.cast and step.dtype.category is step.inputs[0].dtype.category)
    return is_known and all([_is_plain(value.dtype) for value in (step, *step.inputs)])


def _is_plain(dtype: DType) -> bool:
    return dtype.category in _CATEGORIES and not dtype.is_half


class _Function:
    """The source of a function, and what it refers to.

    A value of the result's shape is written over one that is read for the last time, of the same shape and dtype.
    """

    def __init__(self, node: Node, inputs: list[Node], order: list[Node], steps: list[Node]) -> None:
        self._node, self._inputs, self._steps = node, inputs, steps
        self._names = {value: f"x{i}" for i, value in enumerate(inputs)}
        self._globals: dict[str, Any] = {"select": numpy_support.select, "empty": np.empty, "copyto": np.copyto}
        self._free: dict[DType, list[str]] = {}
        self._last = {source: i for i, step in enumerate(steps) for source in step.inputs}
        for value in order:
            if value.op is constant and value not in self._names:
                self._names[value] = self._known(to_numpy(value.dtype).type(value.attrs[0]))

    def computation(self) -> Computation:
        names = ", ".join([self._names[value] for value in self._inputs])
        lines = ["def compute(node, out, operands):", f"{names}, = operands"]
        for i, step in enumerate(self._steps):
            lines += self._lines(i, step)
        exec("\n    ".join(lines), self._globals)
        over = () if self._steps[-1].op is SELECT else self._of_the_results_type()
        return Computation(in_pieces(self._globals["compute"]), over)

    def _lines(self, i: int, step: Node) -> list[str]:
        operands = ", ".join([self._names[source] for source in step.inputs])
        dying = [
            source for source in dict.fromkeys(step.inputs) if self._last[source] == i and self._is_scratch(source)
        ]
        if step.op is not SELECT:
            self._let_go(dying)
        lines = []
        is_full = step.shape == self._node.shape
        free = self._free.get(step.dtype) if is_full else None
        if i == len(self._steps) - 1:
            target = "out"
        elif free:
            target = free.pop()
        else:
            target = f"t{i}"
            if self._node.shape and UFUNCS.get(step.op, "").startswith("np."):
                self._names[step] = target
                return [f"{target} = {self._called(step)}({operands})"]
            lines.append(f"{target} = empty({self._shape_of(step)}, {self._known(to_numpy(step.dtype))})")
        self._names[step] = target
        if step.op is SELECT:
            self._let_go(dying)
            return [*lines, f"select({target}, {operands})"]
        if step.op is ew.cast:
            return [*lines, f"copyto({target}, {operands}, 'same_kind')"]
        return [*lines, f"{self._called(step)}({operands}, out={target})"]

    def _called(self, step: Node) -> str:
        return self._known(ufunc_named(UFUNCS[step.op]))

    def _known(self, value: Any) -> str:
        name = f"k{len(self._globals)}"
        self._globals[name] = value
        return name

    def _shape_of(self, step: Node) -> str:
        if step.shape == self._node.shape:
            return "out.shape"
        shapes = ", ".join([f"{self._names[source]}.shape" for source in step.inputs])
        return f"{self._known(_broadcast)}({shapes})"

    def _is_scratch(self, value: Node) -> bool:
        return value.shape == self._node.shape and self._names[value].startswith("t")

    def _let_go(self, values: list[Node]) -> None:
        for value in values:
            self._free.setdefault(value.dtype, []).append(self._names[value])

    def _of_the_results_type(self) -> tuple[int, ...]:
        type = self._node.type
        return tuple(
            [i for i, value in enumerate(self._inputs) if value.type.shape == type.shape and value.dtype is type.dtype]
        )


def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    return np.broadcast_shapes(*shapes)
