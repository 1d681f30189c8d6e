"""Calls have ways of their own where there are few elements: each must say what the general one says."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host import numpy_support
from lazygrad.host.calls import calls

from .interpreted import interpreting

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf]


def _same_bits(found: np.ndarray, wanted: np.ndarray) -> bool:
    """The same numbers and signs of zero; which NaN it is does not count."""
    nan = np.isnan(found.astype(np.float64))
    zeros = np.signbit(found.astype(np.float64)) == np.signbit(wanted.astype(np.float64))
    return bool(np.array_equal(found, wanted, equal_nan=True) and (zeros | nan).all())


def _folded(fold: np.ufunc, x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """One element after another, as a kernel does it."""
    index = [slice(None)] * x.ndim
    total: np.ndarray | None = None
    for places in product(*[range(x.shape[axis]) for axis in axes]):
        for axis, place in zip(axes, places, strict=True):
            index[axis] = slice(place, place + 1)
        total = x[tuple(index)].copy() if total is None else fold(total, x[tuple(index)])
    assert total is not None
    return total


@pytest.mark.parametrize("rows", [1, 3, 200])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("fold", [np.maximum, np.minimum])
@pytest.mark.parametrize(("shape", "axes"), [((9,), (1,)), ((2, 3), (1, 2)), ((2, 3), (2,)), ((15,), (1,))])
def test_the_larger_one_of_two_zeros_is_that_of_the_fold(
    fold: np.ufunc, dtype: type, rows: int, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    random = np.random.default_rng(rows)
    for numbers in (SPECIAL, SPECIAL[:2], SPECIAL[:4]):
        x = random.choice(numbers, (rows, *shape)).astype(dtype)
        with np.errstate(all="ignore"):
            wanted = _folded(fold, x, axes)
            out = np.empty_like(wanted)
            numpy_support.fold_few(fold, x, axes, out)
        assert _same_bits(out, wanted)


@pytest.mark.parametrize("size", [3, 100])
def test_a_padding_is_the_number_everywhere_but_inside(size: int) -> None:
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    wanted = np.full((size, size), -1.5, np.float32)
    wanted[1:3, :3] = x
    with interpreting():
        padded = lg.nn.functional.pad(lg.from_numpy(x), (0, size - 3, 1, size - 3), value=-1.5)
        assert np.array_equal(padded.numpy(), wanted)
        cut = lg.nn.functional.pad(lg.from_numpy(x), (-1, size - 2, 1, -1), value=-1.5)
        assert np.array_equal(cut.numpy(), np.pad(x[:1, 1:], ((1, 0), (0, size - 2)), constant_values=-1.5))


@pytest.mark.parametrize("shape", [(3,), (2, 1), (1, 3), (2, 3), ()])
def test_what_is_expanded_repeats_its_elements(shape: tuple[int, ...]) -> None:
    x = np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape)
    for axes in (range(len(shape)), reversed(range(len(shape)))):
        order = tuple(axes)
        wide = (4, *[2 if size == 1 else size for size in x.transpose(order).shape])
        with interpreting():
            summed = lg.from_numpy(x).permute(order).expand(wide).cumsum(0)
            assert np.array_equal(summed.numpy(), np.broadcast_to(x.transpose(order), wide).cumsum(0))


@pytest.mark.parametrize("width", [1, 5, 3000])
def test_rows_are_taken_or_the_index_is_refused(width: int) -> None:
    x = np.arange(4.0 * width).reshape(4, width)
    for table in (x, x[::-1], np.asfortranarray(x)):
        out = np.empty((2, 2, width))
        index = np.array([[0, -1], [3, -4]])
        calls["take"](out, table, index)
        assert np.array_equal(out, table[index])
    for beyond in (4, -5):
        with pytest.raises(IndexError, match=f"take: index {beyond} is out of bounds for dimension 0 with size 4"):
            calls["take"](np.empty((1, width)), x, np.array([beyond]))


def test_a_row_is_taken_as_a_single_one() -> None:
    x = np.arange(12.0).reshape(4, 3)
    out = np.empty(3)
    calls["take"](out, x, np.array(-2))
    assert out.tolist() == x[2].tolist()


@pytest.mark.parametrize("width", [1, 3, 40])
@pytest.mark.parametrize("count", [1, 2, 70, 900])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_, np.complex64, ml_dtypes.bfloat16])
def test_rows_of_one_place_are_added_up(dtype: type, count: int, width: int) -> None:
    random = np.random.default_rng(count)
    x, values = random.integers(0, 2, (5, width)).astype(dtype), random.integers(0, 2, (count, width)).astype(dtype)
    index = random.integers(-5, 5, count)
    wanted = x.astype(np.complex128)
    for place, row in zip(index, values.astype(np.complex128), strict=True):
        wanted[place] += row
    if dtype is np.bool_:
        wanted = wanted != 0
    out = np.empty_like(x)
    calls["put"](out, x, values, index, accumulate=True)
    assert np.array_equal(out, wanted.astype(out.dtype) if dtype is np.bool_ else wanted.real.astype(out.dtype))
    calls["put"](x, x, values, index, accumulate=True)
    assert np.array_equal(x, out)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_square_is_a_product(dtype: type) -> None:
    x = np.random.default_rng(0).standard_normal(5000).astype(dtype) * dtype(1e3)
    out = np.empty_like(x)
    for two in (2.0, dtype(2)):
        numpy_support.power(x, two, out)
        assert out.tobytes() == (x * x).tobytes()
    numpy_support.power(x, np.full_like(x, 3), out)
    assert np.allclose(out, x * x * x)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, np.int32, np.int16, np.uint8, np.bool_])
@pytest.mark.parametrize("shape", [(1, 7), (3, 20), (20, 40)])
def test_few_numbers_are_sorted_as_many(shape: tuple[int, ...], dtype: type, descending: bool) -> None:
    random = np.random.default_rng(len(shape))
    numbers = SPECIAL if dtype in FLOATS else [0, 1, 1, 2, 3]
    x = random.choice(numbers, shape).astype(dtype)
    found = np.empty(shape, np.int64)
    calls["argsort"](found, x, axis=1, descending=descending)
    for row, order in zip(x, found, strict=True):
        keys = [(np.isnan(value), 0.0 if np.isnan(value) else value) for value in row.astype(np.float64)]
        assert order.tolist() == sorted(range(row.size), key=keys.__getitem__, reverse=False) or descending
        if descending:
            by_size = sorted(range(row.size), key=lambda i: (not keys[i][0], -keys[i][1]))
            assert order.tolist() == by_size
