"""Composites that an evaluator takes to pieces, as one computation: for small programs, which spell nothing out.

What a composite is spelled out as depends on its attributes and on the types of its inputs. So its parts are found
once for these, and computed one after another; all values live until the last is there, which is little where they are
small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lazygrad.host.buffer import layout_of
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.leaf import constant, leaf_node, placeholder, scalar
from lazygrad.targets.evaluator import Computation, Evaluator, makes_array

_MOST_PARTS = 32
_LIMIT = 1 << 12
_NUMBERS = frozenset([constant, scalar])

_Value = Callable[[Sequence[Any]], Any]  # of a part, given the operands and the values of the parts before


class Parts(NamedTuple):
    """What a composite is spelled out as.

    Attributes:
        computation: computes it.
        most_bytes: of the largest value on the way.
    """

    computation: Computation
    most_bytes: int


_parts: dict[tuple[Any, ...], tuple[Evaluator, Parts | None]] = {}


def parts_of(node: Node, evaluator: Evaluator) -> Parts | None:
    """The parts of a composite that the evaluator computes none of in one go; None if they are many, or if one of them
    is no operation on arrays."""
    op = node.op
    if not isinstance(op, Composite):
        return None
    key = (op, node.attrs, *[(source.type, source.op if source.op in _NUMBERS else None) for source in node.inputs])
    found = _parts.get(key)
    if found is None or found[0] is not evaluator:
        if len(_parts) >= _LIMIT:
            _parts.clear()
        found = _parts[key] = (evaluator, _spelled_out(op, node, evaluator))
    return found[1]


def small_computation(node: Node, evaluator: Evaluator) -> Computation | None:
    """What computes a node of a small program that is neither a leaf nor a movement."""
    computation = evaluator.computation(node)
    if computation is not None:
        return computation
    parts = parts_of(node, evaluator)
    return None if parts is None else parts.computation


def _spelled_out(op: Composite, node: Node, evaluator: Evaluator) -> Parts | None:
    inputs = [_stand_in(source) for source in node.inputs]
    body = op.decompose(Node(op, tuple(inputs), node.attrs, node.type))
    order = topological_order([body])
    places = {value: place for place, value in enumerate(inputs)}
    values: list[_Value] = []
    most_bytes = 0
    for part in order:
        if part in places:
            continue
        value = _value(part, [places[source] for source in part.inputs], evaluator)
        if value is None or len(values) == _MOST_PARTS:
            return None
        places[part] = len(inputs) + len(values)
        values.append(value)
        most_bytes = max(most_bytes, layout_of(part.type)[1])
    last = places[body]

    def compute(node: Node, out: Any, operands: Sequence[Any]) -> None:
        found = [*operands]
        for value in values:
            found.append(value(found))
        np.copyto(out, found[last])

    return Parts(Computation(compute, refuses=True), most_bytes)


def _stand_in(source: Node) -> Node:
    """An input without a value; whether it is a number stays, since a formula may look at that."""
    if source.op in _NUMBERS:
        return Node(source.op, (), source.attrs, source.type)
    return leaf_node(placeholder, (), source.type)


def _value(part: Node, sources: Sequence[int], evaluator: Evaluator) -> _Value | None:
    """How a part gets its value; None where it is no operation on arrays."""
    kind = part.op.kind
    if part.op in _NUMBERS:
        number = evaluator.number(part)
        return lambda found: number
    if kind is Kind.IDENTITY:
        return lambda found: found[sources[0]]
    if kind is Kind.MOVEMENT:
        return lambda found: evaluator.moved(part, found[sources[0]])
    computation = small_computation(part, evaluator) if makes_array(part.op) else None
    if computation is None:
        return None
    shape, dtype, compute = part.type.shape, layout_of(part.type)[0], computation.compute

    def made(found: Sequence[Any]) -> Any:
        array = np.empty(shape, dtype)
        compute(part, array, [found[source] for source in sources])
        return array

    return made
