"""What values occupy of a plan's memories, and whether two of them overlap."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lazygrad.ir.view import View
from lazygrad.targets.c.regions import Region


def test_ranges_of_one_memory() -> None:
    arena = ("arena", 0)
    first, second, both = Region(arena, 0, 64), Region(arena, 64, 128), Region(arena, 63, 65)
    assert not first.overlaps(second) and first.overlaps(both) and both.overlaps(second)
    assert not first.overlaps(Region(("totals", 0), 0, 64))


def test_slices_of_one_memory() -> None:
    whole = Region(("arena", 0), 64, 64 + 4 * 6 * 10)
    view = View.contiguous((6, 10))
    left, middle, right = (whole.part(view.narrowed(1, *ends), 4) for ends in ((0, 4), (3, 6), (4, 10)))
    assert left.overlaps(middle) and middle.overlaps(right) and middle.overlaps(left)
    assert not left.overlaps(right) and not right.overlaps(left)
    assert all(part.overlaps(whole) and whole.overlaps(part) for part in (left, middle, right))
    top, bottom = (whole.part(view.narrowed(0, *ends), 4) for ends in ((0, 2), (2, 6)))
    assert not top.overlaps(bottom) and top.overlaps(left)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5), st.integers(1, 6)), min_size=2, max_size=4), st.data())
def test_parts_that_share_a_byte_overlap(cuts: list[tuple[int, int, int]], data: st.DataObject) -> None:
    """Slices of slices of a matrix; parts that do not touch may be taken for ones that do, never the reverse."""
    matrix = np.arange(6 * 7).reshape(6, 7)
    parts: list[tuple[Region, set[int]]] = []
    for count in (1, data.draw(st.integers(1, len(cuts)))):
        view, seen = View.contiguous(matrix.shape), matrix
        for axis, start, length in data.draw(st.permutations(cuts))[:count]:
            low = min(start, seen.shape[axis] - 1)
            high = min(low + length, seen.shape[axis])
            view = view.narrowed(axis, low, high)
            seen = seen[low:high] if axis == 0 else seen[:, low:high]
        parts.append((Region(("arena", 0), 0, matrix.size).part(view, 1), set(seen.flat)))
    (first, its), (second, others) = parts
    assert first.overlaps(second) == second.overlaps(first)
    assert first.overlaps(second) or not its & others
