"""Translations of what moves elements: views, paddings, concatenations, and what picks elements by data."""

from __future__ import annotations

from math import prod

import numpy as np

from lazygrad.export.onnx.translator import Size, Translator, translates
from lazygrad.export.program import ExportError
from lazygrad.host.strides import as_strided
from lazygrad.ir.dtype import dtype_named
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.leaf import scalar
from lazygrad.ir.view import View

_LOWEST = -(1 << 63)  # as the end of a slice that goes backwards: up to the first element


@translates(mv.reshape)
def _reshape(t: Translator, node: Node) -> str:
    return t.reshaped(t.operands(node)[0], t.shape(node))


@translates(mv.permute)
def _permute(t: Translator, node: Node) -> str:
    return t.add("Transpose", *t.operands(node), perm=node["axes"])


@translates(mv.expand)
def _expand(t: Translator, node: Node) -> str:
    return t.add("Expand", *t.operands(node), t.ints(t.shape(node)))


@translates(mv.slice_)
def _slice(t: Translator, node: Node) -> str:
    starts, stops, steps = (t.attr(node, name) for name in node.op.attr_names)
    shape = t.shape(node.inputs[0])
    axes = [a for a, size in enumerate(shape) if (starts[a], stops[a], steps[a]) != (0, size, 1)]
    return _sliced(
        t, t.operands(node)[0], axes, [starts[a] for a in axes], [stops[a] for a in axes], [steps[a] for a in axes]
    )


def _sliced(
    t: Translator, x: str, axes: list[int], starts: list[Size], stops: list[Size], steps: list[Size] | None = None
) -> str:
    if not axes:
        return x
    return t.add("Slice", x, t.ints(starts), t.ints(stops), t.ints(axes), t.ints(steps or [1] * len(axes)))


@translates(mv.flip)
def _flip(t: Translator, node: Node) -> str:
    axes = list(node["axes"])
    backwards: list[Size] = [-1] * len(axes)
    return _sliced(t, t.operands(node)[0], axes, backwards, [_LOWEST] * len(axes), backwards)


@translates(mv.windows)
def _windows(t: Translator, node: Node) -> str:
    size, stride, dilation = (t.attr(node, name) for name in node.op.attr_names)
    shape = t.shape(node.inputs[0])
    lead, spatial = shape[: len(shape) - len(size)], t.known(node, shape[len(shape) - len(size) :], "a spatial size")
    view = View.contiguous(spatial).windows(size, stride, dilation)
    return t.gathered(node, t.operands(node)[0], lead, positions(view))


@translates(mv.diagonal)
def _diagonal(t: Translator, node: Node) -> str:
    offset, *axes = (node[name] for name in node.op.attr_names)
    shape = t.known(node, t.shape(node.inputs[0]), "a size")
    view = View.contiguous(shape).diagonal(offset, *axes)
    return t.gathered(node, t.operands(node)[0], (), positions(view))


@translates(ix.read_view)
def _read_view(t: Translator, node: Node) -> str:
    view = View(*(node[name] for name in node.op.attr_names))
    return t.gathered(node, t.operands(node)[0], (), positions(_shifted(node, view, 1)))


@translates(ix.update_view)
def _update_view(t: Translator, node: Node) -> str:
    base, values = t.operands(node)[:2]
    shape = t.known(node, t.shape(node), "a size")
    view = _shifted(node, View(*(node[name] for name in node.op.attr_names)), 2)
    flat = t.reshaped(base, [prod(shape)])
    places = t.model.constant(positions(view).reshape(-1))
    written = t.add("ScatterElements", flat, places, t.reshaped(values, [prod(view.shape)]), axis=0)
    return t.reshaped(written, shape)


def _shifted(node: Node, view: View, operand: int) -> View:
    """A view whose offset another input may add to, which must be a number that is known."""
    if len(node.inputs) <= operand:
        return view
    return View(view.shape, view.strides, view.offset + _known_number(node.inputs[operand]))


def _known_number(node: Node) -> int:
    if node.op is not scalar:
        raise ExportError(
            f"ONNX export: a place that is computed cannot be written to ({node.origin or 'origin unknown'})"
        )
    return int(node.attrs[0])


