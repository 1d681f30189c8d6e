"""Calls along one axis: scans, positions of extremes, sorting. What they go along is a line."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from lazygrad.codegen.escaping import Code
from lazygrad.ir.dtype import Category, DType, float32, float64, int64, uint64
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import Shape
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import Array, indices, names, operand, read, result, scratch_array, written
from lazygrad.targets.cuda.library.bitonic import sort
from lazygrad.targets.cuda.library.linear_algebra import add_call
from lazygrad.targets.cuda.writer import Writer

_MOST_BLOCKS = 1 << 12
_BLOCK = 256
_MANY_LINES = 1 << 12
# Of 2¹⁶ keys the bitonic sort goes over memory 28 times, and of twice as many 36 times; a radix sort of 64 bits goes
# some ten times, whatever the length, but a line at a time.
LONGEST_SORTED_HERE = 1 << 16

_COMBINED: dict[Op, str] = {rd.cumsum: "x + y", rd.cumprod: "x * y", rd.logcumsumexp: "lg_logaddexp(x, y)"}


@dataclass(frozen=True, slots=True)
class _Lines:
    """An array as lines along an axis.

    Attributes:
        shape: of the other axes.
        length: of a line.
        begin: where line ``i0``, ``i1``, … begins, and ``stride`` from there.
    """

    shape: Shape
    length: int
    begin: Code
    stride: int


def _lines(array: Array, axis: int) -> _Lines:
    if not array.shape:
        return _Lines((), 1, Code("0"), 1)
    rest = (*array.shape[:axis], *array.shape[axis + 1 :])
    at = names("i", len(rest))
    begin = array.place([*at[:axis], "0", *at[axis:]])
    return _Lines(rest, array.shape[axis], begin, array.strides[axis])


def carried(dtype: DType) -> DType:
    """The dtype of running values: as on the CPU, f32 is carried in f64, so that long chains keep their digits."""
    return float64 if dtype is float32 else float32 if dtype.is_half else dtype


def scan(writer: Writer, node: Node) -> None:
    """Running sums, products and logarithms of sums of exponentials."""
    dtype = node.inputs[0].dtype
    has_branches = node.op is rd.logcumsumexp and dtype.is_complex  # which, depends on the order of sums
    source = _lines(operand(writer, node.inputs[0]), node["axis"])
    are_many = prod(source.shape) >= _MANY_LINES and source.stride != 1
    is_alone = has_branches or source.length <= 64 or are_many
    _each_line(
        writer,
        node,
        "scan_alone" if is_alone else "scan",
        _BLOCK if is_alone else 1,
        carried(dtype),
        shared=Code(CUDA.shared_array(carried(dtype), "warps", _BLOCK // 32)),
        combined=Code(_COMBINED[node.op]),
        result=written(f"({CUDA.register_type(node.dtype)})total", node.dtype),
    )


def cummax_index(writer: Writer, node: Node) -> None:
    """Index of the running maximum, the last one on ties; a NaN stays the maximum."""
    _each_line(writer, node, "cummax_index", _BLOCK, node.inputs[0].dtype)


def arg_extreme(writer: Writer, node: Node) -> None:
    """Index of the first maximum or minimum along an axis; NaN wins."""
    beats = Code(">" if node.op is rd.argmax else "<")
    _each_line(writer, node, "arg_extreme", _BLOCK // 32, node.inputs[0].dtype, beats=beats)


def _each_line(writer: Writer, node: Node, template: str, per_block: int, computed: DType, **values: Any) -> None:
    """Launch the function of a template that walks lines, of which a block has ``per_block`` at a time."""
    x, out = operand(writer, node.inputs[0]), result(writer, node)
    if not prod(node.shape):
        return
    source, target, kind = _lines(x, node["axis"]), _lines(out, node["axis"]), CUDA.register_type(computed)
    count = prod(source.shape)
    blocks = _grid(count, per_block)
    name = writer.library(
        template,
        node.op.name,
        kind=kind,
        memory=CUDA.memory_type(x.dtype),
        lines=count,
        at_once=blocks * per_block,
        length=source.length,
        decode=indices(source.shape, "line", "i"),
        source=source.begin,
        source_stride=source.stride,
        target=target.begin,
        target_stride=target.stride,
        element=Code(f"({kind}){read('from[k]', x.dtype)}"),
        **values,
    )
    writer.launch(name, blocks, _BLOCK, [x.start, out.start])


def _grid(count: int, per_block: int) -> int:
    return max(1, min(_MOST_BLOCKS, -(-count // per_block)))


def argsort(writer: Writer, node: Node) -> None:
    """Indices that sort an axis, by keys in the order of the elements, then by index: bitonic, or by the device's
    library where lines are long."""
    x, out = operand(writer, node.inputs[0]), result(writer, node)
    if not prod(node.shape):
        return
    source, target = _lines(x, node["axis"]), _lines(out, node["axis"])
    count, is_long = prod(source.shape), source.length > LONGEST_SORTED_HERE
    padded = source.length if is_long else max(2, 1 << (source.length - 1).bit_length())
    keys = scratch_array(writer, uint64, (count, padded))
    places = scratch_array(writer, int64, (count, padded))
    total = count * padded
    name = writer.library(
        "sort_keys",
        "sort_keys",
        memory=CUDA.memory_type(x.dtype),
        length=source.length,
        decode=indices(source.shape, "line", "i"),
        source=source.begin,
        source_stride=source.stride,
        key=Code(_key(x.dtype, str(read("value", x.dtype)), node["descending"])),
        total=total,
        padded=padded,
        threads=_grid(total, _BLOCK) * _BLOCK,
    )
    writer.launch(name, _grid(total, _BLOCK), _BLOCK, [x.start, keys.start, places.start])
    if is_long:
        add_call(writer, "argsort", [keys], [places])
    else:
        sort(writer, keys, places)
    name = writer.library(
        "sort_places", "sort_places", length=source.length, padded=padded, total=count * source.length,
        decode=indices(source.shape, "line", "i"), target=target.begin, target_stride=target.stride,
        threads=_grid(count * source.length, _BLOCK) * _BLOCK,
    )  # fmt: skip
    writer.launch(name, _grid(count * source.length, _BLOCK), _BLOCK, [places.start, out.start])


def _key(dtype: DType, value: str, descending: bool) -> str:
    """A u64 in the order of the elements; NaN is the largest, both zeros are equal."""
    if dtype.category is Category.FLOAT:
        key = f"lg_key({value})"
    else:
        key = f"((u64)(i64){value} ^ 0x8000000000000000ull)" if dtype.signed else f"(u64){value}"
    return f"~{key}" if descending else key
