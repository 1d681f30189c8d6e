"""Results that begin as their first input, and of which index tensors name what is written: set, or combined.

Indices are checked before anything is written; what is refused is left out. Where several values go to one place, the
last of those that are set is found first.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from lazygrad.codegen.escaping import Code
from lazygrad.ir.dtype import int32
from lazygrad.ir.node import Node
from lazygrad.targets.cuda.library.arrays import Array, contiguous, each_element, opaque, operand, scratch_array
from lazygrad.targets.cuda.library.combining import combine
from lazygrad.targets.cuda.library.moves import start_from
from lazygrad.targets.cuda.library.places import (
    Check,
    Places,
    broadcast_indices,
    check_indices,
    elements_named,
    rows_named,
)
from lazygrad.targets.cuda.table import FillStep
from lazygrad.targets.cuda.writer import Writer


def put(writer: Writer, node: Node, check: Check) -> None:
    """The first input with rows set to values, or increased by them."""
    indices, values = broadcast_indices(writer, node.inputs[2:]), operand(writer, node.inputs[1])
    check_indices(writer, indices, node.shape, True, check)
    out = start_from(writer, node)
    if not prod(values.shape):
        return
    places, width = rows_named(indices, node.shape), prod(node.shape[len(indices) :])
    if node["accumulate"]:
        combine(writer, out, contiguous(writer, values), places, width, "sum")
    else:
        _set(writer, out, contiguous(writer, values), places, width)


def scatter(writer: Writer, node: Node, check: Check) -> None:
    """The first input with elements along one axis set, or combined with those of a source."""
    source, index = operand(writer, node.inputs[1]), operand(writer, node.inputs[2])
    out_shape = node.shape or (1,)
    if not node.shape:  # one element, along an axis of its own
        source, index = [replace(array, shape=(1,), strides=(1,)) for array in (source, index)]
    check_indices(writer, [index], [out_shape[node["axis"]]], False, check)
    out = start_from(writer, node)
    if not node.shape:
        out = replace(out, shape=(1,), strides=(1,))
    if not prod(index.shape):
        return
    used, places = contiguous(writer, replace(source, shape=index.shape)), elements_named(index, node["axis"], out)
    if node["reduce"] == "set":
        _set(writer, out, used, places, 1)
    else:
        combine(writer, out, used, places, 1, node["reduce"])


def _set(writer: Writer, out: Array, values: Array, places: Places, width: int) -> None:
    """Set rows of ``width`` elements; the last of the values for a row is found by a maximum of positions."""
    rows = prod(out.shape) // width
    last = scratch_array(writer, int32, (rows,))
    writer.add(FillStep(last.start, 0, 4 * rows))
    named = [*places.parameters, ("i32 *last", last.start)]
    each_element(writer, "find_last", "find_last", places.shape, named, rows=places.lines, row=places.row)
    kind = opaque(out.dtype)
    each_element(
        writer,
        "set_rows",
        "set_rows",
        (*places.shape, width),
        [
            (f"const {kind} *values", values.start),
            *places.parameters,
            ("const i32 *last", last.start),
            (f"{kind} *out", out.start),
        ],
        rows=places.lines,
        row=places.row,
        width=width,
        column=Code(f"i{len(places.shape)}"),
    )
