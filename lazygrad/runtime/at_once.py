"""The smallest programs are computed where they are asked for: to find a plan takes longer than they do.

A comparison of two numbers, the sum of some hundred, an element that is added to: what a program looks at between its
large steps. They have no key, and no plan however often they come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from lazygrad.host.buffer import Buffer, host_view, is_seen_by_host, layout_of
from lazygrad.ir.device import CPU
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.primitives.leaf import buffer, constant, scalar
from lazygrad.runtime.blame import add_place
from lazygrad.runtime.recording import keeps_its_history
from lazygrad.targets.evaluator import Evaluator

_MOST_NODES = 16
_MOST_BYTES = 1 << 14  # of a value; here an operation takes about as long as what surrounds it
_serial = attrgetter("serial")

_Way = Callable[[Node, Sequence[Any], Evaluator], Any]
_ways: dict[Op, _Way | None] = {}


def small_program(root: Node, evaluator: Evaluator) -> list[Node] | None:
    """What must be computed for a pending node, inputs first; None if that is much, or a gradient may be asked of it.

    Args:
        root: a pending node.
        evaluator: what will compute it; a composite that it takes to pieces is much.
    """
    found = [root]
    for node in found:
        meta, op, type = node.autograd, node.op, node.type
        if (meta is not None and meta.tracked) or type.device is not CPU or layout_of(type)[1] > _MOST_BYTES:
            return None
        if op not in _ways:
            _ways[op] = _way(op)
        if _ways[op] is None or (op.kind is Kind.COMPOSITE and evaluator.computation(node) is None):
            return None
        for source in node.inputs:
            value = source.value
            if value is None:
                if source not in found:
                    found.append(source)
            elif not is_seen_by_host(value) or layout_of(source.type)[1] > _MOST_BYTES:
                return None
        if len(found) > _MOST_NODES:
            return None
    return found if len(found) == 1 else sorted(found, key=_serial)


def compute(program: Sequence[Node], evaluator: Evaluator) -> None:
    """Give the last node of a small program a value, and with it the contents of tensors on the way.

    Raises:
        IndexError, RuntimeError, ValueError: what an operation refuses, with the line that recorded it.
    """
    values: dict[Node, Any] = {}
    with np.errstate(all="ignore"):
        for node in program:
            operands = [values[read] if read.value is None else host_view(read.value) for read in node.inputs]
            values[node] = _ways[node.op](node, operands, evaluator)  # type: ignore[misc]  # those without are no part
    root = program[-1]
    for node in program:
        if node is not root and node.autograd is None:
            continue
        is_own = _ways[node.op] is _made
        if node is root or is_own:
            node.value = Buffer(values[node] if is_own else np.array(values[node], order="C"))
            if not keeps_its_history(node, ()):
                node.seal(buffer)


# How nodes get their values, by the kind of their op.


def _made(node: Node, operands: Sequence[Any], evaluator: Evaluator) -> np.ndarray:
    array = np.empty(node.type.shape, layout_of(node.type)[0])
    try:
        computation = evaluator.computation(node)
        assert computation is not None
        computation.compute(node, array, operands)
    except Exception as error:
        add_place(error, node.origin)
        raise
    return array


def _moved(node: Node, operands: Sequence[Any], evaluator: Evaluator) -> Any:
    return evaluator.moved(node, operands[0])


def _same(node: Node, operands: Sequence[Any], evaluator: Evaluator) -> Any:
    return operands[0]


def _number(node: Node, operands: Sequence[Any], evaluator: Evaluator) -> Any:
    return evaluator.number(node)


_WAYS: dict[Kind, _Way] = {
    Kind.ELEMENTWISE: _made,
    Kind.REDUCTION: _made,
    Kind.PADDING: _made,
    Kind.LIBRARY: _made,
    Kind.COMPOSITE: _made,
    Kind.MOVEMENT: _moved,
    Kind.IDENTITY: _same,
}


def _way(op: Op) -> _Way | None:
    return _number if op in (constant, scalar) else _WAYS.get(op.kind)
