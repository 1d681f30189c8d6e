"""Factorizations, systems of equations and Fourier transforms: calls of the device's libraries.

A call gets its operands as they lie. The parts of a packed factorization are written where they belong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lazygrad.codegen.escaping import Code
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.factorization import part_ranges, part_shapes
from lazygrad.ir.view import contiguous_strides
from lazygrad.targets.cuda.dialect import CUDA, NoCudaForm
from lazygrad.targets.cuda.driver import Layout, LibraryCall
from lazygrad.targets.cuda.library.arrays import Array, each_element, names, operand, result
from lazygrad.targets.cuda.table import Address, LibraryStep
from lazygrad.targets.cuda.writer import Writer


def add_call(
    writer: Writer,
    routine: str,
    operands: list[Array],
    results: list[Array],
    options: tuple[tuple[str, Any], ...] = (),
    word: Address | None = None,
) -> None:
    """Put a library call into the table."""
    layouts = [
        tuple([Layout(array.dtype, array.shape, array.strides) for array in arrays]) for arrays in (operands, results)
    ]
    starts = [tuple([array.start for array in arrays]) for arrays in (operands, results)]
    writer.add(LibraryStep(LibraryCall(routine, layouts[0], layouts[1], options), starts[0], starts[1], word))


def call(writer: Writer, node: Node) -> None:
    """A call with one array as its result."""
    _write(writer, node, [result(writer, node)])


def factorize(writer: Writer, node: Node, check: Callable[[], None]) -> None:
    """A factorization, whose parts lie one after another in the last axis of the result."""
    shapes = part_shapes(node.op, node.attrs, *[source.shape for source in node.inputs])
    packed = result(writer, node)
    _write(writer, node, [
        replace(
            packed.narrowed(len(packed.shape) - 1, start, stop),
            shape=(*packed.shape[:-1], *shape),
            strides=(*packed.strides[:-1], *contiguous_strides(shape)),
        )
        for shape, (start, stop) in zip(shapes, part_ranges(shapes), strict=True)
    ])  # fmt: skip
    check()


def checked_call(writer: Writer, node: Node, check: Callable[[], None]) -> None:
    """A call with one array as its result, which may refuse its operand."""
    call(writer, node)
    check()


def ldl(writer: Writer, node: Node, check: Callable[[], None]) -> None:
    """L·D·Lᵀ; cupy does not bind cuSOLVER's Hermitian form of it."""
    _refuse_hermitian(node)
    factorize(writer, node, check)


def ldl_solve(writer: Writer, node: Node) -> None:
    """x with a·x = b, from ldl's factors: a thread for each right side. cupy does not bind cuSOLVER's routine."""
    _refuse_hermitian(node)
    factors, pivots, b = [operand(writer, source) for source in node.inputs]
    out, size, batch = result(writer, node), node.shape[-2], node.shape[:-2]
    factors, pivots = factors.expanded((*batch, size, size)), pivots.expanded((*batch, size))
    at = names("i", len(batch) + 1)
    kind = CUDA.register_type(node.dtype)
    each_element(
        writer,
        "ldl_solve",
        "ldl_solve",
        (*batch, node.shape[-1]),
        [
            (f"const {kind} *factors", factors.start),
            ("const i32 *pivots", pivots.start),
            (f"const {kind} *b", b.start),
            (f"{kind} *x", out.start),
        ],
        kind=kind,
        size=size,
        quotient=Code(f"lg_div_{kind}(x, y)" if node.dtype.is_complex else "x / y"),
        first=factors.place([*at[:-1], "0", "0"]),
        down=factors.strides[-2],
        along=factors.strides[-1],
        first_pivot=pivots.place([*at[:-1], "0"]),
        pivot_step=pivots.strides[-1],
        given=b.expanded(node.shape).place([*at[:-1], "k", at[-1]]),
        first_found=out.place([*at[:-1], "0", at[-1]]),
        found_step=out.strides[-2],
    )


def lstsq(writer: Writer, node: Node, check: Callable[[], None]) -> None:
    """Least squares by QR, the one driver that PyTorch has on CUDA."""
    if node["driver"] != "gels":
        raise NoCudaForm(f"lstsq by {node['driver']} has no CUDA form, gels does; compute it on the CPU (.cpu())")
    factorize(writer, node, check)


def _refuse_hermitian(node: Node) -> None:
    if node["hermitian"] and node.dtype.is_complex:
        raise NoCudaForm(
            f"{node.op.name} of complex Hermitian matrices has no CUDA form; compute it on the CPU (.cpu())"
        )


def pivot_order(writer: Writer, node: Node, check: Callable[[], None]) -> None:
    """0, 1, … after row exchanges: a thread for each matrix."""
    pivots, out, rows = operand(writer, node.inputs[0]), result(writer, node), node["rows"]
    at = names("i", len(node.shape) - 1)
    each_element(
        writer,
        "pivot_order",
        "pivot_order",
        node.shape[:-1],
        [("const i64 *pivots", pivots.start), ("i64 *order", out.start), ("i32 *refused", writer.word())],
        pivot=pivots.place([*at, "k"]),
        mine=out.place([*at, "k"]),
        other=out.place([*at, "p"]),
        exchanges=pivots.shape[-1],
        rows=rows,
    )
    check()


def _write(writer: Writer, node: Node, results: list[Array]) -> None:
    operands = [operand(writer, source) for source in node.inputs]
    word = writer.word() if node.op.may_refuse(node.attrs, node.dtype) else None
    add_call(writer, node.op.name, operands, results, tuple(node.named_attrs()), word)
