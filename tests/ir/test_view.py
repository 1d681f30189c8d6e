"""Views against numpy's strides: the same elements, the same strides, and a copy exactly where numpy needs one."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazygrad.ir.view import View

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)


def _elements(view: View, base: np.ndarray) -> np.ndarray:
    """What ``view`` names in the flat ``base``, element by element."""
    found = np.empty(view.shape, base.dtype)
    for place in np.ndindex(view.shape):
        found[place] = base[view.offset + sum(i * s for i, s in zip(place, view.strides, strict=True))]
    return found


def _assert_same(view: View, array: np.ndarray, base: np.ndarray) -> None:
    assert view.shape == array.shape
    np.testing.assert_array_equal(_elements(view, base), array)
    for size, stride, expected in zip(view.shape, view.strides, array.strides, strict=True):
        assert size <= 1 or stride * array.itemsize == expected
    assert view.is_contiguous == array.flags.c_contiguous


@st.composite
def movements(draw: st.DrawFn) -> tuple[View, np.ndarray, np.ndarray]:
    """A random chain of movements of a contiguous array, as a view and as numpy has it."""
    shape = draw(SHAPES)
    base = np.arange(prod(shape))
    view, array = View.contiguous(shape), base.reshape(shape)
    for kind in draw(st.lists(st.sampled_from(["permute", "slice", "flip", "expand", "diagonal"]), max_size=4)):
        view, array = _moved(draw, kind, view, array)
    return view, array, base


def _moved(draw: st.DrawFn, kind: str, view: View, array: np.ndarray) -> tuple[View, np.ndarray]:
    rank = array.ndim
    if kind == "permute":
        axes = tuple(draw(st.permutations(range(rank))))
        return view.permute(axes), array.transpose(axes)
    if kind == "flip":
        axes = tuple(draw(st.sets(st.integers(0, rank - 1))))
        return view.flip(axes), np.flip(array, axes)
    if kind == "slice":
        start = tuple(draw(st.integers(0, size - 1)) for size in array.shape)
        stop = tuple(draw(st.integers(a + 1, size)) for a, size in zip(start, array.shape, strict=True))
        step = tuple(draw(st.integers(1, 3)) for _ in array.shape)
        return view.slice(start, stop, step), array[tuple(map(slice, start, stop, step))]
    if kind == "expand":
        shape = (draw(st.integers(1, 3)), *(draw(st.integers(1, 3)) if size == 1 else size for size in array.shape))
        return view.expand(shape), np.broadcast_to(array, shape)
    if rank < 2:
        return view, array
    first, second = draw(st.permutations(range(rank)))[:2]
    offset = draw(st.integers(1 - array.shape[first], array.shape[second] - 1))
    return view.diagonal(offset, first, second), np.diagonal(array, offset, first, second)


@given(movements())
@settings(deadline=None)
def test_chains_of_movements_name_numpys_elements(moved: tuple[View, np.ndarray, np.ndarray]) -> None:
    _assert_same(*moved)


@given(movements(), st.data())
@settings(deadline=None)
def test_reshape_is_a_view_exactly_where_numpy_has_one(
    moved: tuple[View, np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    view, array, base = moved
    rest, shape = array.size, []
    while rest > 1:
        shape.append(data.draw(st.sampled_from([n for n in range(1, rest + 1) if rest % n == 0])))
        rest //= shape[-1]
        if len(shape) == 4:
            shape.append(rest)
            break
    target = tuple(shape)
    wanted = array.reshape(target)
    reshaped = view.reshape(target)
    assert (reshaped is not None) == np.shares_memory(wanted, base)
    if reshaped is not None:
        np.testing.assert_array_equal(_elements(reshaped, base), wanted)


@pytest.mark.parametrize(
    ("size", "stride", "dilation"), [((3,), (1,), (1,)), ((2,), (2,), (3,)), ((2, 2), (1, 2), (2, 1))]
)
def test_windows(size: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> None:
    base = np.arange(2 * 5 * 6)
    array = base.reshape(2, 5, 6)
    view = View.contiguous(array.shape).windows(size, stride, dilation)
    lead = 3 - len(size)
    reach = tuple(d * (k - 1) + 1 for k, d in zip(size, dilation, strict=True))
    expected = np.lib.stride_tricks.sliding_window_view(array, reach, axis=tuple(range(lead, 3)))
    expected = expected[(*[slice(None)] * lead, *[slice(None, None, s) for s in stride])]
    expected = expected[(..., *[slice(None, None, d) for d in dilation])]
    np.testing.assert_array_equal(_elements(view, base), expected)


def test_empty_and_scalar_views() -> None:
    assert View.contiguous(()).reshape((1, 1)) is not None
    empty = View.contiguous((0, 3))
    assert empty.is_contiguous
    assert empty.reshape((3, 0)) == View.contiguous((3, 0))
    assert empty.permute((1, 0)).shape == (3, 0)


def test_overlap_is_known() -> None:
    assert View.contiguous((1, 3)).expand((2, 3)).overlaps
    assert not View.contiguous((2, 3)).overlaps
