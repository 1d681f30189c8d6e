"""Matrix products and convolutions of the C library, against numpy and the numpy calls, on teams of 1 to 3 threads."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.numpy_inputs import FLOATS, INTEGERS, LAYOUTS, assert_close, call, random_array
from tests.runtime.test_numpy_calls_conv import CONVOLUTIONS, Convolution, convolution, expected_weight_grad

from .library import OK, OTHER_MACHINES, REFUSED, drive, drive_epilogue, load_library, needs_compiler

pytestmark = needs_compiler

Shape = tuple[int, ...]
THREADS = (1, 2, 3)

# (rows, depth, columns): what each route through lg_matmul is taken by, at the edges of tiles and blocks.
MATRICES = {
    "tiny": (32, 2, 16),
    "one number": (1, 1, 1),
    "one row": (1, 784, 515),
    "two rows": (2, 301, 260),
    "one column": (517, 784, 1),
    "few rows": (20, 784, 517),
    "few columns": (1031, 300, 33),
    "tall": (700, 130, 97),
    "wide": (97, 130, 700),
    "several blocks of depth": (130, 1000, 70),
    "several chunks": (60, 4500, 1100),
}
EMPTY = {"no rows": (0, 3, 4), "no columns": (3, 4, 0), "no depth": (3, 0, 4), "nothing": (0, 0, 0)}


def multiply(a: np.ndarray, b: np.ndarray, threads: int = 2, **options: Any) -> np.ndarray:
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])
    out = np.ones(shape, a.dtype)
    assert drive("matmul", out, a, b, threads=threads, **options) == OK
    return out


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Exact enough to compare with, wrapping around as the integers of that size do."""
    if a.dtype.kind in "iu":
        return (a.astype(np.int64) @ b.astype(np.int64)).astype(a.dtype)
    return a.astype(np.float64) @ b.astype(np.float64)


def operands(rows: int, depth: int, columns: int, dtype: Any = np.float32) -> tuple[np.ndarray, np.ndarray]:
    return random_array((rows, depth), dtype, seed=1), random_array((depth, columns), dtype, seed=2)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("shape", (MATRICES | EMPTY).values(), ids=(MATRICES | EMPTY).keys())
def test_matmul(shape: tuple[int, int, int], threads: int) -> None:
    a, b = operands(*shape)
    assert_close(multiply(a, b, threads), product(a, b))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("shape", [(7, 5, 9), (100, 120, 130), (1, 300, 1000), (1000, 300, 1)], ids=str)
def test_matmul_dtypes(dtype: np.dtype, shape: tuple[int, int, int]) -> None:
    a, b = operands(*shape, dtype)
    assert_close(multiply(a, b), product(a, b))


def test_integers_wrap_around() -> None:
    a = np.full((4, 3), 2**30, np.int32)
    np.testing.assert_array_equal(multiply(a, a.T), np.zeros((4, 4), np.int32))


def test_bools_are_refused() -> None:
    x = np.ones((2, 2), bool)
    assert drive("matmul", x.copy(), x, x) == REFUSED


@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize("left", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", [(6, 5, 7), (130, 90, 120), (20, 400, 90), (1, 700, 300), (700, 300, 1)], ids=str)
def test_matmul_reads_any_layout(shape: tuple[int, int, int], dtype: str, left: str, right: str) -> None:
    a, b = operands(*shape, dtype)
    assert_close(multiply(LAYOUTS[left](a), LAYOUTS[right](b)), product(a, b))


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((5, 40, 30), (5, 30, 70)),
        ((2, 200, 100), (2, 100, 90)),
        ((2, 3, 40, 50), (3, 50, 60)),
        ((2, 1, 40, 50), (1, 3, 50, 60)),
        ((4, 50, 60), (60, 70)),
        ((50, 60), (7, 60, 70)),
        ((9, 1, 300), (9, 300, 40)),
        ((9, 300, 200), (9, 200, 1)),
        ((0, 4, 5), (0, 5, 6)),
    ],
    ids=str,
)
def test_matmul_batches(left: Shape, right: Shape, threads: int) -> None:
    a, b = random_array(left, seed=1), random_array(right, seed=2)
    assert_close(multiply(a, b, threads), product(a, b))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_matmul_of_expanded_operands(dtype: str) -> None:
    a = np.broadcast_to(random_array((60, 50), dtype, seed=1), (4, 60, 50))
    b = np.broadcast_to(random_array((4, 1, 70), dtype, seed=2), (4, 50, 70))
    assert_close(multiply(a, b), product(a, b))


def test_matmul_spreads_nan_and_infinity() -> None:
    a, b = operands(40, 70, 50)
    a[3, 5], b[8, 9] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        expected = a @ b
    np.testing.assert_array_equal(np.isnan(multiply(a, b)), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(multiply(a, b)), np.isinf(expected))


