"""Folding of paddings: what crops is a slice, what adds nothing vanishes, and views move below.

A padding that ends up next to what computes with it becomes a masked load of that kernel; below a view it would have to
be stored first.
"""

from __future__ import annotations

from lazygrad.ir import build
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.passes.simplify_movement import uniform_value

Amounts = tuple[int, ...]


def simplify_padding(node: Node) -> Node | None:
    """One step, after which every amount is positive or 0 and at least one element of the input is seen."""
    x, value = node.inputs
    before, after = node["before"], node["after"]
    if not any(before) and not any(after):
        return x
    if _is_same(x, value) or any(_is_empty(*sizes) for sizes in zip(x.shape, before, after, strict=True)):
        return build.expand(value, node.shape)
    if min(*before, *after) < 0:
        start = tuple([max(-low, 0) for low in before])
        stop = tuple([size + min(high, 0) for size, high in zip(x.shape, after, strict=True)])
        return _surrounded(_slice(x, start, stop), value, before, after)
    if x.op is ix.pad and min(*x["before"], *x["after"]) >= 0 and _is_same(value, x.inputs[1]):
        return ix.pad(x.inputs[0], value, before=_sum(before, x["before"]), after=_sum(after, x["after"]))
    return None


def _is_empty(size: int, before: int, after: int) -> bool:
    """Whether nothing of an axis is left."""
    return max(-before, 0) >= size + min(after, 0)


def _surrounded(x: Node, value: Node, before: Amounts, after: Amounts) -> Node:
    low, high = (tuple([max(amount, 0) for amount in amounts]) for amounts in (before, after))
    return ix.pad(x, value, before=low, after=high) if any(low) or any(high) else x


def _slice(x: Node, start: Amounts, stop: Amounts, step: Amounts | None = None) -> Node:
    return mv.slice_(x, start=start, stop=stop, step=step or (1,) * x.rank)


def _is_same(first: Node, second: Node) -> bool:
    """Whether both hold one and the same number, down to the sign of a zero."""
    number = uniform_value(first)
    return first is second or (number is not None and repr(number) == repr(uniform_value(second)))


def _sum(first: Amounts, second: Amounts) -> Amounts:
    return tuple([a + b for a, b in zip(first, second, strict=True)])


def view_of_padding(node: Node) -> Node | None:
    """A movement of a padding as a padding of a movement, where it is one."""
    padding = node.inputs[0]
    if padding.op is not ix.pad:
        return None
    x, value = padding.inputs
    before, after = padding["before"], padding["after"]
    if node.op is mv.permute:
        axes = node["axes"]
        low, high = (tuple([amounts[axis] for axis in axes]) for amounts in (before, after))
        return ix.pad(mv.permute(x, axes=axes), value, before=low, after=high)
    if node.op is mv.flip:
        axes = node["axes"]
        low = tuple([after[axis] if axis in axes else amount for axis, amount in enumerate(before)])
        high = tuple([before[axis] if axis in axes else amount for axis, amount in enumerate(after)])
        return ix.pad(mv.flip(x, axes=axes), value, before=low, after=high)
    if node.op is mv.slice_:
        return _slice_of_padding(node, x, value, before)
    if node.op is mv.reshape:
        return _reshaped_padding(node, x, value, before, after)
    return None


def _slice_of_padding(node: Node, x: Node, value: Node, before: Amounts) -> Node:
    start, stop, low, high = [], [], [], []
    for size, ahead, first, step, count in zip(x.shape, before, node["start"], node["step"], node.shape, strict=True):
        outside = min(max(0, -((first - ahead) // step)), count)  # elements of the slice that lie before x
        begin = min(max(0, first + outside * step - ahead), size)
        inside = min(len(range(begin, size, step)), count - outside)
        start.append(begin)
        stop.append(min(begin + step * (inside - 1) + 1, size) if inside else begin)
        low.append(outside)
        high.append(count - outside - inside)
    return _surrounded(_slice(x, tuple(start), tuple(stop), node["step"]), value, tuple(low), tuple(high))


def _reshaped_padding(node: Node, x: Node, value: Node, before: Amounts, after: Amounts) -> Node | None:
    """Axes of size 1 that come or go where nothing is padded."""
    padding = node.inputs[0]
    wide = [axis for axis, size in enumerate(padding.shape) if size != 1]
    if any(before[axis] or after[axis] for axis, size in enumerate(padding.shape) if size == 1):
        return None
    if [size for size in node.shape if size != 1] != [padding.shape[axis] for axis in wide]:
        return None
    sources = iter(wide)
    axes = [next(sources) if size != 1 else None for size in node.shape]
    shape = tuple([1 if axis is None else x.shape[axis] for axis in axes])
    low, high = (tuple([0 if axis is None else amounts[axis] for axis in axes]) for amounts in (before, after))
    return ix.pad(build.reshape(x, shape), value, before=low, after=high)
