"""Elementwise functions that stand outside fused kernels: a thread per element, in f64 but for whole numbers."""

from __future__ import annotations

from lazygrad.codegen.escaping import Code
from lazygrad.ir.dtype import Category, DType
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.pointwise import FUNCTIONS
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import each_element, names, operand, read, result, written
from lazygrad.targets.cuda.writer import Writer


def pointwise(writer: Writer, node: Node) -> None:
    """A function by name, which a prelude calls ``lg_<name>``."""
    arrays, out = [operand(writer, each).expanded(node.shape) for each in node.inputs], result(writer, node)
    at, dtype = names("i", len(node.shape)), arrays[0].dtype
    elements = [f"x{number}[{array.place(at)}]" for number, array in enumerate(arrays)]
    memory = CUDA.memory_type(dtype)
    each_element(
        writer,
        "convert",
        f"pointwise_{node['function']}",
        node.shape,
        [
            *[(f"const {memory} *x{number}", array.start) for number, array in enumerate(arrays)],
            (f"{CUDA.memory_type(node.dtype)} *out", out.start),
        ],
        target=out.place(at),
        element=_called(node["function"], elements, dtype, node.dtype),
    )


def _called(function: str, elements: list[str], dtype: DType, made: DType) -> Code:
    values = [str(read(element, dtype)) for element in elements]
    if function == "nextafter":  # of the dtype itself, whose bits it counts
        return Code(f"lg_next({', '.join([*elements, *values])})")
    if FUNCTIONS[function].category is not Category.INTEGER:
        values = [f"(f64){value}" for value in values]
    return written(f"({CUDA.register_type(made)})lg_{function}({', '.join(values)})", made)
