"""Offsets are arguments: where a slice of a realized value begins is no part of a program.

``x[i]`` of a realized ``x`` reads an array that begins at another place for every ``i`` and is otherwise the same. So a
recording counts such slices from the array's first element, and each gets an input slot of its own: the buffer of ``x``
from some element on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lazygrad.host.buffer import Buffer, host_view
from lazygrad.host.dtypes import to_numpy
from lazygrad.host.strides import as_strided
from lazygrad.ir.device import CPU
from lazygrad.ir.node import Node, TensorType, tensor_type
from lazygrad.ir.primitives.movement import apply_to_view, slice_
from lazygrad.ir.view import View


@dataclass(frozen=True, slots=True)
class Part:
    """What one more input slot holds.

    Attributes:
        of: the slot of the whole buffer.
        offset: of its first element in that.
        type: as what a program reads it. Elements beyond the end of the buffer are never read.
        steps: the movements, all counted from the first element, through which the program sees what it reads.
    """

    of: int
    offset: int
    type: TensorType
    steps: tuple[tuple[Any, tuple[Any, ...]], ...]

    def buffer(self, whole: Buffer) -> Buffer:
        """The part of ``whole``, whose memory it shares."""
        array = host_view(whole)
        item = array.itemsize
        flat = np.ndarray((max(array.size - self.offset, 0),), to_numpy(self.type.dtype), array, self.offset * item)
        count = 1
        for size in self.type.shape:
            count *= size
        if count <= flat.size:
            part = flat[:count].reshape(self.type.shape)
        else:
            strides = [stride * item for stride in View.contiguous(self.type.shape).strides]
            part = as_strided(flat, self.type.shape, strides, writeable=False)
        return Buffer(part, shared=True, known_address=whole.address + self.offset * item)


def counted_from_zero(attrs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The attributes of a slice that begins at the first element of every axis and takes as many."""
    starts, stops, steps = attrs
    return (0,) * len(starts), tuple([stop - start for start, stop in zip(starts, stops, strict=True)]), steps


def base_of(node: Node) -> tuple[Node, list[Node]] | None:
    """The realized value on the CPU that a pending slice looks into, and the movements from it to the slice."""
    chain = []
    while node.value is None:
        if not node.op.is_view:
            return None
        chain.append(node)
        node = node.inputs[0]
    return (node, chain[::-1]) if node.type.device is CPU else None


def part_of(slot: int, base: Node, chain: list[Node]) -> Part | None:
    """The part of ``base`` in which the last of ``chain`` begins with the first element; None where there is none."""
    if 0 in chain[-1].shape:
        return None
    view: View | None = View.contiguous(base.shape)
    steps = []
    offset = 0
    for node in chain:
        assert view is not None
        attrs = node.attrs
        if node.op is slice_:
            offset += sum([start * stride for start, stride in zip(attrs[0], view.strides, strict=True)])
            attrs = counted_from_zero(attrs)
        view = apply_to_view(view, node.op, attrs)
        if view is None:
            return None
        steps.append((node.op, attrs))
    assert view is not None
    if offset < 0:
        return None  # behind a flip it would begin before the buffer
    if view.is_contiguous and view.offset == 0:  # an array of its own, smaller than the whole
        return Part(slot, offset, tensor_type(view.shape, base.dtype), ())
    return Part(slot, offset, base.type, tuple(steps))


def with_parts(inputs: Sequence[Buffer], parts: Sequence[Part]) -> list[Buffer]:
    """All of a plan's inputs in slot order."""
    return [*inputs, *[part.buffer(inputs[part.of]) for part in parts]]
