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
_MADE = frozenset({Kind.ELEMENTWISE, Kind.REDUCTION, Kind.PADDING, Kind.LIBRARY})
_COMPUTED = _MADE | {Kind.MOVEMENT, Kind.IDENTITY}


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
    """Give the last node of a small program a value, and with it the contents of tensors on the way.

    Raises:
        IndexError, RuntimeError, ValueError: what an operation refuses, with the line that recorded it.
    """
    values: dict[Node, Any] = {}
    with np.errstate(all="ignore"):
        for node in program:
            operands = [values[read] if read.value is None else host_view(read.value) for read in node.inputs]
            kind = node.op.kind
            if kind is Kind.MOVEMENT:
                values[node] = evaluator.moved(node, operands[0])
            elif kind is Kind.IDENTITY:
                values[node] = operands[0]
            elif kind is Kind.LEAF:
                values[node] = evaluator.number(node)
            else:
                values[node] = array = np.empty(node.type.shape, layout_of(node.type)[0])
                try:
                    evaluator.computation(node.op)(node, array, operands)
                except Exception as error:
                    add_place(error, node.origin)
                    raise
    root = program[-1]
    for node in program:
        is_own = node.op.kind in _MADE
        if node is root or (is_own and node.autograd is not None):
            node.value = Buffer(values[node] if is_own else np.array(values[node], order="C"))
            if not keeps_its_history(node, ()):
                node.seal(buffer)
