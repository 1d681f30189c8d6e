"""Reading elements that index tensors name. Indices are checked before anything that follows is written."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from lazygrad.codegen.escaping import Code
from lazygrad.ir.node import Node
from lazygrad.targets.cuda.library.arrays import Array, contiguous, each_element, names, opaque, operand, result
from lazygrad.targets.cuda.library.places import Check, broadcast_indices, check_indices, rows_named
from lazygrad.targets.cuda.writer import Writer

_PACKET = 16


def take(writer: Writer, node: Node, check: Check) -> None:
    """Rows of the leading axes that index tensors name."""
    x, out = operand(writer, node.inputs[0]), result(writer, node)
    indices = broadcast_indices(writer, node.inputs[1:])
    check_indices(writer, indices, x.shape, True, check)
    if 0 in x.shape:
        return
    x = contiguous(writer, x)
    kind, width = _packed(x, out, prod(x.shape[len(indices) :]))
    rows = rows_named(indices, x.shape)
    each_element(
        writer,
        "take",
        "take",
        (*rows.shape, width),
        [(f"const {kind} *x", x.start), *rows.parameters, (f"{kind} *out", out.start)],
        rows=rows.lines,
        row=rows.row,
        width=width,
        column=Code(f"i{len(rows.shape)}"),
    )


def _packed(x: Array, out: Array, width: int) -> tuple[str, int]:
    """The type in which rows of ``width`` elements are moved, and how many of it a row has."""
    size = x.dtype.itemsize
    if width * size % _PACKET == 0 and x.start.offset % _PACKET == 0 and out.start.offset % _PACKET == 0:
        return "lg_sixteen", width * size // _PACKET
    return opaque(x.dtype), width


def gather(writer: Writer, node: Node, check: Check) -> None:
    """Elements along one axis that an index tensor names."""
    x, index, out = operand(writer, node.inputs[0]), operand(writer, node.inputs[1]), result(writer, node)
    axis = node["axis"]
    if not node.shape:  # one element, along an axis of its own
        x, index, out = [replace(array, shape=(1,), strides=(1,)) for array in (x, index, out)]
    size, at = x.shape[axis], names("i", len(out.shape))
    check_indices(writer, [index], [size], node["wraps"], check)
    if 0 in x.shape:
        return
    kind = opaque(x.dtype)
    each_element(
        writer,
        "gather",
        "gather",
        out.shape,
        [(f"const {kind} *x", x.start), ("const i64 *index", index.start), (f"{kind} *out", out.start)],
        index=index.place(at),
        size=size,
        source=x.place([*at[:axis], "k", *at[axis + 1 :]]),
        target=out.place(at),
    )
