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
from lazygrad.host.buffer import POOLED, Buffer, host_view, layout_of
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.runtime.blame import add_place
from lazygrad.runtime.executor import forget, reshaped
from lazygrad.runtime.ownership import is_sole_owner
from lazygrad.runtime.recording import Recording
from lazygrad.runtime.seen_memory import own_value
from lazygrad.targets.evaluator import Computation, Evaluator

_SMALL = 1 << 12  # bytes; below, new memory costs less than finding out whose may be overwritten
_Step = tuple[Node, tuple[Node, ...], Computation | None]  # what is computed, from what, and how; None for a view


class Interpretation:
    """One recording, computed node by node.

    A composite that the evaluator does not compute stands for what it is spelled out as, and an identity for its input:
    neither is a step.

    Attributes:
        overwritten: for steps that may lie in the memory of a leaf that nobody needs afterwards, that leaf.
    """

    def __init__(self, recording: Recording, evaluator: Evaluator) -> None:
        self._recording, self._evaluator = recording, evaluator
        self._stands_for: dict[Node, Node] = {}
        self._steps: list[_Step] = []
        self._uses: dict[Node, int] = {}  # of values, readers to come
        self._arrays: dict[Node, Any] = {}
        self._buffers: dict[Node, Buffer] = {}  # the memory of computed values, where it is not numpy's
        self._spelled_out = _gradients_spelled_out(recording)
        self._add_all(recording.stored)
        self._roots = [self._stands_for[node] for node in recording.stored]
        watched = [self._stands_for.get(node) for node in recording.watched]
        self._watched = [(node, value) for node, value in zip(recording.watched, watched, strict=True) if value]
        for kept in (*self._roots, *[value for _, value in self._watched]):  # read once more, so that they stay
            self._uses[kept] += 1
        self.overwritten = self._overwritable()

    @property
    def count(self) -> int:
        """How many steps there are."""
        return len(self._steps)

    # What is computed, in which order.

    def _add_all(self, roots: Sequence[Node]) -> None:
        """`_add` for some nodes and what must be computed for them, which is left of what differentiation looks at."""
        known = self._stands_for
        waiting: list[Node] = []  # for their inputs; a None on the stack lies below those of the last
        stack: list[Node | None] = [*roots[::-1]]
        while stack:
            node = stack.pop()
            if node is None:
                self._add(waiting.pop())
            elif node not in known:
                if node.value is not None:
                    self._arrays[node] = host_view(node.value)
                    self._uses[node] = 0
                    known[node] = node
                    continue
                waiting.append(node)
                stack.append(None)
                instead = self._spelled_out.get(node)
                if instead is not None:
                    stack.append(instead)
                elif node.op.kind is Kind.IDENTITY:
                    stack.append(node.inputs[0])
                else:
                    stack += [source for source in node.inputs[::-1] if source not in known]

    def _add(self, node: Node) -> None:
        """Note how to compute a pending node whose inputs are known."""
        op, known, uses = node.op, self._stands_for, self._uses
        kind = op.kind
        instead = self._spelled_out.get(node)
        if instead is not None:
            known[node] = known[instead]
            return
        if kind is Kind.IDENTITY:
            known[node] = known[node.inputs[0]]
            return
        if kind is Kind.LEAF:
            self._arrays[node] = self._evaluator.number(node)
        else:
            computation = None if kind is Kind.MOVEMENT else self._evaluator.computation(node)
            if computation is None and isinstance(op, Composite):
                with deriving_from(node.origin):
                    body = op.decompose(node)
                self._add_all([body])
                known[node] = known[body]
                return
            sources = tuple([known[source] for source in node.inputs])
            self._steps.append((node, sources, computation))
            for source in sources:
                uses[source] += 1
        uses[node] = 0
        known[node] = node

    def _overwritable(self) -> dict[Node, Node]:
        recording = self._recording
        lost = {node for node, is_lost in zip(recording.buffers, recording.donatable, strict=True) if is_lost}
        if not lost:
            return {}
        steps = self._steps
        for i in range(len(steps) - 1, 0, -1):
            if _may_refuse(*steps[i]):  # what refuses leaves the inputs as they were
                steps = steps[i:]
                break
        return {
            node: sources[position]
            for node, sources, computation in steps
            for position in (() if computation is None else computation.over)
            if position < len(sources) and sources[position] in lost
        }

    # One step after another.

    def run(self) -> None:
        """Compute, and hand the values to their nodes.

        Raises:
            Exception: what an operation refuses, with the line that recorded it. The inputs are then as they were.
        """
        arrays, uses = self._arrays, self._uses
        array_of = arrays.__getitem__
        with np.errstate(all="ignore"), serial_blas:
            for node, sources, computation in self._steps:
                try:
                    if computation is None:
                        arrays[node] = self._evaluator.moved(node, arrays[sources[0]])
                        continue
                    type = node.type
                    dtype, size = layout_of(type)
                    if size <= _SMALL and not computation.starts_from_first:
                        out = np.empty(type.shape, dtype)
                    else:
                        out = self._memory_for(node, sources, computation)
                    computation.compute(node, out, [*map(array_of, sources)])
                except Exception as error:
                    add_place(error, node.origin)
                    raise
                arrays[node] = out
                for source in sources:
                    left = uses[source] - 1
                    if left:
                        uses[source] = left
                    else:
                        self._let_go(source)
        self._commit()

    def _memory_for(self, node: Node, sources: Sequence[Node], computation: Computation) -> np.ndarray:
        """New memory, or that of an input which nobody else reads and which the op may write over."""
        type = node.type
        for position in computation.over:
            if position < len(sources) and sources[position].type is type:
                memory = self._taken_from(sources[position], node)
                if memory is not None:
                    return memory
        dtype, size = layout_of(type)
        if size < POOLED:
            return np.empty(type.shape, dtype)
        self._buffers[node] = made = Buffer.empty(type)
        return host_view(made)

    def _taken_from(self, source: Node, reader: Node) -> np.ndarray | None:
        """The memory of ``source`` if ``reader`` is the last that needs it."""
        if self._uses[source] != 1 or source.op.is_view:
            return None
        if source.value is None:
            if source in self._buffers:
                self._buffers[reader] = self._buffers[source]
            return self._arrays[source] if isinstance(self._arrays[source], np.ndarray) else None
        if self.overwritten.get(reader) is not source or not is_sole_owner(source):
            return None
        self._buffers[reader] = source.value
        return host_view(source.value)

    def _let_go(self, node: Node) -> None:
        """Its last reader is done. What a view looks at is needed as long as the view is."""
        while True:
            del self._arrays[node]
            if node in self._buffers:
                del self._buffers[node]
            if node.value is not None or not node.op.is_view:
                return
            node = self._stands_for[node.inputs[0]]
            left = self._uses[node] = self._uses[node] - 1
            if left:
                return

    # Results.

    def _commit(self) -> None:
        recording = self._recording
        memories = [self._memory_of(root) for root in self._roots]
        held = Counter(map(id, [*memories, *[node.value for node in recording.buffers]]))
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
        for node, computed in self._watched:
            kept = self._memory_of(computed)
            if kept is not None and node.value is None and self._arrays[computed] is kept.array:
                node.value = kept
        forget(recording)

    def _memory_of(self, node: Node) -> Buffer | None:
        """The buffer in which what ``node`` sees lies; None for a number."""
        while node.value is None and node.op.is_view:
            node = self._stands_for[node.inputs[0]]
        if node.value is None and node not in self._buffers and isinstance(self._arrays[node], np.ndarray):
            self._buffers[node] = Buffer(self._arrays[node])
        memory: Buffer | None = self._buffers.get(node) if node.value is None else node.value
        return memory

    def _value(self, root: Node, node: Node, memory: Buffer | None, is_alone: bool) -> Buffer:
        """The buffer for a result: the one it lies in if it is all of it, in order, else a copy."""
        array = np.asarray(self._arrays[root])
        if memory is not None:
            whole = host_view(memory)
            if array is whole:
                return memory
            if array.size == whole.size and array.flags.c_contiguous and np.may_share_memory(array, whole):
                return reshaped(memory, node, is_alone)
        copy = Buffer.empty(node.type)
        np.copyto(host_view(copy), array)
        return copy


def _may_refuse(node: Node, sources: Sequence[Node], computation: Computation | None) -> bool:
    if computation is not None and computation.refuses:
        return True
    return node.op.refuses is not None and node.op.may_refuse(node.attrs, node.dtype)


def _gradients_spelled_out(recording: Recording) -> dict[Node, Node]:
    """What is computed instead of gradients, and of some nodes that are computed from them."""
    if not any([node.op is grad and node.value is None for node in recording.order]):
        return {}
    from lazygrad.passes.differentiate import gradients_spelled_out  # rules of derivatives load with the first gradient

    leaves = {node: _leaf(node) for node in recording.buffers if node.inputs and node not in recording.history}
    return gradients_spelled_out(recording.order, leaves)


def _leaf(node: Node) -> Node:
    """The value of ``node`` without its history, which no gradient of this recording asks for."""
    leaf = leaf_node(buffer, (None,), node.type)
    leaf.value, leaf.origin = node.value, node.origin
    return leaf
