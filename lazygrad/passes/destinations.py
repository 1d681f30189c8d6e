"""Destinations: a value that would only be copied into another one, or be its start, is made where that one lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, groupby

from lazygrad.ir.node import Node
from lazygrad.ir.primitives.indexing import concat
from lazygrad.ir.view import View
from lazygrad.passes.fuse import FusedGraph, Group
from lazygrad.passes.views import is_whole, view_of

# Elements that lie side by side in a slice. Narrower ones would be written one by one, which the copy does better.
_NARROW = 16


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a value lies that has no memory of its own.

    Attributes:
        joined: the concatenation it is a part of, or the call that starts from it; this may have a destination itself.
        axis, start, stop: its slice of that.
        root: the value whose memory it is part of.
        view: which elements of that memory, in the value's own shape.
    """

    joined: Node
    axis: int
    start: int
    stop: int
    root: Node
    view: View


Destinations = Mapping[Node, Destination]


@dataclass(frozen=True, slots=True)
class Run:
    """Parts of a concatenation that follow each other and lie elsewhere, so that they must be copied."""

    start: int
    stop: int
    parts: tuple[Node, ...]


def find_destinations(fused: FusedGraph, outputs: set[Node]) -> dict[Node, Destination]:
    """The values of ``fused`` that can be made inside another one.

    A part of a concatenation that fills a piece of memory without gaps may have other readers too, and any call can
    write it; one that is written in strides is made by a kernel, or is a concatenation itself, and nothing else reads
    it. What a call starts from and then changes has no other reader.

    Args:
        fused: the groups in execution order.
        outputs: values that need memory of their own.
    """
    readers = Counter(node for group in fused.groups for node in group.reads)
    found: dict[Node, Destination] = {}
    for group in reversed(fused.groups):  # what is made inside another value is met after that
        node = group.nodes[0]
        if node.op is concat:
            candidates = zip(node.inputs, _ranges(node), strict=True)
        elif node.op.starts_from_first and node.rank and readers[view_of(node.inputs[0])[0]] == 1:
            candidates = zip(node.inputs[:1], [(0, node.shape[0])], strict=True)
        else:
            continue
        axis = node["axis"] if node.op is concat else 0
        bases = Counter(view_of(part)[0] for part in node.inputs)
        outer = found.get(node)
        root, whole = (outer.root, outer.view) if outer else (node, View.contiguous(node.shape))
        for part, (start, stop) in candidates:
            base, seen = view_of(part)
            if base not in fused.group_of or base in outputs or base in found or bases[base] > 1:
                continue
            place = whole.narrowed(axis, start, stop).reshape(base.shape) if is_whole(seen, base) else None
            if place is not None and _can_write(fused.group_of[base], place, readers[base]):
                found[base] = Destination(node, axis, start, stop, root, place)
    return found


def runs_elsewhere(node: Node, destinations: Destinations) -> list[Run]:
    """What is left of a concatenation to copy."""
    runs = []
    pieces = zip(node.inputs, _ranges(node), strict=True)
    for is_inside, group in groupby(pieces, lambda piece: _is_inside(piece[0], node, destinations)):
        if not is_inside:
            parts, ranges = zip(*group, strict=True)
            runs.append(Run(ranges[0][0], ranges[-1][1], parts))
    return runs


def _is_inside(part: Node, node: Node, destinations: Destinations) -> bool:
    place = destinations.get(view_of(part)[0])
    return place is not None and place.joined is node


def _ranges(node: Node) -> list[tuple[int, int]]:
    """Where the parts of a concatenation begin and end along its axis."""
    sizes = [part.shape[node["axis"]] for part in node.inputs]
    return [(end - size, end) for size, end in zip(sizes, accumulate(sizes), strict=True)]


def _can_write(group: Group, place: View, readers: int) -> bool:
    if place.is_contiguous:
        return True
    writes_strides = not group.is_library or group.nodes[0].op is concat
    return readers == 1 and writes_strides and _elements_side_by_side(place) >= _NARROW


def _elements_side_by_side(view: View) -> int:
    count = 1
    for size, stride in zip(reversed(view.shape), reversed(view.strides), strict=True):
        if size != 1:
            if stride != count:
                break
            count *= size
    return count
