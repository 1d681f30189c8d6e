"""Node builders for formulas about matrices: the last two axes are rows and columns, all others are a batch."""

from __future__ import annotations

from lazygrad.ir.build import conj, expand, filled, iota, reduce_sum, reshape, swap_last
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.factorization import part_ranges, part_shapes
from lazygrad.ir.primitives.leaf import constant
from lazygrad.ir.shape import Shape, broadcast_shapes


def adjoint(x: Node) -> Node:
    """The conjugate transpose."""
    return conj(swap_last(x))


def columns(x: Node, start: int, stop: int) -> Node:
    """Columns ``start`` up to ``stop``; of a vector, its elements."""
    last = x.rank - 1
    if (start, stop) == (0, x.shape[last]):
        return x
    begin, end = (0,) * last + (start,), (*x.shape[:last], stop)
    return mv.slice_(x, start=begin, stop=end, step=(1,) * x.rank)


def rows(x: Node, start: int, stop: int) -> Node:
    """Rows ``start`` up to ``stop``."""
    return x if (start, stop) == (0, x.shape[-2]) else swap_last(columns(swap_last(x), start, stop))


def as_column(vector: Node) -> Node:
    """A vector as a matrix of one column."""
    return reshape(vector, (*vector.shape, 1))


def as_row(vector: Node) -> Node:
    """A vector as a matrix of one row."""
    return reshape(vector, (*vector.shape[:-1], 1, vector.shape[-1]))


def _distance(rows: int, columns: int, like: Node) -> Node:
    """Column − row of every place of a matrix."""
    return as_row(iota(columns, int64, like.device)) - as_column(iota(rows, int64, like.device))


def lower(x: Node, diagonal: int = 0) -> Node:
    """The elements on and below a diagonal, zeros above."""
    distance = _distance(x.shape[-2], x.shape[-1], x)
    return ew.where(ew.le(distance, distance.like(diagonal)), x, x.like(0))


def upper(x: Node, diagonal: int = 0) -> Node:
    """The elements on and above a diagonal, zeros below."""
    distance = _distance(x.shape[-2], x.shape[-1], x)
    return ew.where(ew.ge(distance, distance.like(diagonal)), x, x.like(0))


def diagonal(x: Node) -> Node:
    """The main diagonal, as a view."""
    return mv.diagonal(x, offset=0, axis1=x.rank - 2, axis2=x.rank - 1)


def with_diagonal(x: Node, values: Node) -> Node:
    """A matrix with its diagonal replaced by a number, or that of a square one by a vector."""
    distance = _distance(x.shape[-2], x.shape[-1], x)
    return ew.where(ew.eq(distance, distance.like(0)), as_row(values) if values.rank else values, x)


def diagonal_matrix(values: Node) -> Node:
    """The square matrix with a vector on its diagonal."""
    size = values.shape[-1]
    distance = _distance(size, size, values)
    return ew.where(ew.eq(distance, distance.like(0)), as_row(values), values.like(0))


def identity(shape: Shape, like: Node) -> Node:
    """Ones on the main diagonal of matrices of ``shape``, zeros elsewhere."""
    return with_diagonal(filled(shape, 0, like), like.like(1)) if min(shape[-2:]) else filled(shape, 0, like)


def joined_rows(*blocks: Node) -> Node:
    """Matrices above one another."""
    return ix.concat(*blocks, axis=blocks[0].rank - 2)


def joined_columns(*blocks: Node) -> Node:
    """Matrices beside one another."""
    return ix.concat(*blocks, axis=blocks[0].rank - 1)


def vector_sum(x: Node) -> Node:
    """The sum over the last axis, which is dropped."""
    return reshape(reduce_sum(x, (x.rank - 1,)), x.shape[:-1])


def matrix_sum(x: Node) -> Node:
    """The sum of all elements of each matrix, whose axes keep the size 1."""
    return reduce_sum(x, (x.rank - 2, x.rank - 1))


def rows_in_order(x: Node, order: Node) -> Node:
    """Row ``order[i]`` of ``x`` as row i; the batches broadcast."""
    batch = broadcast_shapes("rows_in_order", x.shape[:-2], order.shape[:-1])
    index = expand(as_column(order), (*batch, order.shape[-1], x.shape[-1]))
    return ix.gather(expand(x, (*batch, *x.shape[-2:])), index, axis=len(batch), wraps=False)


# Packed factorizations.


def parts(packed: Node) -> tuple[Node, ...]:
    """The parts of a factorization, as views of its packed result and in its dtype."""
    shapes = part_shapes(packed.op, packed.attrs, *[source.shape for source in packed.inputs])
    batch = packed.shape[:-1]
    ranges = part_ranges(shapes)
    return tuple(
        [reshape(columns(packed, *range_), (*batch, *shape)) for range_, shape in zip(ranges, shapes, strict=True)]
    )


def part_cotangents(g: Node, packed: Node) -> tuple[Node | None, ...]:
    """The cotangents of a factorization's parts, None for those that no gradient has reached.

    The cotangent of a packed result is a sum of parts padded with zeros. Looking into it, rather than at slices of
    it, spares the formulas of what nobody used; and singular values keep their gradient where that of the singular
    vectors is not defined.
    """
    shapes = part_shapes(packed.op, packed.attrs, *[source.shape for source in packed.inputs])
    found = [_between(g, *range_) for range_ in part_ranges(shapes)]
    return tuple(
        [
            None if cotangent is None else reshape(cotangent, (*g.shape[:-1], *shape))
            for cotangent, shape in zip(found, shapes, strict=True)
        ]
    )


def _between(g: Node, start: int, stop: int) -> Node | None:
    """The elements from ``start`` up to ``stop`` of the last axis; None where all are padding."""
    if g.op is ew.add and g.inputs[0].shape == g.inputs[1].shape == g.shape:
        first, second = [_between(term, start, stop) for term in g.inputs]
        return second if first is None else first if second is None else first + second
    if g.op is ix.pad and not any(g["before"][:-1]) and not any(g["after"][:-1]) and is_zero(g.inputs[1]):
        begin, end = g["before"][-1], g.shape[-1] - g["after"][-1]
        if stop <= begin or end <= start:
            return None
        if begin <= start and stop <= end:
            return columns(g.inputs[0], start - begin, stop - begin)
    return columns(g, start, stop)


def is_zero(x: Node) -> bool:
    """Whether ``x`` is the constant 0."""
    return x.op is constant and x["value"] == 0
