"""Parts of a cotangent that is a sum of padded parts."""

from __future__ import annotations

from lazygrad.ir.matrix import is_zero
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.indexing import pad
from lazygrad.ir.primitives.movement import slice_
from lazygrad.ir.shape import Shape


def part_of(g: Node, start: Shape, stop: Shape) -> Node | None:
    """A part of a cotangent, None where it is padding: sums of padded parts are looked into, and not made."""
    if any(low >= high for low, high in zip(start, stop, strict=True)):
        return None
    if g.op is ew.add and g.inputs[0].shape == g.inputs[1].shape == g.shape:
        first, second = [part_of(term, start, stop) for term in g.inputs]
        return second if first is None else first if second is None else first + second
    if g.op is pad and is_zero(g.inputs[1]):
        inside, before, after = g.inputs[0], g["before"], g["after"]
        begin = tuple([max(low - own, 0) for low, own in zip(start, before, strict=True)])
        end = tuple([min(high - own, size) for high, own, size in zip(stop, before, inside.shape, strict=True)])
        found = part_of(inside, begin, end)
        missing = tuple([max(own - low, 0) for low, own in zip(start, before, strict=True)])
        behind = tuple([max(high - size + own, 0) for high, size, own in zip(stop, g.shape, after, strict=True)])
        return (
            found
            if found is None or not any(missing + behind)
            else pad(found, g.inputs[1], before=missing, after=behind)
        )
    return slice_(g, start=start, stop=stop, step=(1,) * g.rank)
