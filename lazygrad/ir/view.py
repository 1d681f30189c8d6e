"""Strided views: which elements of a flat buffer a movement op names, without moving any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import mul, sub

from lazygrad.ir.shape import Shape


@cache
def contiguous_strides(shape: Shape) -> tuple[int, ...]:
    """Row-major strides in elements; size-0 dimensions count as 1, as in PyTorch."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


@dataclass(slots=True, unsafe_hash=True)  # nothing changes one; frozen, it would take three times as long to make
class View:
    """Element (i0, i1, …) lives at ``offset + i0*strides[0] + i1*strides[1] + …``, counted in elements."""

    shape: Shape
    strides: tuple[int, ...]
    offset: int = 0

    @staticmethod
    @lru_cache(maxsize=1 << 12)
    def contiguous(shape: Shape) -> View:
        return View(shape, contiguous_strides(shape))

    @property
    def is_contiguous(self) -> bool:
        return _are_contiguous(self.shape, self.strides)

    @property
    def overlaps(self) -> bool:
        """True when two indices name one element because a dimension was expanded."""
        return (
            0 in self.strides
            and 0 not in self.shape
            and any([stride == 0 and size > 1 for size, stride in zip(self.shape, self.strides, strict=True)])
        )

    def permute(self, axes: tuple[int, ...]) -> View:
        return View(tuple(self.shape[a] for a in axes), tuple(self.strides[a] for a in axes), self.offset)

    def expand(self, shape: Shape) -> View:
        lead = len(shape) - len(self.shape)
        strides = [
            0 if have == 1 and want != 1 else stride
            for have, want, stride in zip(self.shape, shape[lead:], self.strides, strict=True)
        ]
        for axis in range(lead - 1, -1, -1):
            beside = shape[axis + 1] * strides[0] if strides else 1
            strides.insert(0, beside if shape[axis] == 1 else 0)
        return View(shape, tuple(strides), self.offset)

    def slice(self, start: tuple[int, ...], stop: tuple[int, ...], step: tuple[int, ...]) -> View:
        if step == (1,) * len(step):  # of which there may be one for each sample of a dataset: nothing is remembered
            first = sum(map(mul, start, self.strides))
            return View(tuple(map(sub, stop, start)), self.strides, self.offset + first)
        shape, strides, first = _sliced(self.strides, start, stop, step)
        return View(shape, strides, self.offset + first)

    def at(self, positions: tuple[int, ...]) -> View:
        """The elements at one position of each of the first axes, which are left out."""
        count, offset = len(positions), self.offset
        for position, stride in zip(positions, self.strides, strict=False):
            offset += position * stride
        return View(self.shape[count:], self.strides[count:], offset)

    def without(self, axes: Sequence[int]) -> View:
        """Without axes of size 1."""
        kept = [axis for axis in range(len(self.shape)) if axis not in axes]
        return View(tuple([self.shape[a] for a in kept]), tuple([self.strides[a] for a in kept]), self.offset)

    def narrowed(self, axis: int, start: int, stop: int) -> View:
        """The elements from ``start`` to ``stop`` along one axis."""
        starts = tuple(start if a == axis else 0 for a in range(len(self.shape)))
        stops = tuple(stop if a == axis else size for a, size in enumerate(self.shape))
        return self.slice(starts, stops, (1,) * len(self.shape))

    def flip(self, axes: tuple[int, ...]) -> View:
        offset = self.offset + sum(max(self.shape[a] - 1, 0) * self.strides[a] for a in axes)
        strides = tuple(-stride if a in axes else stride for a, stride in enumerate(self.strides))
        return View(self.shape, strides, offset)

    def windows(self, size: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> View:
        """Sliding windows over the last ``len(size)`` dimensions, as trailing dimensions."""
        lead = len(self.shape) - len(size)
        counts = window_counts(self.shape[lead:], size, stride, dilation)
        outer = tuple(s * step for s, step in zip(self.strides[lead:], stride, strict=True))
        inner = tuple(s * d for s, d in zip(self.strides[lead:], dilation, strict=True))
        return View(self.shape[:lead] + counts + size, self.strides[:lead] + outer + inner, self.offset)

    def diagonal(self, offset: int, axis1: int, axis2: int) -> View:
        """The diagonal of two dimensions as a new last dimension."""
        start1, start2 = (0, offset) if offset >= 0 else (-offset, 0)
        length = max(0, min(self.shape[axis1] - start1, self.shape[axis2] - start2))
        rest = [a for a in range(len(self.shape)) if a not in (axis1, axis2)]
        base = self.offset + (start1 * self.strides[axis1] + start2 * self.strides[axis2] if length else 0)
        return View(
            (*(self.shape[a] for a in rest), length),
            (*(self.strides[a] for a in rest), self.strides[axis1] + self.strides[axis2]),
            base,
        )

    def with_elements(self, have: int, want: int) -> View:
        """The same memory counted in elements of ``want`` bytes rather than ``have``.

        Smaller elements get a new last dimension. Larger ones are made of the last one, whose elements lie next to
        each other, all else at multiples of its size.
        """
        if want == have:
            return self
        if want < have:
            count = have // want
            strides = (*(stride * count for stride in self.strides), 1)
            return View((*self.shape, count), strides, self.offset * count)
        count = want // have
        return View(self.shape[:-1], tuple(stride // count for stride in self.strides[:-1]), self.offset // count)

    def reshape(self, shape: Shape) -> View | None:
        """The same elements under another shape, or None where that needs a copy.

        Consecutive dimensions of old and new shape are matched in chunks of equal product; a chunk is
        expressible when its old dimensions lie evenly in memory (numpy's "attempt no-copy reshape").
        """
        strides = _strides_under(shape, self.shape, self.strides)
        return None if strides is None else View(shape, strides, self.offset)


# What a view is made of, for shapes and strides as plain tuples. Programs ask for the same ones in every step.
_REMEMBERED = 1 << 12


@lru_cache(maxsize=_REMEMBERED)
def _are_contiguous(shape: Shape, strides: tuple[int, ...]) -> bool:
    if 0 in shape:
        return True
    expected = contiguous_strides(shape)
    return all(size == 1 or have == want for size, have, want in zip(shape, strides, expected, strict=True))


@lru_cache(maxsize=_REMEMBERED)
def _sliced(
    strides: tuple[int, ...], start: tuple[int, ...], stop: tuple[int, ...], step: tuple[int, ...]
) -> tuple[Shape, tuple[int, ...], int]:
    """Shape and strides of a slice, and how far its first element lies behind that of the whole."""
    shape = tuple([len(range(a, b, s)) for a, b, s in zip(start, stop, step, strict=True)])
    first = sum([a * stride for a, stride in zip(start, strides, strict=True)])
    return shape, tuple([stride * s for stride, s in zip(strides, step, strict=True)]), first


@lru_cache(maxsize=_REMEMBERED)
def _strides_under(shape: Shape, old_shape: Shape, old_strides: tuple[int, ...]) -> tuple[int, ...] | None:
    """The strides of the same elements under another shape, or None; see `View.reshape`."""
    if 0 in old_shape:
        return contiguous_strides(shape)
    old = [(size, stride) for size, stride in zip(old_shape, old_strides, strict=True) if size != 1]
    strides = [0] * len(shape)
    position, i = 0, 0
    while position < len(old):
        start, old_product = position, old[position][0]
        first_new, new_product = i, 1
        position += 1
        while new_product != old_product:
            if new_product < old_product:
                new_product *= shape[i]
                i += 1
            else:
                old_product *= old[position][0]
                position += 1
        for (_, outer), (size, inner) in zip(old[start : position - 1], old[start + 1 : position], strict=True):
            if outer != size * inner:
                return None
        step = old[position - 1][1]
        for axis in range(i - 1, first_new - 1, -1):
            strides[axis] = step
            step *= shape[axis]
    for axis in range(len(shape) - 1, -1, -1):
        if shape[axis] == 1:
            following = axis + 1 < len(shape)
            strides[axis] = shape[axis + 1] * strides[axis + 1] if following else 1
    return tuple(strides)


def window_counts(
    extent: Shape, size: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[int, ...]:
    """How many windows fit along each dimension: floor((extent − dilation·(size−1) − 1) / stride) + 1."""
    return tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(extent, size, stride, dilation, strict=True))
