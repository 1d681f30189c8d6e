"""Operands of library calls: where their elements lie, as text for templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.ir.dtype import DType, bool_
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import View, contiguous_strides
from lazygrad.passes.views import view_of
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.table import Address, Parameter
from lazygrad.targets.cuda.writer import Writer

BLOCK = 256
_MOST_BLOCKS = 1 << 12
_OPAQUE = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "lg_sixteen"}


@dataclass(frozen=True, slots=True)
class Array:
    """A strided array; strides and offset count elements from ``address`` on."""

    address: Address
    dtype: DType
    shape: Shape
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def is_contiguous(self) -> bool:
        return View(self.shape, self.strides).is_contiguous

    @property
    def start(self) -> Address:
        """Of its first element."""
        return self.address + self.offset * self.dtype.itemsize

    def place(self, indices: Sequence[str]) -> Code:
        """The expression of an element's place behind ``start``."""
        terms = [
            index if stride == 1 else f"{index} * {stride}"
            for index, size, stride in zip(indices, self.shape, self.strides, strict=True)
            if size != 1 and stride != 0
        ]
        return Code(" + ".join(terms) or "0")

    def narrowed(self, axis: int, start: int, stop: int) -> Array:
        """A slice along an axis."""
        shape = (*self.shape[:axis], stop - start, *self.shape[axis + 1 :])
        return replace(self, shape=shape, offset=self.offset + start * self.strides[axis])

    def expanded(self, shape: Shape) -> Array:
        """Broadcast to ``shape``."""
        view = View(self.shape, self.strides, self.offset).expand(shape)
        return replace(self, shape=shape, strides=view.strides)


def operand(writer: Writer, node: Node) -> Array:
    """An operand that is stored."""
    base, view = view_of(node)
    strides = view.strides
    if base is node:
        strides = writer.schedule.memory_of(node)[1].strides
    return Array(writer.address(base), node.dtype, view.shape, strides, view.offset)


def result(writer: Writer, node: Node) -> Array:
    """Where a call writes its result."""
    strides = writer.schedule.memory_of(node)[1].strides
    return Array(writer.address(node), node.dtype, node.shape, strides)


def scratch_array(writer: Writer, dtype: DType, shape: Shape) -> Array:
    """A row-major array in the scratch memory of the step at hand."""
    return Array(writer.scratch(prod(shape) * dtype.itemsize), dtype, shape, contiguous_strides(shape))


def opaque(dtype: DType) -> str:
    """A type of elements that are only moved."""
    return _OPAQUE[dtype.itemsize]


def indices(sizes: Sequence[int], number: str, prefix: str) -> list[Code]:
    """Declarations of the indices of element ``number`` of a row-major array: ``prefix0``, ``prefix1``, …"""
    lines, step = [], 1
    for axis in reversed(range(len(sizes))):
        text = f"{number} / {step}" if step > 1 else number
        lines.append(f"const i64 {prefix}{axis} = {f'{text} % {sizes[axis]}' if axis else text};")
        step *= max(sizes[axis], 1)
    return code_lines(reversed(lines))


def names(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{axis}" for axis in range(count)]


def each_element(
    writer: Writer,
    template: str,
    word: str,
    sizes: Sequence[int],
    parameters: Sequence[tuple[str, Parameter]],
    **values: Any,
) -> None:
    """Launch the function of a template that extends ``elements.cu.j2``: a thread per element of ``sizes``.

    Args:
        writer: of the plan.
        template, word: of the function.
        sizes: what ``n`` counts in the template; ``i0``, ``i1``, … are its indices.
        parameters: their declarations, and what is handed over.
        values: for the template.
    """
    count = prod(sizes)
    if not count:
        return
    blocks = min(_MOST_BLOCKS, -(-count // BLOCK))
    name = writer.library(
        template,
        word,
        count=count,
        block=BLOCK,
        threads=blocks * BLOCK,
        decode=indices(sizes, "n", "i"),
        parameters=code_lines([declaration for declaration, _ in parameters]),
        **values,
    )
    writer.launch(name, blocks, BLOCK, [parameter for _, parameter in parameters])


def copy(writer: Writer, source: Array, target: Array) -> None:
    """Copy elements; the shapes are equal."""
    kind = opaque(source.dtype)
    each_element(
        writer,
        "copy",
        "copy",
        source.shape,
        [(f"const {kind} *x", source.start), (f"{kind} *out", target.start)],
        source=source.place(names("i", len(source.shape))),
        target=target.place(names("i", len(target.shape))),
    )


def contiguous(writer: Writer, array: Array) -> Array:
    """The array itself if it is row-major, else a copy in scratch memory."""
    if array.is_contiguous:
        return array
    made = scratch_array(writer, array.dtype, array.shape)
    copy(writer, array, made)
    return made


def read(text: str, dtype: DType) -> Code:
    """The expression of a memory element in the type in which it is computed with."""
    return Code(CUDA.loaded(text, dtype))


def written(text: str, dtype: DType) -> Code:
    """The expression of a computed value as a memory element."""
    return Code(CUDA.stored(text, dtype))


def convert(writer: Writer, source: Array, dtype: DType, target: Array | None = None) -> Array:
    """A row-major array as another dtype, in ``target`` or in scratch memory."""
    made = target or scratch_array(writer, dtype, source.shape)
    register = CUDA.register_type(dtype)
    value = CUDA.loaded("x[n]", source.dtype)
    text = f"{value} != 0" if dtype is bool_ else f"({register}){value}"
    memories = CUDA.memory_type(source.dtype), CUDA.memory_type(dtype)
    each_element(
        writer,
        "convert",
        "convert",
        source.shape,
        [(f"const {memories[0]} *x", source.start), (f"{memories[1]} *out", made.start)],
        target="n",
        element=written(text, dtype),
    )
    return made
