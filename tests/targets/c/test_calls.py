"""The C library's calls on drawn inputs, and without vector instructions or threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lazygrad.host.calls import calls
from tests.runtime.numpy_inputs import ALL, LAYOUTS, assert_close, random_array
from tests.selection import share

from .calls import REDUCE, Attributes, Extent, check, flattened, indices_into, refused
from .library import OK, OTHER_MACHINES, drive, load_library, needs_compiler

pytestmark = needs_compiler


@st.composite
def arrays_and_indices(
    draw: st.DrawFn, from_zero: bool = False
) -> tuple[np.ndarray, np.ndarray, int, np.random.Generator]:
    """An array of any dtype and layout, an axis, and an index that may be out of range, below zero or not."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rank = draw(st.integers(1, 4))
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=rank, max_size=rank)))
    axis = draw(st.integers(0, rank - 1))
    x = random_array(shape, draw(st.sampled_from(ALL)), int(random.integers(1000)))
    x = LAYOUTS[draw(st.sampled_from(list(LAYOUTS)))](x)
    beyond = draw(st.sampled_from([0, 0, 0, 1]))
    extent = [draw(st.integers(0, 8)) if a == axis else draw(st.integers(0, size)) for a, size in enumerate(shape)]
    index = random.integers((0 if from_zero else -shape[axis]) - beyond, shape[axis] + beyond, extent)
    return x, LAYOUTS[draw(st.sampled_from(list(LAYOUTS)))](index), axis, random


@pytest.mark.deeper
@settings(max_examples=share(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(arrays_and_indices(from_zero=True), st.sampled_from(REDUCE))
def test_any_gather_and_scatter(drawn: tuple[np.ndarray, np.ndarray, int, np.random.Generator], reduce: str) -> None:
    x, index, axis, random = drawn
    source = random_array(tuple(size + int(random.integers(2)) for size in index.shape), x.dtype, 1)
    size = x.shape[axis]
    if index.size and (index.min() < 0 or index.max() >= size):
        assert refused("gather", np.ones(index.shape, x.dtype), x, index, axis=axis, wraps=False)
        assert refused("scatter", np.ascontiguousarray(x), x, source, index, axis=axis, reduce=reduce)
        return
    check("gather", index.shape, x.dtype, x, index, axis=axis, wraps=False)
    check("scatter", x.shape, x.dtype, x, source, index, slack=8, axis=axis, reduce=reduce)


@pytest.mark.deeper
@settings(max_examples=share(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(arrays_and_indices(), st.booleans(), st.data())
def test_any_take_and_put(
    drawn: tuple[np.ndarray, np.ndarray, int, np.random.Generator], accumulate: bool, data: st.DataObject
) -> None:
    x, _, _, random = drawn
    count = data.draw(st.integers(0, x.ndim))
    broadcast = tuple(data.draw(st.lists(st.integers(0, 4), max_size=3)))
    indices = []
    for size in x.shape[:count]:
        own = [1 if random.random() < 0.3 else extent for extent in broadcast]
        own = own[int(random.integers(2)) :]
        indices.append(random.integers(-size, size, own))
    shape = np.broadcast_shapes(*[index.shape for index in indices]) + x.shape[count:]
    check("take", shape, x.dtype, x, *indices)
    values = random_array(shape, x.dtype, 1)
    check("put", x.shape, x.dtype, x, values, *indices, slack=4, accumulate=accumulate)


@pytest.mark.deeper
@settings(max_examples=share(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
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


@pytest.mark.parametrize("flags", OTHER_MACHINES)
def test_with_fewer_vector_instructions_and_without_threads(flags: tuple[str, ...]) -> None:
    pooling: Attributes = {"size": (2, 2), "stride": (2, 2), "padding": ((0, 0), (0, 0)), "dilation": (1, 1)}
    library = load_library(flags)
    x, index = random_array((500, 60)), indices_into(500, (700,))
    cases: list[tuple[str, Extent, Any, tuple[np.ndarray, ...], Attributes]] = [
        ("put", x.shape, np.float32, (x, random_array((700, 60), seed=1), index), {"accumulate": True}),
        ("argsort", x.shape, np.int64, (x,), {"axis": 1, "descending": True}),
        ("cumsum", x.shape, np.float32, (x,), {"axis": 1}),
        ("argmax", (500, 1), np.int64, (x,), {"axis": 1}),
        ("pool_argmax", (250, 30), np.int64, (x,), pooling),
    ]
    for name, shape, dtype, inputs, attrs in cases:
        expected, out = np.ones(shape, dtype), np.ones(shape, dtype)
        calls[name](expected, *inputs, **attrs)
        assert drive(name, out, *inputs, attributes=flattened(name, attrs), library=library) == OK
        assert_close(out, expected, slack=4)
