"""Several values into one place: sums, products and extremes of what index tensors bring together.

Wide rows are added up by a block each, value by value. Narrow ones are combined by atomic operations, so the last bits
of floats depend on the order of threads; with deterministic algorithms, values are sorted by their place first, and
one thread combines those of a place in order.
"""

from __future__ import annotations

from math import prod

from lazygrad.codegen.escaping import Code
from lazygrad.ir.dtype import Category, DType, bool_, float32, int32, int64
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import Array, convert, each_element, read, scratch_array
from lazygrad.targets.cuda.library.bitonic import sort
from lazygrad.targets.cuda.library.places import Places
from lazygrad.targets.cuda.table import FillStep
from lazygrad.targets.cuda.writer import Writer

_ORDERED_WIDTH = 32  # elements to an index from which on a block adds up rows
_ORDERED_BLOCKS = 256

_COMBINED = {
    "sum": "x + y",
    "prod": "x * y",
    "amax": "x > y || x != x ? x : y",
    "amin": "x < y || x != x ? x : y",
}


def combine(writer: Writer, out: Array, values: Array, places: Places, width: int, reduce: str) -> None:
    """Combine rows of ``width`` elements of a result with rows of values."""
    total = accumulated(out.dtype)
    held = out if total is out.dtype else convert(writer, out, total)
    if reduce == "sum" and width >= _ORDERED_WIDTH:
        _add_rows(writer, held, values, places, width)
    elif _depends_on_order(total) and writer.orders_sums():
        _combine_sorted(writer, held, values, places, width, reduce)
    else:
        _combine_atomically(writer, held, values, places, width, reduce)
    if held is not out:
        convert(writer, held, out.dtype, out)


def _depends_on_order(dtype: DType) -> bool:
    """Whether the order of operands shows in a result: of floats it does, even in the sign of a largest zero."""
    return dtype.is_floating_point or dtype.is_complex


def accumulated(dtype: DType) -> DType:
    """The dtype in which several values are added into one place."""
    if dtype.is_half:
        return float32
    return int32 if dtype is bool_ or (dtype.category is Category.INTEGER and dtype.itemsize < 4) else dtype


def _combine_atomically(writer: Writer, out: Array, values: Array, places: Places, width: int, reduce: str) -> None:
    kind, memory = CUDA.register_type(out.dtype), CUDA.memory_type(values.dtype)
    each_element(
        writer,
        "combine",
        f"combine_{reduce}",
        (*places.shape, width),
        [(f"const {memory} *values", values.start), *places.parameters, (f"{kind} *out", out.start)],
        rows=places.lines,
        place=Code(f"({places.row}) * {width} + i{len(places.shape)}"),
        kind=kind,
        is_sum=int(reduce == "sum"),
        combined=Code(_COMBINED[reduce]),
        value=Code(f"({kind}){read('values[n]', values.dtype)}"),
    )


def _combine_sorted(writer: Writer, out: Array, values: Array, places: Places, width: int, reduce: str) -> None:
    """Sort the values by their row and then by their number. The first thread of a row's values combines them all."""
    count = prod(places.shape)
    padded = max(2, 1 << (count - 1).bit_length())
    keys, numbers = scratch_array(writer, int64, (1, padded)), scratch_array(writer, int64, (1, padded))
    for array in (keys, numbers):  # what fills up, and what is refused, has the largest key
        writer.add(FillStep(array.start, 0xFF, 8 * padded))
    each_element(
        writer,
        "row_keys",
        "row_keys",
        places.shape,
        [*places.parameters, ("u64 *keys", keys.start), ("i64 *numbers", numbers.start)],
        rows=places.lines,
        row=places.row,
    )
    sort(writer, keys, numbers)
    kind, memory = CUDA.register_type(out.dtype), CUDA.memory_type(values.dtype)
    each_element(
        writer,
        "combine_sorted",
        f"combine_{reduce}_sorted",
        (count, width),
        [
            ("const u64 *keys", keys.start),
            ("const i64 *numbers", numbers.start),
            (f"const {memory} *values", values.start),
            (f"{kind} *out", out.start),
        ],
        values_count=count,
        width=width,
        kind=kind,
        combined=Code(_COMBINED[reduce]),
        value=Code(f"({kind}){read(f'values[numbers[i] * {width} + i1]', values.dtype)}"),
    )


def _add_rows(writer: Writer, out: Array, values: Array, places: Places, width: int) -> None:
    """Each block adds up the rows of the result that are its own, value by value."""
    count, rows = prod(places.shape), prod(out.shape) // width
    numbers = scratch_array(writer, int32, (count,))
    named = [*places.parameters, ("i32 *numbers", numbers.start)]
    each_element(writer, "row_numbers", "row_numbers", places.shape, named, rows=places.lines, row=places.row)
    blocks = min(rows, _ORDERED_BLOCKS)
    name = writer.library(
        "add_rows",
        "add_rows",
        memory=CUDA.memory_type(values.dtype),
        kind=CUDA.register_type(out.dtype),
        element=read(f"values[(i64)n * {width} + column]", values.dtype),
        count=count,
        width=width,
        blocks=blocks,
    )
    writer.launch(name, blocks, 256, [values.start, numbers.start, out.start])
