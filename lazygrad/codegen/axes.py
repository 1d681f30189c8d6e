"""The axes of a kernel: those of its domain, without the ones of size 1, neighbours merged where every array allows."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from lazygrad.codegen.kernel import Ranges
from lazygrad.ir.shape import Shape
from lazygrad.passes.fusion_legality import Axes, Domain


@dataclass(frozen=True, slots=True)
class Access:
    """How a kernel walks one array.

    Attributes:
        sizes: per axis, the axis's extent, or 1 where the array is broadcast.
        strides, offset: where an element lies in the stored buffer, in elements.
        inside: per axis the range of indices at which it is touched; empty if everywhere.
    """

    sizes: Shape
    strides: tuple[int, ...]
    offset: int = 0
    inside: Ranges = ()


@dataclass(frozen=True, slots=True)
class MergedAxes:
    """The axes of a kernel, and its arrays seen along them."""

    sizes: Shape
    row_axes: Axes
    column_axes: Axes
    accesses: list[Access]


def merge_axes(domain: Domain, accesses: list[Access]) -> MergedAxes:
    """Drop size-1 axes and merge neighbours that every access walks as one.

    Args:
        domain: where the kernel iterates.
        accesses: of arrays whose shapes broadcast to the domain's.
    """
    rank = len(domain.shape)
    aligned = [_aligned(access, rank) for access in accesses]
    runs: list[list[int]] = []
    for axis in range(rank):
        if domain.shape[axis] == 1:
            continue
        if runs and _mergeable(runs[-1][-1], axis, domain, aligned):
            runs[-1].append(axis)
        else:
            runs.append([axis])
    return MergedAxes(
        tuple(_product(domain.shape, run) for run in runs),
        frozenset(i for i, run in enumerate(runs) if run[0] in domain.row_axes),
        frozenset(i for i, run in enumerate(runs) if run[0] in domain.column_axes),
        [_along(runs, access) for access in aligned],
    )


def _aligned(access: Access, rank: int) -> Access:
    """With as many axes as the domain, and strides of 0 where it is broadcast."""
    lead = rank - len(access.sizes)
    strides = [0 if size == 1 else stride for size, stride in zip(access.sizes, access.strides, strict=True)]
    inside = ((0, 1),) * lead + access.inside if access.inside else ()
    return Access((1,) * lead + access.sizes, (0,) * lead + tuple(strides), access.offset, inside)


def _mergeable(outer: int, inner: int, domain: Domain, accesses: list[Access]) -> bool:
    if any((outer in axes) != (inner in axes) for axes in (domain.row_axes, domain.column_axes)):
        return False
    if any((access.sizes[outer] == 1) != (access.sizes[inner] == 1) for access in accesses):
        return False  # one axis expanded by a view, the other broadcast by the kernel: no size would fit both
    if any(access.inside and access.inside[inner] != (0, access.sizes[inner]) for access in accesses):
        return False
    return all(access.strides[outer] == access.strides[inner] * domain.shape[inner] for access in accesses)


def _along(runs: list[list[int]], access: Access) -> Access:
    inside = []
    for first, *others in runs if access.inside else ():
        begin, end = access.inside[first]
        step = _product(access.sizes, others)
        inside.append((begin * step, end * step))
    sizes = tuple(_product(access.sizes, run) for run in runs)
    return Access(sizes, tuple(access.strides[run[-1]] for run in runs), access.offset, tuple(inside))


def _product(sizes: Shape, axes: list[int]) -> int:
    return prod(sizes[axis] for axis in axes)
