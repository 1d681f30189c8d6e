"""take, put, gather and scatter against loops over single elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lazygrad.host.calls import calls

from .numpy_inputs import ALL, BFLOAT16, INTEGERS, LAYOUTS, assert_close, call, random_array

REDUCE: dict[str, Any] = {
    "set": lambda old, new: new,
    "sum": lambda old, new: old + new,
    "prod": lambda old, new: old * new,
    "amax": np.maximum,
    "amin": np.minimum,
}


def indices_into(size: int, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Positive and negative indices, with many duplicates."""
    return np.random.default_rng(seed).integers(-size, size, shape)


def places_in(size: int, shape: tuple[int, ...]) -> np.ndarray:
    """Indices that count from the front, with many duplicates."""
    return np.random.default_rng(0).integers(0, size, shape)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("shape", "index_shapes"), [((5, 3), [(4,)]), ((5, 3, 2), [(2, 2), (2,)]), ((4,), [()]), ((5, 3), [(0,)]),
                                ((5, 0), [(2,)]), ((3, 4), [(3, 1), (1, 2)])]
)  # fmt: skip
def test_take(shape: tuple[int, ...], index_shapes: list[tuple[int, ...]], layout: str, dtype: np.dtype) -> None:
    x = random_array(shape, dtype)
    indices = [indices_into(shape[axis], index, axis) for axis, index in enumerate(index_shapes)]
    expected = x[tuple(indices)]
    actual = call("take", expected.shape, dtype, LAYOUTS[layout](x), *[LAYOUTS[layout](index) for index in indices])
    np.testing.assert_array_equal(actual, expected)


def test_take_of_many_rows() -> None:
    x, index = random_array((100, 64)), indices_into(100, (5000,))
    np.testing.assert_array_equal(call("take", (5000, 64), np.float32, x, index), x[index])


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [(), (3,), (4, 5)])
@pytest.mark.parametrize("accumulate", [False, True])
def test_put(accumulate: bool, width: tuple[int, ...], layout: str, dtype: np.dtype) -> None:
    x = random_array((4, 2, *width), dtype)
    first, second = indices_into(4, (10, 1), 1), indices_into(2, (3,), 2)
    values = random_array((10, 3, *width), dtype, 3)
    wide = x.astype(np.float32) if x.dtype.kind in "fV" and x.dtype.itemsize == 2 else x.copy()
    for i, j in np.ndindex(10, 3):
        at = first[i, 0], second[j]
        wide[at] = wide[at] + values[i, j].astype(wide.dtype) if accumulate else values[i, j]
    arguments = [LAYOUTS[layout](array) for array in (x, values, first, second)]
    assert_close(call("put", x.shape, dtype, *arguments, accumulate=accumulate), wide.astype(dtype), slack=4)
    calls["put"](x, x, *arguments[1:], accumulate=accumulate)
    assert_close(x, wide.astype(dtype), slack=4)


def test_put_without_duplicates_or_without_values() -> None:
    x = random_array((6, 8))
    index, values = np.array([4, -6, 2]), random_array((3, 8), seed=1)
    expected = x.copy()
    expected[index] += values
    assert_close(call("put", x.shape, np.float32, x, values, index, accumulate=True), expected)
    nothing = call("put", x.shape, np.float32, x, values[:0], index[:0], accumulate=True)
    np.testing.assert_array_equal(nothing, x)


def test_embedding_gradient_is_the_same_each_time() -> None:
    table, index, values = np.zeros((65, 128), np.float32), indices_into(65, (4096,)), random_array((4096, 128))
    first = call("put", table.shape, np.float32, table, values, index, accumulate=True)
    for _ in range(3):
        again = call("put", table.shape, np.float32, table, values, index, accumulate=True)
        np.testing.assert_array_equal(again, first)
    expected = np.zeros((65, 128))
    np.add.at(expected, index, values.astype(np.float64))
    assert_close(first, expected)


