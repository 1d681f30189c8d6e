"""The C library's calls against their numpy counterparts: every dtype and layout, any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lazygrad.ir.view import window_counts
from lazygrad.runtime.numpy_calls import calls

from .c_library import OK, REFUSED, drive, load_library, needs_compiler
from .numpy_inputs import ALL, FLOATS, INTEGERS, LAYOUTS, assert_close, random_array, stepped

pytestmark = needs_compiler

Attributes = dict[str, Any]
Extent = tuple[int, ...]

REDUCE = ("set", "sum", "prod", "amax", "amin")
THREADS = (1, 2, 3)
EVERY_CALL_ON_ALL_THREADS = ("-fopenmp", "-DSERIAL_ELEMENTS=0", "-O1")
PORTABLE = ("-march=x86-64",)  # without threads

# The attributes of each op as C gets them.
FLATTEN: dict[str, Callable[[Attributes], list[int]]] = {
    "take": lambda a: [],
    "put": lambda a: [a["accumulate"]],
    "gather": lambda a: [a["axis"]],
    "scatter": lambda a: [a["axis"], REDUCE.index(a["reduce"])],
    "pad": lambda a: [*a["before"], *a["after"]],
    "concat": lambda a: [a["axis"]],
    "update_view": lambda a: [len(a["shape"]), *a["shape"], *a["strides"], a["offset"]],
    "read_view": lambda a: [len(a["shape"]), *a["shape"], *a["strides"], a["offset"]],
    "iota": lambda a: [],
    "philox": lambda a: [],
    "pool_argmax": lambda a: [
        len(a["size"]), *a["size"], *a["stride"], *chain(*zip(*a["padding"], strict=True)), *a["dilation"]
    ],
    "windows_adjoint": lambda a: [len(a["size"]), *a["size"], *a["stride"], *a["dilation"]],
    "argmax": lambda a: [a["axis"]],
    "argmin": lambda a: [a["axis"]],
    "argsort": lambda a: [a["axis"], a["descending"]],
    "cumsum": lambda a: [a["axis"]],
    "cumprod": lambda a: [a["axis"]],
    "cummax_index": lambda a: [a["axis"]],
}  # fmt: skip


def check(
    name: str, shape: Extent, dtype: Any, /, *inputs: np.ndarray, in_place: bool = False, slack: float = 2.0, **attrs: Any
) -> None:
    """Compare C with numpy: on some threads as plans run it, and on all threads whatever the size."""
    expected = np.ones(shape, dtype)
    inputs = tuple(map(np.asarray, inputs))
    with np.errstate(all="ignore"):
        calls[name](expected, *inputs, **attrs)
    numbers = [int(number) for number in FLATTEN[name](attrs)]
    first: np.ndarray | None = None
    for flags in (("-fopenmp",), EVERY_CALL_ON_ALL_THREADS):
        for threads in THREADS:
            out = inputs[0].copy() if in_place else np.ones(shape, dtype)
            arguments = (out, *inputs[1:]) if in_place else inputs
            outcome = drive(name, out, *arguments, attributes=numbers, threads=threads, library=load_library(flags))
            assert outcome == OK
            first = out if first is None else first
            assert out.tobytes() == first.tobytes(), "the number of threads changes the result"
    assert first is not None
    assert_close(first, expected, slack)


def refused(name: str, out: np.ndarray, *inputs: np.ndarray, **attrs: Any) -> bool:
    """Whether every number of threads refuses the inputs; ``out`` must not change when it is the first input."""
    before = out.copy()
    outcomes = set()
    for flags in (("-fopenmp",), EVERY_CALL_ON_ALL_THREADS):
        for threads in THREADS:
            numbers = [int(number) for number in FLATTEN[name](attrs)]
            outcomes.add(drive(name, out, *inputs, attributes=numbers, threads=threads, library=load_library(flags)))
            if inputs and inputs[0] is out:
                np.testing.assert_array_equal(out, before)
    assert len(outcomes) == 1
    return outcomes == {REFUSED}


def indices_into(size: int, shape: Extent, seed: int = 0) -> np.ndarray:
    """Positive and negative indices, with many duplicates."""
    return np.asarray(np.random.default_rng(seed).integers(-size, size, shape))


def special(x: np.ndarray) -> np.ndarray:
    """``x`` with NaNs, infinities and zeros of both signs here and there, if it is of a float dtype."""
    if x.dtype.kind in "fV" and x.size:
        random = np.random.default_rng(9)
        chosen = random.random(x.shape) < 0.3
        x[chosen] = random.choice(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0]), int(chosen.sum())).astype(x.dtype)
    return x


def repeated(x: np.ndarray, axis: int) -> np.ndarray:
    """One slice of ``x`` in place of all along an axis, with stride 0."""
    return np.broadcast_to(np.take(x, [0], axis), x.shape) if x.shape[axis] else x


def arrangements(x: np.ndarray) -> Iterator[np.ndarray]:
    """``x`` in every layout; then other values with stride 0 along the last axis."""
    for arrange in LAYOUTS.values():
        yield arrange(x)
    if x.ndim:
        yield repeated(x, x.ndim - 1)


# Rows


@pytest.mark.parametrize("dtype", ALL, ids=str)
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


def test_put_of_nothing() -> None:
    x, nothing = random_array((6, 8)), np.zeros(0, np.int64)
    for accumulate in (False, True):
        check("put", x.shape, np.float32, x.T.copy().T, np.zeros((0, 8), np.float32), nothing, accumulate=accumulate)
        check("put", (6, 0), np.float32, x[:, :0], np.zeros((2, 0), np.float32), np.array([1, 1]), accumulate=accumulate)
        check("put", (0, 8), np.float32, x[:0], np.zeros((0, 8), np.float32), nothing, accumulate=accumulate)


# Elements


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize(
    ("shape", "index_shape", "axis"),
    [((4, 5), (4, 3), 1), ((4, 5), (7, 5), 0), ((3, 4, 2), (2, 6, 1), 1), ((3, 4, 2), (2, 3, 5), 2), ((5,), (3,), 0),
     ((4, 5), (0, 5), 0), ((4, 0), (3, 0), 0), ((), (), 0), ((9, 4), (9, 1), 1), ((6, 7, 3), (6, 1, 3), 1)],
)  # fmt: skip
def test_gather_and_scatter(shape: Extent, index_shape: Extent, axis: int, dtype: np.dtype) -> None:
    x, index = random_array(shape, dtype), indices_into(shape[axis] if shape else 1, index_shape)
    source = random_array(tuple(size + 1 for size in index_shape), dtype, 1)
    for arranged in arrangements(x):
        check("gather", index_shape, dtype, arranged, index, axis=axis)
        check("scatter", shape, dtype, arranged, source, index, axis=axis, reduce="sum")
    for arranged in arrangements(index):
        check("gather", index_shape, dtype, x, arranged, axis=axis)
        for reduce in REDUCE:
            check("scatter", shape, dtype, x, source, arranged, slack=8, axis=axis, reduce=reduce)
            check("scatter", shape, dtype, x, source, arranged, in_place=True, slack=8, axis=axis, reduce=reduce)
    for arranged in arrangements(source):
        check("scatter", shape, dtype, x, arranged, index, slack=8, axis=axis, reduce="prod")


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_gather_and_scatter_on_several_threads(dtype: np.dtype, axis: int) -> None:
    x, index = random_array((300, 400), dtype), indices_into(300, (300, 400))
    check("gather", x.shape, dtype, x, index, axis=axis)
    rows = np.broadcast_to(index[:, :1], index.shape)
    for reduce in REDUCE:
        check("scatter", x.shape, dtype, x, x, index, axis=axis, reduce=reduce, slack=8)
        check("scatter", x.shape, dtype, x, x, rows, axis=axis, reduce=reduce, slack=8)


@pytest.mark.parametrize("reduce", REDUCE)
@pytest.mark.parametrize("dtype", [np.dtype(np.int32), *FLOATS], ids=str)
def test_scatter_along_the_only_axis(dtype: np.dtype, reduce: str) -> None:
    x, source, index = random_array((100,), dtype), random_array((40000,), dtype, 1), indices_into(100, (40000,))
    if reduce == "prod":
        source = np.sign(source.astype(np.float32)).astype(dtype)
    check("scatter", x.shape, dtype, x, source, index, axis=0, reduce=reduce, slack=50)


@pytest.mark.parametrize("reduce", ["amax", "amin"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_wins_scattered_extremes(dtype: np.dtype, reduce: str) -> None:
    x, source = special(random_array((30, 7), dtype)), special(random_array((50, 7), dtype, 1))
    check("scatter", x.shape, dtype, x, source, indices_into(30, (50, 7)), axis=0, reduce=reduce)


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
    column = index.reshape(8, 1)
    assert refused("gather", np.ones((8, 1), np.float32), x, column, axis=0)
    for reduce in REDUCE:
        assert refused("scatter", x, x, random_array((8, 5)), column, axis=0, reduce=reduce)
        assert refused("scatter", x[:, 0].copy(), x[:, 0].copy(), values[0, :, 0], index[0], axis=0, reduce=reduce)


def test_an_empty_axis_has_no_index() -> None:
    x, index = np.zeros((0, 3), np.float32), np.zeros((2, 3), np.int64)
    assert refused("gather", np.ones((2, 3), np.float32), x, index, axis=0)
    assert refused("take", np.ones((2, 3), np.float32), x, index[:, 0])


# Data movement


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize(
    ("before", "after"),
    [((1, 0), (0, 2)), ((0, 0), (0, 0)), ((-1, 2), (1, -2)), ((-3, 0), (0, 0)), ((-5, 0), (2, 1)), ((2, 0), (1, 0)),
     ((0, -4), (0, 3))],
)  # fmt: skip
def test_pad(before: Extent, after: Extent, dtype: np.dtype) -> None:
    shape = tuple(b + size + a for b, size, a in zip(before, (3, 4), after, strict=True))
    if min(shape) < 0:
        pytest.skip("not a shape")
    for arranged in arrangements(random_array((3, 4), dtype)):
        check("pad", shape, dtype, arranged, np.array(1, dtype), before=before, after=after)


def test_pad_of_images() -> None:
    x, zero = random_array((3, 4, 30, 31)), np.zeros((), np.float32)
    check("pad", (3, 4, 32, 34), np.float32, x, zero, before=(0, 0, 1, 2), after=(0, 0, 1, 1))
    check("pad", (3, 6, 30, 31), np.float32, x, zero, before=(0, 1, 0, 0), after=(0, 1, 0, 0))
    check("pad", (3, 4, 32, 34), np.float32, x[..., ::-1], zero, before=(0, 0, 1, 2), after=(0, 0, 1, 1))
    check("pad", (), np.float32, x[0, 0, 0, 0], zero, before=(), after=())


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("axis", [0, 1])
def test_concat(axis: int, dtype: np.dtype) -> None:
    shapes = [(2, 3), (0, 3), (4, 3)] if axis == 0 else [(2, 3), (2, 0), (2, 1)]
    parts = [layout(random_array(shape, dtype)) for shape, layout in zip(shapes, LAYOUTS.values(), strict=False)]
    check("concat", np.concatenate(parts, axis).shape, dtype, *parts, repeated(parts[0], 1)[:0].reshape(
        (0, 3) if axis == 0 else (2, 0)), axis=axis)  # fmt: skip


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_concat_of_large_arrays(axis: int) -> None:
    x = random_array((40, 50, 60))
    parts = [x, x.swapaxes(0, 1).copy().swapaxes(0, 1), np.asfortranarray(x), x[::-1, ::-1, ::-1]]
    shape = tuple(size * (4 if a == axis else 1) for a, size in enumerate(x.shape))
    check("concat", shape, np.float32, *parts, axis=axis)


VIEWS: list[Attributes] = [
    {"shape": (2, 3), "strides": (10, 2), "offset": 3},
    {"shape": (3, 2), "strides": (-1, 5), "offset": 7},
    {"shape": (5, 4), "strides": (1, 5), "offset": 0},
    {"shape": (4, 2, 2), "strides": (5, -1, 2), "offset": 1},
    {"shape": (), "strides": (), "offset": 19},
    {"shape": (0, 3), "strides": (3, 1), "offset": 20},
]


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_views_are_read_and_updated(view: Attributes, dtype: np.dtype) -> None:
    base, values = random_array((4, 5), dtype), random_array(view["shape"], dtype, 1)
    for arranged in arrangements(base):
        check("read_view", view["shape"], dtype, arranged, **view)
        check("update_view", base.shape, dtype, arranged, values, **view)
    for arranged in arrangements(values):
        check("update_view", base.shape, dtype, base, arranged, **view)
        check("update_view", base.shape, dtype, base, arranged, in_place=True, **view)


def test_views_of_large_arrays() -> None:
    base, values = random_array((200, 300)), random_array((300, 100), seed=1)
    view: Attributes = {"shape": (300, 100), "strides": (1, 600), "offset": 300}
    check("read_view", view["shape"], np.float32, base, **view)
    check("read_view", view["shape"], np.float32, base.T.copy().T, **view)
    check("update_view", base.shape, np.float32, base, values, **view)
    check("update_view", base.shape, np.float32, base, values.T.copy().T, in_place=True, **view)


def test_views_may_repeat_elements() -> None:
    base = np.arange(4)
    check("read_view", (2, 2), np.int64, base, shape=(2, 2), strides=(0, 1), offset=2)
    check("read_view", (2, 3), np.int64, base, shape=(2, 3), strides=(1, 1), offset=0)
    same = np.full((3, 2), 7)
    check("update_view", (4,), np.int64, base, same, shape=(3, 2), strides=(0, 1), offset=2)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("length", [0, 1, 5, 40000])
def test_iota(length: int, dtype: np.dtype) -> None:
    check("iota", (length,), dtype, length=length, dtype=dtype.name)


@pytest.mark.parametrize("shape", [(), (0,), (3, 5), (200, 301)])
@pytest.mark.parametrize("counter", [0, 12345, -2, -1])
def test_philox(counter: int, shape: Extent) -> None:
    check("philox", shape, np.uint32, np.array(-7), np.array(counter), shape=shape)


# Pooling


def pooling(size: Extent, stride: int, padding: Any = 0, dilation: int = 1) -> Attributes:
    axes = len(size)
    pairs = padding if isinstance(padding, tuple) else ((padding, padding),) * axes
    return {"size": size, "stride": (stride,) * axes, "padding": pairs, "dilation": (dilation,) * axes}


def pooled_shape(shape: Extent, attrs: Attributes) -> Extent:
    lead = len(shape) - len(attrs["size"])
    padded = tuple(n + low + high for n, (low, high) in zip(shape[lead:], attrs["padding"], strict=True))
    return shape[:lead] + window_counts(padded, attrs["size"], attrs["stride"], attrs["dilation"])


POOLINGS = {
    "1d": ((3, 9), pooling((3,), 2, 1)),
    "1d without planes": ((9,), pooling((2,), 2)),
    "2x2": ((2, 3, 6, 8), pooling((2, 2), 2)),
    "2x2, last row unread": ((2, 3, 5, 7), pooling((2, 2), 2)),
    "3x3 overlapping": ((2, 3, 7, 8), pooling((3, 3), 2, 1)),
    "3x3 each": ((2, 3, 7, 40), pooling((3, 3), 1, 1)),
    "ceil mode": ((2, 3, 6, 6), pooling((3, 3), 2, ((0, 1), (0, 1)))),
    "dilated": ((2, 9, 9), pooling((3, 3), 1, 1, dilation=2)),
    "3d": ((2, 4, 5, 6), pooling((2, 2, 2), 2, 1)),
    "large window": ((1, 20, 20), pooling((17, 17), 1)),
    "mostly padding": ((2, 3, 3), pooling((4, 4), 3, 3)),
    "no planes": ((0, 3, 6, 6), pooling((2, 2), 2)),
    "long rows": ((2, 3, 1200), pooling((2, 3), 1, 1)),
    "many planes": ((10, 40, 12, 12), pooling((6, 6), 6)),
}


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("name", POOLINGS)
def test_pool_argmax(name: str, dtype: np.dtype) -> None:
    shape, attrs = POOLINGS[name]
    out = pooled_shape(shape, attrs)
    for arranged in arrangements(special(random_array(shape, dtype))):
        check("pool_argmax", out, np.int64, arranged, **attrs)
    lowest = -np.inf if dtype.kind in "fV" else 0 if dtype.kind == "b" else np.iinfo(dtype).min
    check("pool_argmax", out, np.int64, np.full(shape, lowest, dtype), **attrs)


def test_windows_of_padding_only_name_an_element_of_the_plane() -> None:
    attrs, out = pooling((2, 2), 3, 5), np.ones((2, 4, 4), np.int64)
    assert drive("pool_argmax", out, random_array((2, 3, 3)), attributes=FLATTEN["pool_argmax"](attrs)) == OK
    assert out[:, 0].max() == 0
    assert out.max() < 9


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
@pytest.mark.parametrize(
    ("shape", "size", "stride", "dilation"),
    [((2, 3, 6, 6), (2, 2), (2, 2), (1, 1)), ((3, 9), (3,), (2,), (2,)), ((8,), (3,), (1,), (1,)),
     ((2, 5, 6, 7), (2, 1, 3), (1, 2, 3), (2, 1, 1)), ((0, 6), (2,), (2,), (1,)), ((2, 2), (3,), (1,), (1,)),
     ((2, 2500), (5,), (3,), (2,)), ((20, 40, 40), (3, 3), (1, 1), (1, 1))],
)  # fmt: skip
def test_windows_adjoint(shape: Extent, size: Extent, stride: Extent, dilation: Extent, dtype: np.dtype) -> None:
    lead = len(shape) - len(size)
    counts = window_counts(shape[lead:], size, stride, dilation)
    g = random_array((*shape[:lead], *counts, *size), dtype)
    for arranged in (*arrangements(g), repeated(g, 0)):
        check("windows_adjoint", shape, dtype, arranged, shape=shape, size=size, stride=stride, dilation=dilation)


# Along an axis

SHAPES_AND_AXES = [((), 0), ((6,), 0), ((3, 7), 0), ((3, 7), 1), ((2, 3, 4), 1), ((1, 5), 1), ((60, 50), 1), ((1000, 2), 0),
                   ((2, 40, 1), 1), ((3, 2, 700), 2), ((5, 100, 3), 1)]  # fmt: skip
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


# Anything


@st.composite
def arrays_and_indices(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, np.random.Generator]:
    """An array of any dtype and layout, an axis, and an index for it that may be out of range."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rank = draw(st.integers(1, 4))
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=rank, max_size=rank)))
    axis = draw(st.integers(0, rank - 1))
    x = random_array(shape, draw(st.sampled_from(ALL)), int(random.integers(1000)))
    x = LAYOUTS[draw(st.sampled_from(list(LAYOUTS)))](x)
    beyond = draw(st.sampled_from([0, 0, 0, 1]))
    extent = [draw(st.integers(0, 8)) if a == axis else draw(st.integers(0, size)) for a, size in enumerate(shape)]
    index = random.integers(-shape[axis] - beyond, shape[axis] + beyond, extent)
    return x, LAYOUTS[draw(st.sampled_from(list(LAYOUTS)))](index), axis, random


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(arrays_and_indices(), st.sampled_from(REDUCE))
def test_any_gather_and_scatter(
    drawn: tuple[np.ndarray, np.ndarray, int, np.random.Generator], reduce: str
) -> None:
    x, index, axis, random = drawn
    source = random_array(tuple(size + int(random.integers(2)) for size in index.shape), x.dtype, 1)
    size = x.shape[axis]
    if index.size and (index.min() < -size or index.max() >= size):
        assert refused("gather", np.ones(index.shape, x.dtype), x, index, axis=axis)
        assert refused("scatter", np.ascontiguousarray(x), x, source, index, axis=axis, reduce=reduce)
        return
    check("gather", index.shape, x.dtype, x, index, axis=axis)
    check("scatter", x.shape, x.dtype, x, source, index, slack=8, axis=axis, reduce=reduce)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(arrays_and_indices(), st.booleans(), st.data())
