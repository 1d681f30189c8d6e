"""What attends to what: the operands of attention and of its gradients as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import contiguous_strides
from lazygrad.targets.cuda.library.arrays import Array, operand
from lazygrad.targets.cuda.writer import Writer


@dataclass(frozen=True, slots=True)
class Operands:
    """Of a call ``node``; ``lead`` is what all are broadcast to."""

    node: Node
    lead: Shape
    query: Array
    key: Array
    value: Array
    scale: Node
    mask: Array | None
    fill: Node | None

    def part(self, first: int, last: int) -> Operands:
        """Some items, along the first leading axis."""
        if not self.lead:
            return self

        def own(array: Array) -> Array:
            return array.narrowed(0, first, last)

        lead = (last - first, *self.lead[1:])
        mask = self.mask and own(self.mask)
        return replace(self, lead=lead, query=own(self.query), key=own(self.key), value=own(self.value), mask=mask)

    @property
    def scores(self) -> Shape:
        return (*self.lead, self.query.shape[-2], self.key.shape[-2])


def operands_of(writer: Writer, node: Node, nodes: Sequence[Node], lead: Shape) -> Operands:
    """Those of a call, from its query on."""
    query, key, value = [operand(writer, each) for each in nodes[:3]]
    mask = operand(writer, nodes[4]) if len(nodes) > 4 else None
    if mask is not None:
        mask = mask.expanded((*lead, query.shape[-2], key.shape[-2]))
    query, key, value = (array.expanded((*lead, *array.shape[-2:])) for array in (query, key, value))
    return Operands(node, lead, query, key, value, nodes[3], mask, nodes[5] if len(nodes) > 5 else None)


def side_by_side(array: Array, parts: Sequence[Array]) -> list[Array]:
    """Where matrices of the shapes of ``parts`` lie in the rows of ``array``."""
    found, offset = [], array.offset
    for part in parts:
        shape = (*array.shape[:-1], *part.shape[-2:])
        strides = (*array.strides[:-1], *contiguous_strides(part.shape[-2:]))
        found.append(replace(array, shape=shape, strides=strides, offset=offset))
        offset += prod(part.shape[-2:])
    return found
