"""Folding of movement ops: views of views become one, views of constants vanish, broadcasting stays implicit."""

from __future__ import annotations

from lazygrad.ir import build
from lazygrad.ir.dtype import Scalar
from lazygrad.ir.node import Node, derived_origin, make_node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.leaf import constant
from lazygrad.ir.shape import numel
from lazygrad.passes.rewrite import with_inputs


def uniform_value(node: Node) -> Scalar | None:
    """The number ``node`` holds everywhere, if it is a constant seen through an expand."""
    if node.op is mv.expand:
        node = node.inputs[0]
    if node.op is constant:
        value: Scalar = node["value"]
        return value
    return None


def simplify_movement(node: Node) -> Node | None:
    """One step: drop identities, merge with the movement below, turn views of constants into expands."""
    (x,) = node.inputs
    if node.shape == x.shape and _is_identity(node, x):
        return x
    source = x.inputs[0] if x.op is mv.expand else x
    if source.op is constant and (node.op is not mv.expand or x.op is mv.expand):
        return build.expand(source, node.shape)
    if node.op is mv.slice_ and x.op is mv.expand:
        return _slice_before_expand(node, x.inputs[0])
    if x.op is not node.op:
        return None
    (base,) = x.inputs
    if node.op is mv.reshape:
        return mv.reshape(base, shape=node.shape)
    if node.op is mv.permute:
        return mv.permute(base, axes=tuple(x["axes"][axis] for axis in node["axes"]))
    if node.op is mv.expand:
        return mv.expand(base, shape=node.shape)
    if node.op is mv.slice_:
        return _merge_slices(node, x, base)
    if node.op is mv.flip:
        return mv.flip(base, axes=tuple(sorted(set(x["axes"]) ^ set(node["axes"]))))
    return None


def _is_identity(node: Node, x: Node) -> bool:
    if node.op in (mv.reshape, mv.expand):
        return True
    if node.op is mv.permute:
        return bool(node["axes"] == tuple(range(x.rank)))
    if node.op is mv.slice_:
        return True  # steps are positive, so an equal shape takes everything
    return node.op is mv.flip and all(x.shape[axis] <= 1 for axis in node["axes"])


def _slice_before_expand(node: Node, base: Node) -> Node:
    """What is repeated is sliced along its own axes, and repeated as often as the slice has elements."""
    lead = node.rank - base.rank
    own = [axis for axis in range(lead, node.rank) if base.shape[axis - lead] != 1]
    bounds = [[0] * base.rank, [1] * base.rank, [1] * base.rank]
    for axis in own:
        for bound, attribute in zip(bounds, node.attrs, strict=True):
            bound[axis - lead] = attribute[axis]
    start, stop, step = map(tuple, bounds)
    return build.expand(mv.slice_(base, start=start, stop=stop, step=step), node.shape)


def _merge_slices(node: Node, x: Node, base: Node) -> Node:
    start, stop, step = [], [], []
    outer = zip(x["start"], x["step"], base.shape, strict=True)
    inner = zip(node["start"], node["step"], node.shape, strict=True)
    for (a, s, size), (b, t, count) in zip(outer, inner, strict=True):
        first = min(a + b * s, size)
        start.append(first)
        step.append(s * t)
        stop.append(min(first + s * t * (count - 1) + 1, size) if count else first)
    return mv.slice_(base, start=tuple(start), stop=tuple(stop), step=tuple(step))


def without_expand(node: Node) -> Node | None:
    """Elementwise ops broadcast by themselves: read the source of an expand where the result's shape stays."""
    for position, source in enumerate(node.inputs):
        if source.op is not mv.expand:
            continue
        others = [other.shape for i, other in enumerate(node.inputs) if i != position]
        inner = source.inputs[0]
        if _broadcasts_to(node.shape, [*others, inner.shape]):
            return with_inputs(node, (*node.inputs[:position], inner, *node.inputs[position + 1 :]))
    return None


def _broadcasts_to(shape: tuple[int, ...], shapes: list[tuple[int, ...]]) -> bool:
    rank = max((len(s) for s in shapes), default=0)
    if rank != len(shape):
        return False
    for axis in range(1, rank + 1):
        sizes = {s[-axis] for s in shapes if len(s) >= axis}
        if shape[-axis] not in sizes:
            return False
    return True


def _squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def _only_moves_ones(node: Node) -> bool:
    return node.op is mv.reshape and _squeezed(node.shape) == _squeezed(node.inputs[0].shape)


def sink_squeeze(node: Node) -> Node | None:
    """f(squeeze(a), squeeze(b), 2) → squeeze(f(a, b, 2)), so that work after a reduction stays in its kernel.

    Applies when every input is one element or the same squeeze of values of one shape.
    """
    if node.op is ew.contiguous:
        return None
    views = [source for source in node.inputs if _only_moves_ones(source)]
    if not views or any(view.shape != node.shape for view in views):
        return None
    inner_shape = views[0].inputs[0].shape
    if inner_shape == node.shape or len(inner_shape) < len(node.shape):
        return None
    inputs = []
    for source in node.inputs:
        if _only_moves_ones(source) and source.inputs[0].shape == inner_shape:
            inputs.append(source.inputs[0])
        elif numel(source.shape) == 1 and source.op.kind is Kind.LEAF:
            inputs.append(source)
        elif source.shape == node.shape and source.op.kind is Kind.LEAF and len(inner_shape) > len(node.shape):
            inputs.append(build.reshape(source, inner_shape))  # of equal rank it would be sunk back, and so on
        else:
            return None
    sunk = make_node(node.op, tuple(inputs), node.attrs, derived_origin())
    return mv.reshape(sunk, shape=node.shape) if sunk.shape == inner_shape else None
