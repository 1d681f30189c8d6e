"""Products of matrices: the device's own call, on operands as they lie where that is possible."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from lazygrad.ir.dtype import bfloat16, complex64, complex128, float16, float32, float64
from lazygrad.ir.node import Node
from lazygrad.targets.cuda.driver import Product
from lazygrad.targets.cuda.library.arrays import Array, copy, each_element, names, operand, result, scratch_array
from lazygrad.targets.cuda.table import FillStep, ProductStep
from lazygrad.targets.cuda.writer import Writer

_BY_DRIVER = (float16, bfloat16, float32, float64, complex64, complex128)


def matmul(writer: Writer, node: Node) -> None:
    """Batched matrix product over the last two axes; leading axes broadcast."""
    a, b = [operand(writer, source) for source in node.inputs]
    multiply(writer, a, b, result(writer, node))


def multiply(writer: Writer, a: Array, b: Array, out: Array, alpha: float = 1.0, beta: float = 0.0) -> None:
    """``out = alpha · a @ b + beta · out``.

    Args:
        writer: of the plan.
        a, b: any strides; leading axes broadcast to those of ``out``.
        out: matrices with rows whose elements lie side by side, at equal distances.
        alpha, beta: factors; of integers 1 and 0.
    """
    batch, (rows, columns), inner = out.shape[:-2], out.shape[-2:], a.shape[-1]
    if not prod(out.shape):
        return
    if not inner:
        if beta == 0:
            writer.add(FillStep(out.start, 0, prod(out.shape) * out.dtype.itemsize))
        return
    a, b = a.expanded((*batch, rows, inner)), b.expanded((*batch, inner, columns))
    if a.dtype not in _BY_DRIVER:
        _by_kernel(writer, a, b, out)
        return
    a, b = _as_matrices(writer, a), _as_matrices(writer, b)
    if not any(b.strides[:-2]) and a.is_contiguous and out.is_contiguous:  # one matrix for all: the batch is more rows
        rows, batch = rows * prod(batch), ()
        a, b = (
            replace(a, shape=(rows, inner), strides=(inner, 1)),
            replace(b, shape=b.shape[-2:], strides=b.strides[-2:]),
        )
    a, b = _in_steps(writer, a), _in_steps(writer, b)
    writer.add(
        ProductStep(
            Product(
                out.dtype,
                (prod(batch), rows, columns, inner),
                (_step(a) or 0, *_stored(a)),
                (_step(b) or 0, *_stored(b)),
                (_step(out) or 0, out.strides[-2]),
                alpha,
                beta,
            ),
            a.start,
            b.start,
            out.start,
        )
    )


def _as_matrices(writer: Writer, array: Array) -> Array:
    """Matrices with rows or columns whose elements lie side by side."""
    if _layout(array) is not None:
        return array
    lead = [1 if stride == 0 else size for size, stride in zip(array.shape[:-2], array.strides[:-2], strict=True)]
    once = replace(array, shape=(*lead, *array.shape[-2:]))
    return _copied(writer, once).expanded(array.shape)


def _stored(array: Array) -> tuple[int, bool]:
    layout = _layout(array)
    assert layout is not None
    return layout


def _layout(array: Array) -> tuple[int, bool] | None:
    """The stride from row to row of a matrix as it is stored, and whether that is the transposed one."""
    (rows, columns), (down, along) = array.shape[-2:], array.strides[-2:]
    if (along == 1 or columns == 1) and (down >= columns or rows == 1):
        return max(down, columns) if rows > 1 else columns, False
    if (down == 1 or rows == 1) and (along >= rows or columns == 1):
        return max(along, rows) if columns > 1 else rows, True
    return None


def _in_steps(writer: Writer, array: Array) -> Array:
    """Matrices at equal distances."""
    return array if _step(array) is not None else _copied(writer, array)


def _step(array: Array) -> int | None:
    """The one distance from matrix to matrix, or None."""
    walked = [pair for pair in zip(array.shape[:-2], array.strides[:-2], strict=True) if pair[0] != 1]
    expected = step = walked[-1][1] if walked else 0
    for size, stride in reversed(walked):
        if stride != expected:
            return None
        expected = stride * size
    return step


def _copied(writer: Writer, array: Array) -> Array:
    made = scratch_array(writer, array.dtype, array.shape)
    copy(writer, array, made)
    return made


def _by_kernel(writer: Writer, a: Array, b: Array, out: Array) -> None:
    """Integers, of which the device's library has no products."""
    kind, at = out.dtype.short, names("i", len(out.shape))
    each_element(
        writer,
        "matmul",
        f"matmul_{kind}",
        out.shape,
        [(f"const {kind} *a", a.start), (f"const {kind} *b", b.start), (f"{kind} *out", out.start)],
        kind=kind,
        inner=a.shape[-1],
        a=a.place([*at[:-1], "k"]),
        b=b.place([*at[:-2], "k", at[-1]]),
    )
