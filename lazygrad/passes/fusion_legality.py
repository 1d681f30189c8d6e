"""What may share a kernel: groups that iterate over one domain and do not wait for each other through a third.

A domain is a full shape and a set of *row axes*. Every value in a group either has the full shape or has size 1
on exactly the row axes: a reduction's result, what is computed from it, or an operand that is broadcast along them.
"""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.ir.node import Kind, Node
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import View

Axes = frozenset[int]
NO_AXES: Axes = frozenset()


@dataclass(frozen=True, slots=True)
class Domain:
    """Where a group iterates.

    Attributes:
        shape: the full shape.
        row_axes: the axes along which some members have size 1.
        reduces: whether a reduction over the row axes is a member.
    """

    shape: Shape
    row_axes: Axes = NO_AXES
    reduces: bool = False

    @property
    def row_shape(self) -> Shape:
        return tuple(1 if axis in self.row_axes else size for axis, size in enumerate(self.shape))

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
    return Domain(node.shape)


def unify(first: Domain, second: Domain) -> Domain | str:
    """The domain of a kernel that does both, or the reason why there is none."""
    if first.shape == second.shape:
        if first.row_axes == second.row_axes or not second.row_axes:
            return Domain(first.shape, first.row_axes, first.reduces or second.reduces)
        if not first.row_axes:
            return Domain(first.shape, second.row_axes, second.reduces)
        return f"they reduce over different axes, {sorted(first.row_axes)} and {sorted(second.row_axes)}"
    for small, large in ((first, second), (second, first)):
        joined = _as_row(small, large)
        if joined is not None:
            return joined
    return f"they iterate over different shapes, {list(first.shape)} and {list(second.shape)}"


def _as_row(small: Domain, large: Domain) -> Domain | None:
    """``large`` with ``small``'s members as row values, if their shapes allow."""
    if small.row_axes or len(small.shape) != len(large.shape):
        return None
    if any(a not in (1, b) for a, b in zip(small.shape, large.shape, strict=True)):
        return None
    narrowed = frozenset(
        axis for axis, (a, b) in enumerate(zip(small.shape, large.shape, strict=True)) if a == 1 and b != 1
    )
    if large.row_axes:
        return large if large.row_shape == small.shape else None
    return Domain(large.shape, narrowed)


def reads_in_place(source: Node, view: View, used_shape: Shape) -> bool:
    """Whether a kernel that computes ``source`` can use it through ``view`` at the same index.

    True for the value itself and for broadcasts of it; any other view reads elements another iteration makes.
    """
    plain = View.contiguous(source.shape)
    if len(source.shape) != len(used_shape):
        return False
    return view == plain or view == plain.expand(used_shape)


def is_row_value(shape: Shape, domain: Domain) -> bool:
    """Whether a member of this shape holds one element per row rather than one per index."""
    return shape != domain.shape
