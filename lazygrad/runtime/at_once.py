"""The smallest programs are computed where they are asked for: to find a plan takes longer than they do.

A comparison of two numbers, the sum of some hundred, an element that is added to: what a program looks at between its
large steps. They have no key, and no plan however often they come.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from lazygrad.host.buffer import Buffer, host_view, is_seen_by_host, layout_of
from lazygrad.ir.device import CPU
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.leaf import buffer, constant, scalar
from lazygrad.ir.shape import numel
from lazygrad.runtime.blame import add_place
from lazygrad.runtime.recording import keeps_its_history
from lazygrad.targets.evaluator import Evaluator

_MOST_NODES = 16
_MOST_ELEMENTS = 1 << 12  # of a value; here an operation takes about as long as what surrounds it
_NUMBERS = (constant, scalar)
_serial = attrgetter("serial")
_SEEN_THROUGH = (Kind.MOVEMENT, Kind.IDENTITY)
_COMPUTED = frozenset({Kind.ELEMENTWISE, Kind.REDUCTION, Kind.PADDING, Kind.LIBRARY, *_SEEN_THROUGH})


def small_program(root: Node) -> list[Node] | None:
    """What must be computed for a pending node, inputs first; None if that is much, or a gradient may be asked of it.

    Args:
        root: a pending node.
    """
    found = [root]
    for node in found:
        if not _is_small(node):
            return None
        for source in node.inputs:
            if source.value is None:
                if source not in found:
                    found.append(source)
            elif not _is_few(source.value):
                return None
        if len(found) > _MOST_NODES:
            return None
    return sorted(found, key=_serial)


def _is_small(node: Node) -> bool:
    meta, type = node.autograd, node.type
    return (
        (meta is None or not meta.tracked)
        and type.device is CPU
        and numel(type.shape) <= _MOST_ELEMENTS
        and (node.op.kind in _COMPUTED or node.op in _NUMBERS)
    )


def _is_few(value: Buffer) -> bool:
    return is_seen_by_host(value) and host_view(value).size <= _MOST_ELEMENTS


def compute(program: Sequence[Node], evaluator: Evaluator) -> None:
    """Give all nodes of a small program that are computed a value; they forget how they came to be.

    Raises:
        IndexError, RuntimeError, ValueError: what an operation refuses, with the line that recorded it.
    """
    values: dict[Node, Any] = {}
    with np.errstate(all="ignore"):
        for node in program:
            for source in node.inputs:
                if source.value is not None:
                    values[source] = host_view(source.value)
            try:
                values[node] = _computed(node, [values.get(source) for source in node.inputs], evaluator)
            except Exception as error:
                add_place(error, node.origin)
                raise
    for node in program:
        if node.op not in _NUMBERS and (node.op.kind not in _SEEN_THROUGH or node is program[-1]):
            _settle(node, values[node])


def _computed(node: Node, operands: Sequence[Any], evaluator: Evaluator) -> Any:
    kind = node.op.kind
    if kind is Kind.MOVEMENT:
        return evaluator.moved(node, operands[0])
    if kind is Kind.IDENTITY:
        return operands[0]
    if kind is Kind.LEAF:
        return evaluator.number(node)
    out = np.empty(node.type.shape, layout_of(node.type)[0])
    computation = evaluator.computation(node)
    assert computation is not None  # it is a primitive
    computation.compute(node, out, operands)
    return out


def _settle(node: Node, array: Any) -> None:
    is_own = node.op.kind not in _SEEN_THROUGH
    node.value = Buffer(array if is_own else np.array(array, order="C"))
    if not keeps_its_history(node, ()):
        node.seal(buffer)
