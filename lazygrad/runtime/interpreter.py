"""The first tier: a program that is new is computed node by node, without a plan.

Nothing is fused, scheduled or rendered. A value lives until its last reader is done; the values that a later gradient
may ask for are kept, as eager frameworks keep them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazygrad.host.blas import serial_blas
from lazygrad.host.buffer import Buffer, host_view
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.passes.differentiate import differentiated
from lazygrad.runtime.blame import add_place
from lazygrad.runtime.executor import forget, reshaped
from lazygrad.runtime.ownership import is_sole_owner
from lazygrad.runtime.recording import Recording
from lazygrad.runtime.seen_memory import own_value
from lazygrad.targets.evaluator import Evaluator

_ALIASES = frozenset({Kind.IDENTITY, Kind.COMPOSITE})
_VIEWS = _ALIASES | {Kind.MOVEMENT}


class Interpretation:
    """One recording, computed node by node.

    Attributes:
        overwritten: for steps that may lie in the memory of a leaf that nobody needs afterwards, that leaf.
    """

    def __init__(self, recording: Recording, evaluator: Evaluator) -> None:
        self._recording, self._evaluator = recording, evaluator
        expanded = _differentiated(recording)
        self._roots = [expanded.get(node, node) for node in recording.stored]
        self._watched = [expanded.get(node, node) for node in recording.watched]
        self._bodies: dict[Node, Node] = {}  # of composites
        self._steps: list[Node] = []
        self._uses: dict[Node, int] = {}  # readers to come; also says which nodes are among the steps
        self._visit(self._roots)
        self._count()
        self.overwritten = self._overwritable()
        self._arrays: dict[Node, Any] = {}
        self._buffers: dict[Node, Buffer] = {}  # of computed nodes, not of views

    def run(self) -> None:
        """Compute, and hand the values to their nodes.

        Raises:
            Exception: what an operation refuses, with the line that recorded it. The inputs are then as they were.
        """
        with np.errstate(all="ignore"), serial_blas:
            for step in self._steps:
                try:
                    self._compute(step)
                except Exception as error:
                    add_place(error, step.origin)
                    raise
        self._commit()

    # What is computed, in which order.

    def _visit(self, ends: Sequence[Node]) -> None:
        """Note the steps that lead to ``ends``, inputs first; what a composite is made of stands before it."""
        for node in topological_order(ends, self._unvisited_reads):
            if node in self._uses:
                continue
            if node.value is None and isinstance(node.op, Composite):
                with deriving_from(node.origin):
                    body = self._bodies[node] = node.op.decompose(node)
                self._visit([body])
            self._uses[node] = 0
            self._steps.append(node)

    def _unvisited_reads(self, node: Node) -> tuple[Node, ...]:
        return () if node in self._uses else _reads(node)

    def _count(self) -> None:
        """Results count as read once more, so that they stay."""
        uses = self._uses
        for step in self._steps:
            for source in self._sources(step):
                uses[source] += 1
        for kept in (*self._roots, *[node for node in self._watched if node in uses]):
            uses[kept] += 1

    def _sources(self, node: Node) -> tuple[Node, ...]:
        body = self._bodies.get(node)
        return _reads(node) if body is None else (body,)

    def _overwritable(self) -> dict[Node, Node]:
        recording = self._recording
        lost = {node for node, is_lost in zip(recording.buffers, recording.donatable, strict=True) if is_lost}
        if not lost:
            return {}
        refusing = [i for i, step in enumerate(self._steps) if step.op.may_refuse(step.attrs, step.dtype)]
        steps = self._steps[refusing[-1] if refusing else 0 :]  # what refuses leaves the inputs as they were
        return {step: node for step in steps for node in self._overwritten_by(step) if node in lost}

    # One step.

    def _compute(self, node: Node) -> None:
        arrays, kind = self._arrays, node.op.kind
        if node.value is not None:
            arrays[node] = host_view(node.value)
        elif kind is Kind.MOVEMENT:
            arrays[node] = self._evaluator.moved(node, arrays[node.inputs[0]])
        elif kind in _VIEWS:
            (source,) = self._sources(node)
            arrays[node] = arrays[source]
        elif kind is Kind.LEAF:
            arrays[node] = self._evaluator.number(node)
        else:
            memory = self._memory_for(node)
            array = host_view(memory)
            self._evaluator.evaluate(node, array, [arrays[source] for source in node.inputs])
            arrays[node], self._buffers[node] = array, memory
            for source in node.inputs:
                self._release(source)

    def _memory_for(self, node: Node) -> Buffer:
        """New memory, or that of an input which nobody else reads and which the op may write over."""
        for source in self._overwritten_by(node):
            if source.type is node.type:
                memory = self._last_read(source, node)
                if memory is not None:
                    return memory
        return Buffer.empty(node.type)

    def _overwritten_by(self, node: Node) -> tuple[Node, ...]:
        return self._evaluator.may_overwrite(node) if node.value is None else ()

    def _last_read(self, source: Node, reader: Node) -> Buffer | None:
        """The memory of ``source`` if ``reader`` is the last one."""
        while self._uses[source] == 1:
            if source.value is not None:
                is_lost = self.overwritten.get(reader) is source and is_sole_owner(source)
                return source.value if is_lost else None
            if source.op.kind not in _ALIASES:
                return self._buffers.get(source)
            (source,) = self._sources(source)
        return None

    def _release(self, node: Node) -> None:
        """One reader less. What a view looks at is needed as long as the view is."""
        while True:
            left = self._uses[node] = self._uses[node] - 1
            if left:
                return
            del self._arrays[node]
            self._buffers.pop(node, None)
            if node.value is not None or node.op.kind not in _VIEWS:
                return
            (node,) = self._sources(node)

    # Results.

    def _commit(self) -> None:
        recording = self._recording
        self._given = {id(node.value) for node in recording.buffers}
        memories = [self._memory_of(root) for root in self._roots]
        held = Counter(map(id, memories))
        values = [
            self._value(root, node, memory, held[id(memory)] == 1)
            for root, node, memory in zip(self._roots, recording.stored, memories, strict=True)
        ]
        for step, donor in self.overwritten.items():
            if self._buffers.get(step) is donor.value:
                donor.value = None
                donor.seal(buffer)
        for node, value in zip(recording.stored, values, strict=True):
            node.value = own_value(value, node)
        for node, computed in zip(recording.watched, self._watched, strict=True):
            kept = self._memory_of(computed) if computed in self._arrays else None
            if kept is not None and node.value is None and self._arrays[computed] is kept.array:
                node.value = kept
        forget(recording)

    def _memory_of(self, node: Node) -> Buffer | None:
        """The buffer in which what ``node`` sees lies; None for a number."""
        while node.value is None and node.op.kind in _VIEWS:
            (node,) = self._sources(node)
        memory: Buffer | None = self._buffers.get(node) if node.value is None else node.value
        return memory

    def _value(self, root: Node, node: Node, memory: Buffer | None, is_alone: bool) -> Buffer:
        """The buffer for a result: the one it lies in if it is all of it, in order, else a copy."""
        array = np.asarray(self._arrays[root])
        if memory is not None:
            whole = host_view(memory)
            if array is whole:
                return memory
            is_all = array.size == whole.size and array.flags.c_contiguous and np.may_share_memory(array, whole)
            if is_all:
                return reshaped(memory, node, is_alone and id(memory) not in self._given)
        copy = Buffer.empty(node.type)
        np.copyto(host_view(copy), array)
        return copy


def _reads(node: Node) -> tuple[Node, ...]:
    """What must be computed for a node; of an identity the others are looked at by differentiation only."""
    if node.value is not None:
        return ()
    return node.inputs[:1] if node.op.kind is Kind.IDENTITY else node.inputs


def _differentiated(recording: Recording) -> dict[Node, Node]:
    """What the nodes that are computed from gradients are with these spelled out."""
    if not any([node.op is grad and node.value is None for node in recording.order]):
        return {}
    leaves = {node: _leaf(node) for node in recording.buffers if node.inputs and node not in recording.history}
    return differentiated(recording.order, leaves)


def _leaf(node: Node) -> Node:
    """The value of ``node`` without its history, which no gradient of this recording asks for."""
    leaf = leaf_node(buffer, (None,), node.type)
    leaf.value, leaf.origin = node.value, node.origin
    return leaf