def positions(view: View) -> np.ndarray:
    """Which elements of the memory a view names."""
    last = sum((size - 1) * max(step, 0) for size, step in zip(view.shape, view.strides, strict=True))
    memory = np.arange(view.offset + last + 1)
    return as_strided(memory[view.offset :], view.shape, [8 * step for step in view.strides]).copy()


@translates(ix.pad)
def _pad(t: Translator, node: Node) -> str:
    before, after = (t.known(node, t.attr(node, name), "a padding") for name in ("before", "after"))
    x, value = t.operands(node)
    shape = t.shape(node.inputs[0])
    cropped = [a for a in range(node.rank) if before[a] < 0 or after[a] < 0]
    if cropped:
        sizes = t.known(node, [shape[a] for a in cropped], "a size that is cropped")
        starts: list[Size] = [max(-before[a], 0) for a in cropped]
        stops: list[Size] = [size + min(after[a], 0) for a, size in zip(cropped, sizes, strict=True)]
        x = _sliced(t, x, cropped, starts, stops)
    amounts = [max(amount, 0) for amount in (*before, *after)]
    return t.add("Pad", x, t.ints(amounts), value) if any(amounts) else x


@translates(ix.concat)
def _concat(t: Translator, node: Node) -> str:
    return t.add("Concat", *t.operands(node), axis=node["axis"])


@translates(ix.roll)
def _roll(t: Translator, node: Node) -> str:
    axis, (size,) = node["axis"], t.known(node, [t.shape(node)[node["axis"]]], "the axis that is rolled")
    distance = _known_number(node.inputs[1])
    first = (distance if node["backward"] else -distance) % max(size, 1)
    x = t.operands(node)[0]
    parts = [_sliced(t, x, [axis], [first], [size]), _sliced(t, x, [axis], [0], [first])]
    return t.add("Concat", *parts, axis=axis) if first else x


@translates(ix.iota)
def _iota(t: Translator, node: Node) -> str:
    dtype = dtype_named(node["dtype"])
    numbers = t.add("Range", t.size(0), t.size(t.attr(node, "length")), t.size(1))
    return t.cast(numbers, dtype)


@translates(ix.gather)
def _gather(t: Translator, node: Node) -> str:
    return t.add("GatherElements", *t.operands(node), axis=node["axis"])


@translates(ix.take)
def _take(t: Translator, node: Node) -> str:
    x, *indices = t.operands(node)
    if len(indices) == 1:
        return t.add("Gather", x, *indices, axis=0)
    return t.add("GatherND", x, _joined(t, node, indices, t.shape(node), node.inputs[0].rank))


@translates(ix.put)
def _put(t: Translator, node: Node) -> str:
    x, values, *indices = t.operands(node)
    places = _joined(t, node, indices, t.shape(node.inputs[1]), node.inputs[0].rank)
    return t.add("ScatterND", x, places, values, reduction="add" if node["accumulate"] else "none")


def _joined(t: Translator, node: Node, indices: list[str], result: tuple[Size, ...], rank: int) -> str:
    """Index tensors that broadcast, side by side in a new last axis."""
    own = result[: len(result) - (rank - len(indices))]
    columns = [t.reshaped(t.add("Expand", index, t.ints(own)), [*own, 1]) for index in indices]
    return t.add("Concat", *columns, axis=len(own))


@translates(ix.scatter)
def _scatter(t: Translator, node: Node) -> str:
    x, source, index = t.operands(node)
    shape, wanted = t.shape(node.inputs[1]), t.shape(node.inputs[2])
    axes = [a for a, size in enumerate(wanted) if size != shape[a]]
    source = _sliced(t, source, axes, [0] * len(axes), [wanted[a] for a in axes])
    if node["reduce"] in ("amax", "amin") and t.model.opset < 18:
        raise ExportError(
            f"ONNX has no scatter with {node['reduce']} before opset 18 ({node.origin or 'origin unknown'})"
        )
    names = {"set": "none", "sum": "add", "prod": "mul", "amax": "max", "amin": "min"}
    return t.add("ScatterElements", x, index, source, axis=node["axis"], reduction=names[node["reduce"]])
