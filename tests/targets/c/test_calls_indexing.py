"""take, put, gather and scatter in C against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime.numpy_inputs import ALL, COMPLEX, FLOATS, MOVED, random_array, stepped

from .calls import REDUCE, Extent, arrangements, check, indices_into, places_in, refused, special
from .library import needs_compiler

pytestmark = needs_compiler

# Rows


@pytest.mark.parametrize("dtype", MOVED, ids=str)
@pytest.mark.parametrize(
    ("shape", "index_shapes"),
    [((5, 3), [(4,)]), ((5, 3, 2), [(2, 2), (2,)]), ((4,), [()]), ((4,), [(7,)]), ((5, 3), [(0,)]), ((5, 0), [(2,)]),
     ((3, 4), [(3, 1), (1, 2)]), ((), []), ((4, 3), []), ((6, 20), [(3, 2)]), ((2, 3, 4, 5), [(2,), (1,), (3, 1)])],
)  # fmt: skip
def test_take(shape: Extent, index_shapes: list[Extent], dtype: np.dtype) -> None:
    x = random_array(shape, dtype)
    indices = [indices_into(shape[axis], index, axis) for axis, index in enumerate(index_shapes)]
    out = x[tuple(indices)].shape
    for arranged in arrangements(x):
        check("take", out, dtype, arranged, *indices)
    check("take", out, dtype, x, *[stepped(np.asarray(index)) for index in indices])


@pytest.mark.parametrize("width", [1, 3, 64])
def test_take_of_many_rows(width: int) -> None:
    x, index = random_array((100, width)), indices_into(100, (5000,))
    check("take", (5000, width), np.float32, x, index)
    check("take", (5000, width), np.float32, np.asfortranarray(x), index[::-1])


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("width", [(), (3,), (4, 5)])
@pytest.mark.parametrize("accumulate", [False, True])
def test_put(accumulate: bool, width: Extent, dtype: np.dtype) -> None:
    x = random_array((4, 2, *width), dtype)
    first, second = indices_into(4, (10, 1), 1), indices_into(2, (3,), 2)
    values = random_array((10, 3, *width), dtype, 3)
    for arranged in arrangements(x):
        check("put", x.shape, dtype, arranged, values, first, second, accumulate=accumulate)
    for arranged in arrangements(values):
        check("put", x.shape, dtype, x, arranged, first, second, accumulate=accumulate)
    check("put", x.shape, dtype, x, values, np.asfortranarray(first), second[::-1], accumulate=accumulate)
    check("put", x.shape, dtype, x, values, first, second, in_place=True, accumulate=accumulate)


@pytest.mark.parametrize("dtype", [np.dtype(np.float32), *FLOATS[2:], np.dtype(np.int64)], ids=str)
@pytest.mark.parametrize(("rows", "width"), [(65, 128), (3000, 1), (70000, 8), (1, 300), (50, 1200)])
@pytest.mark.parametrize("in_place", [False, True])
def test_embedding_gradient(in_place: bool, rows: int, width: int, dtype: np.dtype) -> None:
    count = 4096 if width < 500 else 300
    x, values = random_array((rows, width), dtype), random_array((count, width), dtype, 1)
    index = np.minimum(indices_into(rows, (count,)), rows // 2)  # many of them equal
    check("put", x.shape, dtype, x, values, index, in_place=in_place, slack=30, accumulate=True)


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype(np.int64)], ids=str)
@pytest.mark.parametrize(("rows", "width"), [(65, 128), (3000, 1), (3000, 8), (1, 300), (50, 1200), (400, 33)])
@pytest.mark.parametrize("value", [0, 3])
def test_adding_to_one_number_seen_as_many(value: int, rows: int, width: int, dtype: np.dtype) -> None:
    """Zeros are written on the way; half of the rows get none of the values, some get many."""
    count = 2000 if width < 500 else 300
    x, values = np.broadcast_to(np.array(value, dtype), (rows, width)), random_array((count, width), dtype, 1)
    for index in (indices_into(rows, (count,)) // 2, np.full(count, rows // 3), np.arange(count) // 7 % rows):
        check("put", x.shape, dtype, x, values, index, slack=30, accumulate=True)


def test_put_of_nothing() -> None:
    x, nothing = random_array((6, 8)), np.zeros(0, np.int64)
    for accumulate in (False, True):
        check("put", x.shape, np.float32, x.T.copy().T, np.zeros((0, 8), np.float32), nothing, accumulate=accumulate)
        check(
            "put", (6, 0), np.float32, x[:, :0], np.zeros((2, 0), np.float32), np.array([1, 1]), accumulate=accumulate
        )
        check("put", (0, 8), np.float32, x[:0], np.zeros((0, 8), np.float32), nothing, accumulate=accumulate)


# Elements


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize(
    ("shape", "index_shape", "axis"),
    [((4, 5), (4, 3), 1), ((4, 5), (7, 5), 0), ((3, 4, 2), (2, 6, 1), 1), ((3, 4, 2), (2, 3, 5), 2), ((5,), (3,), 0),
     ((4, 5), (0, 5), 0), ((4, 0), (3, 0), 0), ((), (), 0), ((9, 4), (9, 1), 1), ((6, 7, 3), (6, 1, 3), 1)],
)  # fmt: skip
def test_gather_and_scatter(shape: Extent, index_shape: Extent, axis: int, dtype: np.dtype) -> None:
    x, index = random_array(shape, dtype), places_in(shape[axis] if shape else 1, index_shape)
    source = random_array(tuple(size + 1 for size in index_shape), dtype, 1)
    for arranged in arrangements(x):
        check("gather", index_shape, dtype, arranged, index, axis=axis, wraps=False)
        check("scatter", shape, dtype, arranged, source, index, axis=axis, reduce="sum")
    for arranged in arrangements(index):
        check("gather", index_shape, dtype, x, arranged, axis=axis, wraps=False)
        from_the_end = np.where(arranged % 2, arranged - (shape[axis] if shape else 1), arranged)
        check("gather", index_shape, dtype, x, from_the_end, axis=axis, wraps=True)
        for reduce in REDUCE:
            check("scatter", shape, dtype, x, source, arranged, slack=8, axis=axis, reduce=reduce)
            check("scatter", shape, dtype, x, source, arranged, in_place=True, slack=8, axis=axis, reduce=reduce)
    for arranged in arrangements(source):
        check("scatter", shape, dtype, x, arranged, index, slack=8, axis=axis, reduce="prod")


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_numbers_are_moved(dtype: np.dtype) -> None:
    x, index = random_array((4, 5), dtype), places_in(5, (4, 3))
    values = random_array((4, 3), dtype, 1)
    for arranged in arrangements(x):
        check("gather", (4, 3), dtype, arranged, index, axis=1, wraps=False)
        check("scatter", (4, 5), dtype, arranged, values, index, axis=1, reduce="set")
        check("put", (4, 5), dtype, arranged, values[:, :1].repeat(5, 1), index[:, 0] % 4, accumulate=False)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_gather_and_scatter_on_several_threads(dtype: np.dtype, axis: int) -> None:
    x, index = random_array((300, 400), dtype), places_in(300, (300, 400))
    check("gather", x.shape, dtype, x, index, axis=axis, wraps=False)
    rows = np.broadcast_to(index[:, :1], index.shape)
    for reduce in REDUCE:
        check("scatter", x.shape, dtype, x, x, index, axis=axis, reduce=reduce, slack=8)
        check("scatter", x.shape, dtype, x, x, rows, axis=axis, reduce=reduce, slack=8)


@pytest.mark.parametrize("reduce", REDUCE)
@pytest.mark.parametrize("dtype", [np.dtype(np.int32), *FLOATS], ids=str)
def test_scatter_along_the_only_axis(dtype: np.dtype, reduce: str) -> None:
    x, source, index = random_array((100,), dtype), random_array((40000,), dtype, 1), places_in(100, (40000,))
    if reduce == "prod":
        source = np.sign(source.astype(np.float32)).astype(dtype)
    check("scatter", x.shape, dtype, x, source, index, axis=0, reduce=reduce, slack=50)


@pytest.mark.parametrize("reduce", ["amax", "amin"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_wins_scattered_extremes(dtype: np.dtype, reduce: str) -> None:
    x, source = special(random_array((30, 7), dtype)), special(random_array((50, 7), dtype, 1))
    check("scatter", x.shape, dtype, x, source, places_in(30, (50, 7)), axis=0, reduce=reduce)


@pytest.mark.parametrize("bad", [5, -6, 10**12, -(2**63), 2**63 - 1])
@pytest.mark.parametrize("place", [0, 7])
def test_indices_out_of_range_are_refused(place: int, bad: int) -> None:
    x, index = random_array((5, 5)), np.zeros((1, 8), np.int64)
    index[0, place] = bad
    values = random_array((1, 8, 5))
    assert refused("take", np.ones((1, 8, 5), np.float32), x, index)
    assert refused("take", np.ones((1, 8, 5), np.float32), x.T, index)
    assert refused("take", np.ones((1, 8), np.float32), x, index, np.zeros((), np.int64))
    assert refused("take", np.ones((1, 8), np.float32), x, np.zeros((), np.int64), index)
    assert refused("take", np.ones((1, 8, 0), np.float32), x[:, :0], index)
    assert refused("take", np.ones((0, 1, 8), np.float32), x, np.zeros((0, 1, 1), np.int64), index)
    for accumulate in (False, True):
        assert refused("put", x, x, values, index, accumulate=accumulate)
        assert refused("put", x, x, values[..., 0], index, index * 0, accumulate=accumulate)
    refuse_places(x, index, values)


@pytest.mark.parametrize("place", [0, 7])
def test_gathers_and_scatters_refuse_what_counts_from_the_end(place: int) -> None:
    index = np.zeros((1, 8), np.int64)
    index[0, place] = -1
    refuse_places(random_array((5, 5)), index, random_array((1, 8, 5)))


@pytest.mark.parametrize("bad", [5, -6, -(2**63), 2**63 - 1])
def test_gathers_that_wrap_refuse_what_lies_outside(bad: int) -> None:
    index = np.zeros((8, 1), np.int64)
    index[5] = bad
    assert refused("gather", np.ones((8, 1), np.float32), random_array((5, 5)), index, axis=0, wraps=True)
    assert refused(
        "gather", np.ones((1, 5), np.float32), random_array((5, 5)), index[5:6].repeat(5, 1), axis=0, wraps=True
    )


def refuse_places(x: np.ndarray, index: np.ndarray, values: np.ndarray) -> None:
    """The calls that address one axis refuse an index (1, 8) that is out of range."""
    column = index.reshape(8, 1)
    assert refused("gather", np.ones((8, 1), np.float32), x, column, axis=0, wraps=False)
    for reduce in REDUCE:
        assert refused("scatter", x, x, random_array((8, 5)), column, axis=0, reduce=reduce)
        assert refused("scatter", x[:, 0].copy(), x[:, 0].copy(), values[0, :, 0], index[0], axis=0, reduce=reduce)


def test_an_empty_axis_has_no_index() -> None:
    x, index = np.zeros((0, 3), np.float32), np.zeros((2, 3), np.int64)
    assert refused("gather", np.ones((2, 3), np.float32), x, index, axis=0, wraps=False)
    assert refused("take", np.ones((2, 3), np.float32), x, index[:, 0])