sizes = st.integers(1, 150)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 5), sizes, sizes, sizes, st.sampled_from(THREADS), st.booleans(), st.booleans())
def test_matmul_of_any_sizes(
    items: int, rows: int, depth: int, columns: int, threads: int, turn_left: bool, turn_right: bool
) -> None:
    a = random_array((items, depth, rows) if turn_left else (items, rows, depth), seed=1)
    b = random_array((items, columns, depth) if turn_right else (items, depth, columns), seed=2)
    a, b = a.swapaxes(1, 2) if turn_left else a, b.swapaxes(1, 2) if turn_right else b
    assert_close(multiply(a, b, threads), product(a, b))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("shape", (MATRICES | EMPTY).values(), ids=(MATRICES | EMPTY).keys())
def test_matmul_epilogue_sees_every_row_once(shape: tuple[int, int, int], threads: int, dtype: str) -> None:
    a, b = operands(*shape, dtype)
    out = np.ones((shape[0], shape[2]), dtype)
    observed = drive_epilogue("matmul", out, a, b, units=shape[0], threads=threads)
    np.testing.assert_array_equal(observed.visits, 1)
    np.testing.assert_array_equal(observed.seen, out)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("items", [1, 2, 3, 9])
def test_matmul_epilogue_of_batches(items: int, threads: int) -> None:
    a, b = random_array((items, 70, 60), seed=1), random_array((items, 60, 110), seed=2)
    out = np.ones((items, 70, 110), np.float32)
    observed = drive_epilogue("matmul", out, a, b, units=items * 70, threads=threads)
    np.testing.assert_array_equal(observed.visits, 1)
    np.testing.assert_array_equal(observed.seen, out)


def test_which_products_are_serial() -> None:
    is_serial = load_library().lg_is_serial_product
    is_serial.argtypes = [ctypes.c_int64] * 4
    assert is_serial(64, 64, 31, 1)
    assert not is_serial(64, 64, 32, 1)
    assert not is_serial(64, 64, 31, 2)


# Convolutions large enough for several threads, blocks and chunks.
LARGE_CONVOLUTIONS = {
    "1x1, fewer positions than lanes": convolution((5, 37, 3, 5), (29, 37, 1, 1)),
    "1x1, one position": convolution((7, 19, 1, 1), (21, 19, 1, 1)),
    "1x1, few positions, grouped": convolution((3, 54, 2, 3), (38, 27, 1, 1), groups=2),
    "1x1, few positions, sums beyond the cache": convolution((3, 523, 5, 5), (509, 523, 1, 1)),
    "several blocks of rows": convolution((2, 20, 90, 90), (33, 20, 3, 3), padding=1),
    "one image": convolution((1, 16, 40, 40), (20, 16, 3, 3), padding=1),
    "three images": convolution((3, 8, 20, 22), (16, 8, 3, 3), stride=2, padding=1),
    "several blocks of depth": convolution((5, 64, 9, 9), (40, 64, 3, 3), padding=1),
    "many channels, few positions": convolution((2, 96, 4, 4), (100, 96, 3, 3), padding=1),
    "long": convolution((2, 6, 9000), (10, 6, 9), stride=2, padding=4),
    "large kernel": convolution((4, 3, 40, 40), (16, 3, 7, 7), stride=2, padding=3),
    "1x1, many": convolution((6, 40, 15, 14), (70, 40, 1, 1)),
    "1x1, many channels": convolution((3, 130, 16, 16), (140, 130, 1, 1)),
    "1x1, one output channel": convolution((4, 20, 31, 32), (1, 20, 1, 1)),
    "1x1, groups": convolution((5, 24, 14, 15), (30, 8, 1, 1), groups=3),
    "1x1, cropping": convolution((4, 9, 30, 31), (11, 9, 1, 1), padding=-1),
    "one input channel": convolution((5, 1, 40, 40), (9, 1, 3, 3), padding=1),
    "one input channel, several blocks of rows": convolution((2, 1, 300, 300), (3, 1, 3, 3), padding=1),
    "two channels per group, strided": convolution((5, 6, 41, 43), (12, 2, 3, 3), stride=2, padding=1, groups=3),
    "few output channels": convolution((3, 16, 40, 40), (3, 16, 3, 3), padding=1),
    "depthwise, many": convolution((9, 24, 20, 20), (24, 1, 3, 3), padding=1, groups=24),
    "few positions, strided": convolution((2, 40, 4, 5), (64, 40, 3, 3), stride=2, padding=1),
    "few positions, dilated, groups": convolution((2, 32, 5, 5), (64, 16, 3, 2), dilation=2, padding=2, groups=2),
    "few positions, stride beyond the kernel": convolution((1, 17, 9, 8), (33, 17, 2, 2), stride=4, padding=1),
    "few positions, 1d": convolution((3, 24, 9), (40, 24, 5), stride=2, padding=1),
    "1x1, few positions": convolution((5, 40, 2, 2), (70, 40, 1, 1)),
    "1x1, few positions, large kernel": convolution((2, 520, 5, 5), (530, 520, 1, 1)),
    "patches": convolution((3, 3, 20, 20), (24, 3, 4, 4), stride=4),
    "lines of 14": convolution((3, 40, 14, 14), (50, 40, 3, 3), padding=1),
    "3d, many": convolution((2, 8, 12, 12, 12), (12, 8, 3, 3, 3), padding=1),
}


