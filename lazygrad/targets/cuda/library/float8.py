"""Casts of 8-bit floats."""

from __future__ import annotations

from lazygrad.codegen.escaping import Code
from lazygrad.host.calls.float8 import FORMATS
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import each_element, names, operand, result
from lazygrad.targets.cuda.writer import Writer


def cast_float8(writer: Writer, node: Node) -> None:
    """Numbers of an 8-bit format as float32, or the other way round."""
    x, out = operand(writer, node.inputs[0]), result(writer, node)
    at = names("i", len(node.shape))
    read = f"x[{x.place(at)}]"
    if x.dtype.is_float8:
        value = f"{_format(x.dtype)}::load({read})"
    else:
        value = f"{_format(out.dtype)}::store({read})"
    each_element(
        writer,
        "convert",
        "cast_float8",
        node.shape,
        [(f"const {CUDA.memory_type(x.dtype)} *x", x.start), (f"{CUDA.memory_type(out.dtype)} *out", out.start)],
        target=out.place(at),
        element=Code(value),
    )


def _format(dtype: DType) -> str:
    found = FORMATS.get(dtype.name)
    if found is None:
        return "lg_float8_powers"
    numbers = [found.fraction_bits, found.bias, found.largest, found.too_large, found.nan, int(found.has_one_zero)]
    return f"lg_float8<{', '.join(map(str, numbers))}>"
