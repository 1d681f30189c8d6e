"""What may share a kernel: groups that iterate over one domain and do not wait for each other through a third.

A domain is a full shape and a set of *row axes*. Every value in a group either has the full shape or has size 1
on exactly the row axes: a reduction's result, what is computed from it, or an operand that is broadcast along them.
Reductions over other axes can join as *column* reductions if nothing in the group waits for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache

from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import View

Axes = frozenset[int]


class Span(Enum):
    """Over what a value in a group varies."""

    FULL = "full"
    ROW = "row"
    COLUMN = "column"

    __hash__ = object.__hash__  # kernels are keys, and Enum's own hash is computed in Python


NO_AXES: Axes = frozenset()


@dataclass(frozen=True, slots=True)
class Domain:
    """Where a group iterates.

    Attributes:
        shape: the full shape.
        row_axes: the axes along which some members have size 1.
        reduces: whether a reduction over the row axes is a member.
        column_axes: the axes of the column reductions, disjoint from the row axes.
    """

    shape: Shape
    row_axes: Axes = NO_AXES
    reduces: bool = False
    column_axes: Axes = NO_AXES

    @property
    def row_shape(self) -> Shape:
        return _narrowed(self.shape, self.row_axes)

    @property
    def row_extent(self) -> int:
        extent = 1
        for axis in self.row_axes:
            extent *= self.shape[axis]
        return extent


def domain_of(node: Node) -> Domain:
    """The domain of a kernel that computes only ``node``."""
    if node.op.kind is Kind.REDUCTION:
        return Domain(node.inputs[0].shape, frozenset(node["axes"]), reduces=True)
    return _full_domain(node.shape)


@cache
def _full_domain(shape: Shape) -> Domain:
    return Domain(shape)


def _narrowed(shape: Shape, axes: Axes) -> Shape:
    return tuple(1 if axis in axes else size for axis, size in enumerate(shape))


def unify(first: Domain, second: Domain, first_final: bool = False, second_final: bool = False) -> Domain | str:
    """The domain of a kernel that does both, or the reason why there is none.

    Args:
        first, second: the domains to join.
        first_final, second_final: whether nothing in that group reads its row values.
    """
    if first is second or first == second:
        return first
    if first.shape != second.shape:
        joined = _as_row(first, second) or _as_row(second, first)
        return joined or f"they iterate over different shapes, {list(first.shape)} and {list(second.shape)}"
    columns = first.column_axes | second.column_axes
    if first.row_axes == second.row_axes or not second.row_axes:
        rows, reduces = first.row_axes, first.reduces or second.reduces
    elif not first.row_axes:
        rows, reduces = second.row_axes, second.reduces
    elif second.reduces and second_final and not columns - second.row_axes:
        rows, reduces, columns = first.row_axes, first.reduces, second.row_axes
    elif first.reduces and first_final and not columns - first.row_axes:
        rows, reduces, columns = second.row_axes, second.reduces, first.row_axes
    else:
        return _different_axes(first, second)
    one_each = all(d.column_axes in (NO_AXES, columns) for d in (first, second))
    if not one_each or columns & rows:
        return _different_axes(first, second)
    return Domain(first.shape, rows, reduces, columns)


def _different_axes(first: Domain, second: Domain) -> str:
    axes = [sorted(d.row_axes | d.column_axes) for d in (first, second)]
    return f"they reduce over different axes, {axes[0]} and {axes[1]}"


def _as_row(small: Domain, large: Domain) -> Domain | None:
    """``large`` with ``small``'s members as row values, if their shapes allow."""
    if small.row_axes or small.column_axes or len(small.shape) != len(large.shape):
        return None
    if any(a not in (1, b) for a, b in zip(small.shape, large.shape, strict=True)):
        return None
    narrowed = frozenset(
        axis for axis, (a, b) in enumerate(zip(small.shape, large.shape, strict=True)) if a == 1 and b != 1
    )
    if large.row_axes:
        return large if large.row_shape == small.shape else None
    if narrowed & large.column_axes:
        return None
    return Domain(large.shape, narrowed, column_axes=large.column_axes)


def reads_in_place(source: Node, view: View, used_shape: Shape) -> bool:
    """Whether a kernel that computes ``source`` can use it through ``view`` at the same index.

    True for the value itself and for broadcasts of it; any other view reads elements another iteration makes.
    """
    if len(source.shape) != len(used_shape):
        return False
    if any(have not in (1, want) for have, want in zip(source.shape, used_shape, strict=True)):
        return False
    return view == _broadcast(source.shape, used_shape)


@cache
def _broadcast(shape: Shape, used_shape: Shape) -> View:
    return View.contiguous(shape).expand(used_shape)


def span_of(node: Node, domain: Domain) -> Span:
    """Whether a member holds one element per index, per row, or per column."""
    if node.shape == domain.shape:
        return Span.FULL
    if domain.column_axes and node.op.kind is Kind.REDUCTION and frozenset(node["axes"]) != domain.row_axes:
        return Span.COLUMN
    return Span.ROW


def spans_stay(old: Domain, new: Domain) -> bool:
    """Whether every member of a group over ``old`` has the same span after the group's domain became ``new``."""
    if old is new:
        return True
    if old.shape != new.shape:
        return False
    all_full = not old.row_axes and not old.column_axes
    return all_full or (old.row_axes == new.row_axes and old.column_axes == new.column_axes)