def numbers(c: Convolution) -> list[int]:
    """A convolution's attributes as lg_conv takes them."""
    lows, highs = ([pair[side] for pair in c.padding] for side in (0, 1))
    return [len(c.stride), *c.stride, *lows, *highs, *c.dilation, c.groups]


def check(name: str, shape: Shape, c: Convolution, threads: int, *inputs: np.ndarray) -> None:
    """Compare with the numpy call."""
    out = np.ones(shape, inputs[0].dtype)
    assert drive(name, out, *inputs, attributes=numbers(c), threads=threads) == OK
    adjoint = {} if name == "conv" else {"shape": shape}
    assert_close(out, call(name, shape, out.dtype, *inputs, **c.attrs, **adjoint), slack=2)


def check_all(c: Convolution, dtype: Any, threads: int, layout: str = "row_major") -> None:
    x, weight, g = (
        LAYOUTS[layout](random_array(shape, dtype, seed)) for seed, shape in enumerate((c.x, c.weight, c.out))
    )
    check("conv", c.out, c, threads, x, weight)
    check("conv_input_grad", c.x, c, threads, g, weight)
    check("conv_weight_grad", c.weight, c, threads, g, x)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("c", (CONVOLUTIONS | LARGE_CONVOLUTIONS).values(), ids=(CONVOLUTIONS | LARGE_CONVOLUTIONS))
def test_convolutions(c: Convolution, threads: int) -> None:
    check_all(c, np.float32, threads)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("name", ["2d strided", "grouped", "1d asymmetric", "3d", "several blocks of depth"])
def test_convolution_dtypes(name: str, dtype: np.dtype) -> None:
    check_all((CONVOLUTIONS | LARGE_CONVOLUTIONS)[name], dtype, threads=2)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["2d strided", "1x1", "1x1, many", "depthwise", "3d strided", "three images"])
def test_convolutions_read_any_layout(name: str, layout: str, dtype: str) -> None:
    check_all((CONVOLUTIONS | LARGE_CONVOLUTIONS)[name], dtype, 2, layout)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("axes", [1, 2], ids=["images", "channels"])
@pytest.mark.parametrize("c", LARGE_CONVOLUTIONS.values(), ids=LARGE_CONVOLUTIONS)
def test_convolution_epilogue_sees_every_part_once(c: Convolution, axes: int, threads: int) -> None:
    x, weight = random_array(c.x, seed=1), random_array(c.weight, seed=2)
    out, units = np.ones(c.out, np.float32), math.prod(c.out[:axes])
    observed = drive_epilogue("conv", out, x, weight, units=units, attributes=numbers(c), threads=threads)
    np.testing.assert_array_equal(observed.visits, 1)
    np.testing.assert_array_equal(observed.seen, out)


@pytest.mark.parametrize("name", ["1d", "2d strided", "depthwise", "depthwise, many", "one input channel", "1x1", "3d"])
def test_infinity_counts_only_where_a_tap_reads_it(name: str) -> None:
    c = (CONVOLUTIONS | LARGE_CONVOLUTIONS)[name]
    x, g = random_array(c.x, seed=1), random_array(c.out, seed=2)
    x[0, 0, ..., 0], x[-1, -1, ..., -1] = np.inf, np.nan
    out = np.ones(c.weight, np.float32)
    assert drive("conv_weight_grad", out, g, x, attributes=numbers(c)) == OK
    with np.errstate(invalid="ignore"):
        expected = expected_weight_grad(g, x, c)
    assert_close(out, expected, slack=2)


@pytest.mark.parametrize("name", LARGE_CONVOLUTIONS)
def test_results_do_not_depend_on_threads(name: str) -> None:
    c = LARGE_CONVOLUTIONS[name]
    x, weight, g = (random_array(shape, seed=seed) for seed, shape in enumerate((c.x, c.weight, c.out)))
    calls = {"conv": (c.out, x, weight), "conv_input_grad": (c.x, g, weight), "conv_weight_grad": (c.weight, g, x)}
    for call_name, (shape, *inputs) in calls.items():
        results = [np.ones(shape, np.float32) for _ in THREADS]
        for threads, out in zip(THREADS, results, strict=True):
            drive(call_name, out, *inputs, attributes=numbers(c), threads=threads)
        np.testing.assert_array_equal(results[1], results[0])
        np.testing.assert_array_equal(results[2], results[0])


@pytest.mark.parametrize("rows", [1, 3, 4, 7, 8, 30])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_products_do_not_depend_on_threads(rows: int, layout: str) -> None:
    a, b = operands(rows, 700, 391)
    alone = multiply(a, LAYOUTS[layout](b), threads=1)
    for threads in THREADS[1:]:
        np.testing.assert_array_equal(multiply(a, LAYOUTS[layout](b), threads), alone)


@pytest.mark.parametrize("flags", OTHER_MACHINES)
def test_other_machines(flags: tuple[str, ...]) -> None:
    library = load_library(flags)
    for shape in MATRICES.values():
        for dtype in ("float32", "float64", "float16", "int32", "int64"):
            a, b = operands(*shape, dtype)
            assert_close(multiply(a, b.T.copy().T, library=library), product(a, b))
