"""Calls that only move elements: joining, strided views, rolling, counting."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from lazygrad.codegen.escaping import Code
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.passes.destinations import runs_elsewhere
from lazygrad.passes.views import view_of
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import (
    Array,
    contiguous,
    copy,
    each_element,
    names,
    opaque,
    operand,
    result,
    written,
)
from lazygrad.targets.cuda.table import CopyStep, Parameter
from lazygrad.targets.cuda.writer import Writer, number_of


def concat(writer: Writer, node: Node) -> None:
    """Parts one after another along an axis; those that were made in place are there already."""
    out, axis = result(writer, node), node["axis"]
    for run in runs_elsewhere(node, writer.schedule.destinations):
        begin = run.start
        for part in run.parts:
            end = begin + part.shape[axis]
            move(writer, operand(writer, part), out.narrowed(axis, begin, end))
            begin = end


def move(writer: Writer, source: Array, target: Array) -> None:
    """Copy elements; as bytes where both lie in order."""
    size = prod(source.shape) * source.dtype.itemsize
    if source.is_contiguous and target.is_contiguous:
        if size and source.start != target.start:
            writer.add(CopyStep(source.start, target.start, size))
    else:
        copy(writer, source, target)


def start_from(writer: Writer, node: Node) -> Array:
    """The result, which begins as a copy of the first input unless it lies there."""
    out = result(writer, node)
    move(writer, operand(writer, node.inputs[0]), out)
    return out


def update_view(writer: Writer, node: Node) -> None:
    """The first input with the elements of a strided view replaced."""
    out = start_from(writer, node)
    target = replace(out, shape=node["shape"], strides=node["strides"], offset=out.offset + node["offset"])
    _shifted(writer, operand(writer, node.inputs[1]), target, None, node.inputs[2:3])


def read_view(writer: Writer, node: Node) -> None:
    """The elements of a strided view."""
    base = contiguous(writer, operand(writer, node.inputs[0]))
    source = replace(base, shape=node["shape"], strides=node["strides"], offset=base.offset + node["offset"])
    _shifted(writer, source, result(writer, node), node.inputs[1:2], None)


def _shifted(
    writer: Writer,
    source: Array,
    target: Array,
    by_source: tuple[Node, ...] | None,
    by_target: tuple[Node, ...] | None,
) -> None:
    """Copy elements of views whose beginning a number moves."""
    shifts = by_source or by_target or ()
    if not shifts:
        move(writer, source, target)
        return
    declarations, text = number(writer, shifts[0], "shift")
    kind = opaque(source.dtype)
    at = names("i", len(source.shape))
    each_element(
        writer,
        "copy",
        "copy_shifted",
        source.shape,
        [(f"const {kind} *x", source.start), (f"{kind} *out", target.start), *declarations],
        source=Code(source.place(at) + (f" + {text}" if by_source else "")),
        target=Code(target.place(at) + (f" + {text}" if by_target else "")),
    )


def number(writer: Writer, node: Node, name: str) -> tuple[list[tuple[str, Parameter]], str]:
    """How a template gets an operand that is a number: its parameter, and the expression of it.

    The number is a constant, a runtime scalar, or the first element of what is stored.
    """
    base, _ = view_of(node)
    if base.op is constant:
        text = CUDA.literal(base["value"], base.dtype)
        return [], f"({text})"
    if base.op is scalar:
        (parameter,) = number_of(base)
        return [(f"const {CUDA.register_type(base.dtype)} *__restrict__ {name}", parameter)], f"(*{name})"
    stored = operand(writer, node).start
    declaration = f"const {CUDA.memory_type(base.dtype)} *__restrict__ {name}"
    return [(declaration, stored)], CUDA.loaded(f"(*{name})", base.dtype)


def roll(writer: Writer, node: Node) -> None:
    """Elements moved along an axis; those pushed out come back at the other end."""
    x, out, axis = operand(writer, node.inputs[0]), result(writer, node), node["axis"]
    declarations, text = number(writer, node.inputs[1], "distance")
    size, kind = node.shape[axis] or 1, opaque(x.dtype)
    at = names("i", len(x.shape))
    source = [*at[:axis], "from", *at[axis + 1 :]]
    each_element(
        writer,
        "roll",
        "roll",
        node.shape,
        [(f"const {kind} *x", x.start), (f"{kind} *out", out.start), *declarations],
        size=size,
        here=Code(at[axis]),
        distance=Code(text if node["backward"] else f"-{text}"),
        source=x.place(source),
        target=out.place(at),
    )


def iota(writer: Writer, node: Node) -> None:
    """0, 1, …"""
    out = result(writer, node)
    kind = CUDA.register_type(node.dtype)
    element = written(f"({kind})n", node.dtype)
    memory = CUDA.memory_type(node.dtype)
    each_element(writer, "iota", "iota", node.shape, [(f"{memory} *out", out.start)], element=element)


def reinterpret(writer: Writer, node: Node) -> None:
    """The same bytes as another dtype."""
    source = contiguous(writer, operand(writer, node.inputs[0]))
    size = prod(source.shape) * source.dtype.itemsize
    if size:
        writer.add(CopyStep(source.start, result(writer, node).start, size))