def test_any_take_and_put(
    drawn: tuple[np.ndarray, np.ndarray, int, np.random.Generator], accumulate: bool, data: st.DataObject
) -> None:
    x, _, _, random = drawn
    count = data.draw(st.integers(0, x.ndim))
    broadcast = tuple(data.draw(st.lists(st.integers(0, 4), max_size=3)))
    indices = []
    for size in x.shape[:count]:
        own = [1 if random.random() < 0.3 else extent for extent in broadcast][int(random.integers(2)) if broadcast else 0 :]
        indices.append(random.integers(-size, size, own))
    shape = np.broadcast_shapes(*[index.shape for index in indices]) + x.shape[count:]
    check("take", shape, x.dtype, x, *indices)
    values = random_array(shape, x.dtype, 1)
    check("put", x.shape, x.dtype, x, values, *indices, slack=4, accumulate=accumulate)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(arrays_and_indices(), st.booleans())
def test_any_line(drawn: tuple[np.ndarray, np.ndarray, int, np.random.Generator], descending: bool) -> None:
    x, _, axis, _ = drawn
    kept = tuple(1 if a == axis else size for a, size in enumerate(x.shape))
    check("argsort", x.shape, np.int64, x, axis=axis, descending=descending)
    check("argmax", kept, np.int64, x, axis=axis)
    check("argmin", kept, np.int64, x, axis=axis)
    check("cummax_index", x.shape, np.int64, x, axis=axis)
    if x.dtype.kind != "b":
        check("cumsum", x.shape, x.dtype, x, axis=axis)
        check("cumprod", x.shape, x.dtype, x, slack=8, axis=axis)


def test_without_vector_instructions_or_threads() -> None:
    library = load_library(PORTABLE)
    x, index = random_array((500, 60)), indices_into(500, (700,))
    cases: list[tuple[str, Extent, Any, tuple[np.ndarray, ...], Attributes]] = [
        ("put", x.shape, np.float32, (x, random_array((700, 60), seed=1), index), {"accumulate": True}),
        ("argsort", x.shape, np.int64, (x,), {"axis": 1, "descending": True}),
        ("cumsum", x.shape, np.float32, (x,), {"axis": 1}),
        ("argmax", (500, 1), np.int64, (x,), {"axis": 1}),
        ("pool_argmax", (250, 30), np.int64, (x,), pooling((2, 2), 2)),
    ]
    for name, shape, dtype, inputs, attrs in cases:
        expected, out = np.ones(shape, dtype), np.ones(shape, dtype)
        calls[name](expected, *inputs, **attrs)
        numbers = [int(number) for number in FLATTEN[name](attrs)]
        assert drive(name, out, *inputs, attributes=numbers, library=library) == OK
        assert_close(out, expected, slack=4)
