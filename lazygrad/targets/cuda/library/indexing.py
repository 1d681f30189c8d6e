"""Reading and writing elements that index tensors name.

Indices are checked before anything is written; what reads or writes through them leaves out those that are refused.
Where several values go to one place, the last of those that are set is found first. Sums of rows are added up by one
thread in order; sums of few elements to an index are atomic, so the last bits of floats depend on the order of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.ir.dtype import Category, DType, bool_, float32, int32
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape, broadcast_shapes
from lazygrad.ir.view import contiguous_strides
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import (
    Array,
    contiguous,
    convert,
    each_element,
    names,
    opaque,
    operand,
    result,
    scratch_array,
)
from lazygrad.targets.cuda.library.moves import start_from
from lazygrad.targets.cuda.table import FillStep, Parameter
from lazygrad.targets.cuda.writer import Writer

Check = Callable[[], None]

_ORDERED_WIDTH = 32  # elements to an index from which on sums are added up in order
_ORDERED_BLOCKS = 256
_PACKET = 16


def _check_indices(writer: Writer, indices: Sequence[Array], sizes: Sequence[int], wraps: bool, check: Check) -> None:
    """Refuse the step where an index lies outside its axis."""
    word = writer.word()
    for index, size in zip(indices, sizes, strict=False):
        once = [1 if stride == 0 else n for n, stride in zip(index.shape, index.strides, strict=True)]
        seen = replace(index, shape=tuple(once))
        each_element(
            writer,
            "check_index",
            "check_index",
            seen.shape,
            [("const i64 *index", seen.start), ("i32 *refused", word)],
            index=seen.place(names("i", len(seen.shape))),
            lowest=-size if wraps else 0,
            size=size,
        )
    check()


def _rows(shape: Shape, indices: Sequence[Array]) -> tuple[list[Code], Code]:
    """Statements that read the indices ``k0``, ``k1``, … at ``i0``, …, and the number of the row that they name."""
    lines, row = [], "0"
    for axis, index in enumerate(indices):
        size, read = shape[axis], f"index{axis}[{index.place(names('i', len(index.shape)))}]"
        lines.append(f"const i64 given{axis} = {read}, k{axis} = given{axis} < 0 ? given{axis} + {size} : given{axis};")
        row = f"k{axis}" if row == "0" else f"({row}) * {size} + k{axis}"
    inside = " && ".join(f"k{axis} >= 0 && k{axis} < {shape[axis]}" for axis in range(len(indices))) or "true"
    lines.append(f"const bool is_inside = {inside};")
    return code_lines(lines), Code(row)


def _index_parameters(indices: Sequence[Array]) -> list[tuple[str, Parameter]]:
    return [(f"const i64 *index{axis}", index.start) for axis, index in enumerate(indices)]


def _indices(writer: Writer, nodes: Sequence[Node]) -> tuple[list[Array], Shape]:
    """Index tensors, broadcast to one shape."""
    arrays = [operand(writer, node) for node in nodes]
    shape = broadcast_shapes("index", *[array.shape for array in arrays])
    return [array.expanded(shape) for array in arrays], shape


def take(writer: Writer, node: Node, check: Check) -> None:
    """Rows of the leading axes that index tensors name."""
    x, out = operand(writer, node.inputs[0]), result(writer, node)
    indices, lead = _indices(writer, node.inputs[1:])
    _check_indices(writer, indices, x.shape, True, check)
    if 0 in x.shape:
        return
    x = contiguous(writer, x)
    width = prod(x.shape[len(indices) :])
    kind, width = _packed(x, out, width)
    lines, row = _rows(x.shape, indices)
    each_element(
        writer,
        "take",
        "take",
        (*lead, width),
        [(f"const {kind} *x", x.start), *_index_parameters(indices), (f"{kind} *out", out.start)],
        rows=lines,
        row=row,
        width=width,
        column=Code(f"i{len(lead)}"),
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
    _check_indices(writer, [index], [size], node["wraps"], check)
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


def put(writer: Writer, node: Node, check: Check) -> None:
    """The first input with rows set to values, or increased by them."""
    indices, lead = _indices(writer, node.inputs[2:])
    values = operand(writer, node.inputs[1])
    _check_indices(writer, indices, node.shape, True, check)
    out = start_from(writer, node)
    rows, width = prod(node.shape[: len(indices)]), prod(node.shape[len(indices) :])
    if not prod(values.shape):
        return
    lines, row = _rows(node.shape, indices)
    if not node["accumulate"]:
        _set(writer, out, values, (*lead, width), lines, row, rows, _index_parameters(indices))
    elif width >= _ORDERED_WIDTH:
        _add_in_order(writer, out, contiguous(writer, values), indices, lead, lines, row, rows, width)
    else:
        flat = contiguous(writer, values)
        flat = replace(flat, shape=(*lead, width), strides=contiguous_strides((*lead, width)))
        place = Code(f"({row}) * {width} + i{len(lead)}")
        _combine(writer, out, flat, (*lead, width), lines, place, "sum", _index_parameters(indices))


def _set(
    writer: Writer,
    out: Array,
    values: Array,
    sizes: Shape,
    lines: list[Code],
    row: Code,
    rows: int,
    parameters: list[tuple[str, Parameter]],
) -> None:
    """Set rows; the last of the values for a row is found by a maximum of positions."""
    last = scratch_array(writer, int32, (rows,))
    writer.add(FillStep(last.start, 0, 4 * rows))
    lead, width = sizes[:-1], sizes[-1]
    each_element(
        writer,
        "find_last",
        "find_last",
        lead,
        [*parameters, ("i32 *last", last.start)],
        rows=lines,
        row=row,
    )
    kind = opaque(out.dtype)
    flat = contiguous(writer, values)
    each_element(
        writer,
        "set_rows",
        "set_rows",
        sizes,
        [
            (f"const {kind} *values", flat.start),
            *parameters,
            ("const i32 *last", last.start),
            (f"{kind} *out", out.start),
        ],
        rows=lines,
        row=row,
        width=width,
        column=Code(f"i{len(lead)}"),
    )


def _add_in_order(
    writer: Writer,
    out: Array,
    values: Array,
    indices: list[Array],
    lead: Shape,
    lines: list[Code],
    row: Code,
    rows: int,
    width: int,
) -> None:
    """Add rows of values: each block adds up the rows of the result that are its own, value by value."""
    count = prod(lead)
    numbers = scratch_array(writer, int32, (count,))
    each_element(
        writer,
        "row_numbers",
        "row_numbers",
        lead,
        [*_index_parameters(indices), ("i32 *numbers", numbers.start)],
        rows=lines,
        row=row,
    )
    total = accumulated(out.dtype)
    held = out if total is out.dtype else convert(writer, out, total)
    memory, kind = CUDA.memory_type(values.dtype), CUDA.register_type(total)
    blocks = min(rows, _ORDERED_BLOCKS)
    name = writer.library(
        "add_rows",
        "add_rows",
        memory=memory,
        kind=kind,
        element=Code(CUDA.loaded(f"values[(i64)n * {width} + column]", values.dtype)),
        count=count,
        width=width,
        blocks=blocks,
    )
    writer.launch(name, blocks, 256, [values.start, numbers.start, held.start])
    if held is not out:
        convert(writer, held, out.dtype, out)


def scatter(writer: Writer, node: Node, check: Check) -> None:
    """The first input with elements along one axis set, or combined with those of a source."""
    source, index, axis = operand(writer, node.inputs[1]), operand(writer, node.inputs[2]), node["axis"]
    if not node.shape:
        source, index = [replace(array, shape=(1,), strides=(1,)) for array in (source, index)]
    size = node.shape[axis] if node.shape else 1
    _check_indices(writer, [index], [size], False, check)
    out = start_from(writer, node)
    if not node.shape:
        out = replace(out, shape=(1,), strides=(1,))
    if not prod(index.shape):
        return
    at = names("i", len(index.shape))
    used = contiguous(writer, replace(source, shape=index.shape))
    lines = code_lines([f"const i64 k = index0[{index.place(at)}];", f"const bool is_inside = k >= 0 && k < {size};"])
    place = out.place([*at[:axis], "k", *at[axis + 1 :]])
    parameters: list[tuple[str, Parameter]] = [("const i64 *index0", index.start)]
    if node["reduce"] == "set":
        _set(writer, out, used, (*index.shape, 1), lines, place, prod(out.shape), parameters)
    else:
        _combine(writer, out, used, index.shape, lines, place, node["reduce"], parameters)


_COMBINED = {
    "sum": "x + y",
    "prod": "x * y",
    "amax": "x > y || x != x ? x : y",
    "amin": "x < y || x != x ? x : y",
}


def _combine(
    writer: Writer,
    out: Array,
    values: Array,
    sizes: Shape,
    lines: list[Code],
    place: Code,
    reduce: str,
    parameters: list[tuple[str, Parameter]],
) -> None:
    """Combine elements with values, by atomic operations."""
    total = accumulated(out.dtype)
    held = out if total is out.dtype else convert(writer, out, total)
    kind, memory = CUDA.register_type(total), CUDA.memory_type(values.dtype)
    each_element(
        writer,
        "combine",
        f"combine_{reduce}",
        sizes,
        [(f"const {memory} *values", values.start), *parameters, (f"{kind} *out", held.start)],
        rows=lines,
        place=place,
        kind=kind,
        is_sum=int(reduce == "sum"),
        combined=Code(_COMBINED[reduce]),
        value=Code(f"({kind}){CUDA.loaded('values[n]', values.dtype)}"),
    )
    if held is not out:
        convert(writer, held, out.dtype, out)


def accumulated(dtype: DType) -> DType:
    """The dtype in which several values are added into one place."""
    if dtype.is_half:
        return float32
    return int32 if dtype is bool_ or (dtype.category is Category.INTEGER and dtype.itemsize < 4) else dtype
