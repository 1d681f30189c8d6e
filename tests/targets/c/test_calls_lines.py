"""Scans, sorting and extremes along an axis in C against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime.numpy_inputs import ALL, FLOATS, INTEGERS, random_array

from .calls import Extent, arrangements, check, special
from .library import drive, needs_compiler

pytestmark = needs_compiler

SHAPES_AND_AXES = [((), 0), ((6,), 0), ((3, 7), 0), ((3, 7), 1), ((2, 3, 4), 1), ((1, 5), 1), ((60, 50), 1),
                   ((1000, 2), 0), ((2, 40, 1), 1), ((3, 2, 700), 2), ((5, 100, 3), 1)]  # fmt: skip
EMPTY = [((0, 3), 1), ((3, 0), 1)]
LARGE = [((40000,), 0), ((2, 40000), 1), ((40000, 2), 0), ((200, 300), 0), ((200, 300), 1), ((30, 40, 50), 1)]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
@pytest.mark.parametrize(("shape", "axis"), [*SHAPES_AND_AXES, *EMPTY])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_scans(name: str, shape: Extent, axis: int, dtype: np.dtype) -> None:
    x = random_array(shape, dtype)
    for arranged in arrangements(x):
        check(name, shape, dtype, arranged, axis=axis)
    check(name, shape, dtype, special(x), axis=axis)


@pytest.mark.parametrize("dtype", [np.dtype(np.int16), *FLOATS], ids=str)
@pytest.mark.parametrize(("shape", "axis"), LARGE)
def test_scans_of_large_arrays(shape: Extent, axis: int, dtype: np.dtype) -> None:
    x = random_array(shape, dtype)
    check("cumsum", shape, dtype, x, axis=axis)
    check("cumsum", shape, dtype, x[..., ::-1], axis=axis)
    check("cumprod", shape, dtype, (x.astype(np.float32) / 8 + 1).astype(dtype), axis=axis)


def test_scans_keep_the_sign_of_zero() -> None:
    out = np.ones(20, np.float32)
    drive("cumsum", out, np.full(20, -0.0, np.float32), attributes=[0])
    assert np.signbit(out).all()


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize(("shape", "axis"), [*SHAPES_AND_AXES, *LARGE])
def test_positions_of_extremes(shape: Extent, axis: int, dtype: np.dtype) -> None:
    x = random_array(shape, dtype)
    kept = tuple(1 if a == axis else size for a, size in enumerate(shape))
    some_nans = x.copy()
    if dtype.kind in "fV":
        some_nans[np.random.default_rng(1).random(shape) < 2 / max(x.size, 1)] = np.nan
    for values in (*arrangements(x), special(x.copy()), some_nans):
        if not shape:
            continue  # numpy has no axis to name
        for name in ("argmax", "argmin"):
            check(name, kept, np.int64, values, axis=axis)
    check("argmax", (0, 1), np.int64, np.zeros((0, 3), dtype), axis=1)
    for values in (*arrangements(x), special(x.copy()), some_nans):
        check("cummax_index", shape, np.int64, values, axis=axis)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize(("shape", "axis"), [*SHAPES_AND_AXES, *EMPTY, *LARGE])
@pytest.mark.parametrize("descending", [False, True])
def test_argsort(descending: bool, shape: Extent, axis: int, dtype: np.dtype) -> None:
    x = random_array(shape, dtype)
    for values in (*arrangements(x), special(x.copy())):
        check("argsort", shape, np.int64, values, axis=axis, descending=descending)


@pytest.mark.parametrize("dtype", ALL[1:], ids=str)
def test_argsort_of_all_bits(dtype: np.dtype) -> None:
    x = np.random.default_rng(0).integers(0, 256, 70000 * dtype.itemsize).astype(np.uint8).view(dtype)
    for descending in (False, True):
        check("argsort", x.shape, np.int64, x, axis=0, descending=descending)
