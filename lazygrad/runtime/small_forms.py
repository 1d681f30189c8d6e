"""What small programs of one form have in common, found out once: whether they are small, and a function for them.

A program of a few operations takes a microsecond or two of numpy. To go through its nodes, look up how each is computed
and hand out values takes several times as long. So a form that comes again has a function of its own, in which all of
that is written down, see `lazygrad.runtime.form_source`; `lazygrad.runtime.at_once` runs it.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.host.buffer import layout_of
from lazygrad.ir.device import CPU
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.runtime.composite_parts import parts_of
from lazygrad.runtime.form_source import FormFunction, FormWriter
from lazygrad.targets.evaluator import Evaluator

MOST_BYTES = 1 << 15  # of a value; here an operation takes a few times as long as what surrounds it
_MOST_BYTES_TOGETHER = 1 << 18
_RUNS_BEFORE_WRITING = 3  # to write the function takes as long as some twenty runs without it


class Form:
    """Programs with the same operations on values of the same types.

    Attributes:
        evaluator: what `function` uses.
        order: the positions of their nodes, each after those that it reads.
        function: computes one, see `FormFunction`; None while there were few.
        is_view: whether the root only names elements of a computed value.
    """

    __slots__ = ("_runs", "evaluator", "function", "is_view", "order")

    def __init__(self, nodes: Sequence[Node], evaluator: Evaluator) -> None:
        self.order = _order(nodes)
        self.function: FormFunction | None = None
        self.is_view = is_view_of_computed(nodes[0])
        self.evaluator, self._runs = evaluator, 0

    def noted(self, nodes: Sequence[Node], evaluator: Evaluator) -> FormFunction | None:
        """`function`, after one more program that is about to be computed by this evaluator."""
        if evaluator is not self.evaluator:
            return None
        self._runs += 1
        if self._runs > _RUNS_BEFORE_WRITING and self.function is None:
            self.function = FormWriter(nodes, self.order, evaluator).function()
        return self.function


def is_little_work(nodes: Sequence[Node], evaluator: Evaluator) -> bool:
    """Whether all values of a program, and those that it reads, are small and on the host; also within composites that
    are taken to pieces."""
    values = {*nodes, *[source for node in nodes for source in node.inputs]}
    if not all([value.type.device is CPU for value in values]):
        return False
    sizes = [layout_of(value.type)[1] for value in values]
    if max(sizes) > MOST_BYTES or sum(sizes) > _MOST_BYTES_TOGETHER:
        return False
    return all([node.op.kind is not Kind.COMPOSITE or _is_little(node, evaluator) for node in nodes])


def _is_little(composite: Node, evaluator: Evaluator) -> bool:
    if evaluator.computation(composite) is not None:
        return True
    parts = parts_of(composite, evaluator)
    return parts is not None and parts.most_bytes <= MOST_BYTES


def is_view_of_computed(node: Node) -> bool:
    """Whether a node names elements of a computed value, or has one."""
    while node.value is None and node.op.is_alias:
        node = node.inputs[0]
    return node.value is not None


def _order(nodes: Sequence[Node]) -> list[int]:
    return sorted(range(len(nodes)), key=lambda position: nodes[position].serial)
