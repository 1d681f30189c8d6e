"""The calls of a plan that C lacks and numpy does: where their operands lie is found out once, not in each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from lazygrad.host.arena import arena
from lazygrad.host.buffer import Buffer, host_view
from lazygrad.host.calls import calls
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.view import View
from lazygrad.memory.plan import MemoryPlan
from lazygrad.memory.slots import Place
from lazygrad.passes.schedule import Schedule
from lazygrad.passes.views import is_whole, view_of


class Given(NamedTuple):
    """What a run was given."""

    inputs: Sequence[Buffer]
    outputs: Sequence[Buffer]
    scalars: Sequence[Any]


NOTHING = Given((), (), ())


class _Operand(Protocol):
    """Finds an operand in what a run was given."""

    def within(self, given: Given) -> Any: ...


class HostStep:
    """One call."""

    def __init__(self, node: Node, schedule: Schedule, memory: MemoryPlan) -> None:
        self._call, self._options = calls[node.op.name], dict(node.named_attrs())
        self._target = _stored(node, View.contiguous(node.shape), schedule, memory)
        self._operands = [_operand(source, schedule, memory) for source in node.inputs]

    def run(self, given: Given) -> None:
        self._call(self._target.within(given), *[each.within(given) for each in self._operands], **self._options)


class _Constant:
    def __init__(self, value: Any) -> None:
        self._value = value

    def within(self, given: Given) -> Any:
        return self._value


class _Scalar:
    def __init__(self, slot: int) -> None:
        self._slot = slot

    def within(self, given: Given) -> Any:
        return given.scalars[self._slot]


class _Array:
    """A view of memory: of an input or an output, or of the arena, which moves when it grows."""

    def __init__(self, place: Place, index: int, first_byte: int, node: Node, view: View) -> None:
        dtype = to_numpy(node.dtype)
        self._place, self._index = place, index
        self._shape, self._dtype = view.shape, dtype
        self._strides = tuple([stride * dtype.itemsize for stride in view.strides])
        self._offset = 0 if 0 in view.shape else first_byte + view.offset * dtype.itemsize

    def within(self, given: Given) -> np.ndarray:
        if self._place is Place.ARENA:
            memory = arena.memory
        else:
            memory = host_view((given.inputs if self._place is Place.INPUT else given.outputs)[self._index])
        return np.ndarray(self._shape, self._dtype, memory, self._offset, self._strides)


def _operand(node: Node, schedule: Schedule, memory: MemoryPlan) -> _Operand:
    base, view = view_of(node)
    if base.op is scalar:
        return _Scalar(base["slot"])
    if base.op is constant:
        return _Constant(base["value"])
    return _stored(base, view, schedule, memory)


def _stored(base: Node, view: View, schedule: Schedule, memory: MemoryPlan) -> _Array:
    """A view of a stored value, wherever that lies."""
    root, place = schedule.memory_of(base)
    slot = memory.slots[root]
    first_byte = memory.temporaries[slot.index].offset if slot.place is Place.ARENA else 0
    if view.shape == base.shape and is_whole(view, base):
        seen = place
    else:
        assert place.is_contiguous  # what lies in strides is read by nobody else
        seen = View(view.shape, view.strides, place.offset + view.offset)
    return _Array(slot.place, slot.index, first_byte, base, seen)