@pytest.mark.parametrize("dtype", [np.dtype(np.float16), BFLOAT16], ids=str)
def test_half_rows_are_summed_in_float32(dtype: np.dtype) -> None:
    values, index = np.ones((5000, 1), dtype), np.zeros(5000, np.int64)
    total = call("put", (2, 1), dtype, np.zeros((2, 1), dtype), values, index, accumulate=True)
    assert total[0, 0] == np.float32(5000).astype(dtype)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("shape", "index_shape", "axis"),
    [((4, 5), (4, 3), 1), ((4, 5), (7, 5), 0), ((3, 4, 2), (2, 6, 1), 1), ((3, 4, 2), (2, 3, 5), 2), ((5,), (3,), 0),
     ((4, 5), (0, 5), 0), ((4, 0), (3, 0), 0)],
)  # fmt: skip
def test_gather_and_scatter(
    shape: tuple[int, ...], index_shape: tuple[int, ...], axis: int, layout: str, dtype: np.dtype
) -> None:
    x, index = random_array(shape, dtype), places_in(shape[axis], index_shape)
    source = random_array(tuple(size + 1 for size in index_shape), dtype, 1)
    arrange = LAYOUTS[layout]

    gathered = np.zeros(index_shape, dtype)
    for at in np.ndindex(*index_shape):
        gathered[at] = x[(*at[:axis], index[at], *at[axis + 1 :])]
    for wraps, places in ((False, index), (True, np.where(index % 2, index - shape[axis], index))):
        found = call("gather", index_shape, dtype, arrange(x), arrange(places), axis=axis, wraps=wraps)
        np.testing.assert_array_equal(found, gathered)

    for reduce, combine in REDUCE.items():
        expected = x.astype(np.float32) if dtype.itemsize == 2 and dtype.kind in "fV" else x.copy()
        with np.errstate(over="ignore"):
            for at in np.ndindex(*index_shape):
                target = (*at[:axis], index[at], *at[axis + 1 :])
                expected[target] = combine(expected[target], source[at].astype(expected.dtype))
        actual = call("scatter", shape, dtype, arrange(x), arrange(source), arrange(index), axis=axis, reduce=reduce)
        assert_close(actual, expected.astype(dtype), slack=8)


@pytest.mark.parametrize("axis", [0, 1])
def test_gather_and_scatter_in_blocks(axis: int) -> None:
    x, index = random_array((300, 400)), places_in(300, (300, 400))
    expected = np.take_along_axis(x, index, axis)
    np.testing.assert_array_equal(call("gather", x.shape, np.float32, x, index, axis=axis, wraps=False), expected)
    total = x.astype(np.float64)
    rows, columns = np.indices(x.shape)
    np.add.at(total, (index, columns) if axis == 0 else (rows, index), x)
    assert_close(call("scatter", x.shape, np.float32, x, x, index, axis=axis, reduce="sum"), total)


def test_zero_dimensional_gather_and_scatter() -> None:
    x, index = np.array(2.0), np.array(0)
    assert call("gather", (), np.float64, x, index, axis=0, wraps=False) == 2
    assert call("gather", (), np.float64, x, index - 1, axis=0, wraps=True) == 2
    assert call("scatter", (), np.float64, x, np.array(3.0), index, axis=0, reduce="sum") == 5


def test_the_last_of_several_values_wins() -> None:
    x, index = np.zeros(3), np.array([1, 1, 1])
    assert call("put", (3,), np.float64, x, np.array([1.0, 2.0, 3.0]), index, accumulate=False).tolist() == [0, 3, 0]
    scattered = call("scatter", (3,), np.float64, x, np.array([1.0, 2.0, 3.0]), index, axis=0, reduce="set")
    assert scattered.tolist() == [0, 3, 0]


def test_nan_wins_extremes() -> None:
    x, source, index = np.zeros(2), np.array([np.nan, 1.0]), np.array([0, 0])
    for reduce in ("amax", "amin"):
        assert np.isnan(call("scatter", (2,), np.float64, x, source, index, axis=0, reduce=reduce)[0])


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integer_sums_wrap_around(dtype: np.dtype) -> None:
    largest = np.iinfo(dtype).max
    x, values = np.full((1, 9), largest, dtype), np.ones((1, 9), dtype)
    total = call("put", (1, 9), dtype, x, values, np.array([0]), accumulate=True)
    assert total[0, 0] == np.iinfo(dtype).min


@pytest.mark.parametrize("bad", [5, -1, -6, 10**12])
def test_indices_out_of_range_are_named(bad: int) -> None:
    x, index = random_array((5, 5)), np.array([[0, bad]])
    cases: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("take", (x, index), {}),
        ("take", (x.T, index), {}),
        ("put", (x, random_array((1, 2, 5)), index), {"accumulate": True}),
        ("put", (x, random_array((1, 2, 5)), index), {"accumulate": False}),
        ("gather", (x, index), {"axis": 0, "wraps": False}),
        ("scatter", (x, x, index), {"axis": 0, "reduce": "sum"}),
    ]
    for name, inputs, attrs in cases[4 if bad == -1 else 0 :]:  # those before count from the end
        out = np.ones((5, 5) if name in ("put", "scatter") else (1, 2, 5), np.float32)
        message = f"{name}: index {bad} is out of bounds for dimension 0 with size 5"
        error = RuntimeError if name in ("gather", "scatter") else IndexError  # as in PyTorch
        with pytest.raises(error, match=message):
            calls[name](out, *inputs, **attrs)
        np.testing.assert_array_equal(out, 1)


def test_the_dimension_of_a_bad_index_is_named() -> None:
    x, out = random_array((5, 3)), np.zeros(1, np.float32)
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 1 with size 3"):
        calls["take"](out, x, np.array([0]), np.array([3]))
