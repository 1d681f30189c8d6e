"""Indices in a range: C's pass and numpy's say the same, at the bounds and at the ends of the dtypes."""

from __future__ import annotations

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host.buffer import Buffer
from lazygrad.runtime import index_range
from lazygrad.targets.c import host_functions
from tests.targets.c.library import needs_compiler

_BOUNDS = [(0, 5), (-5, 5), (0, 0), (-1, 0), (0, 2**31 - 1), (-(2**31) + 1, 2**31 - 1)]


@pytest.fixture(params=["numpy", pytest.param("c", marks=needs_compiler)])
def passes_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "numpy":
        monkeypatch.setattr(index_range, "host_function", lambda name: None)
        return "numpy"
    host_functions.load()
    monkeypatch.setattr(index_range, "_MANY", 0)
    return "c"


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize(("first", "end"), _BOUNDS)
def test_bounds(passes_by: str, dtype: str, first: int, end: int) -> None:
    ends = np.iinfo(dtype)
    for number in {first, first - 1, end - 1, end, 0, -1, ends.min, ends.max}:
        if not ends.min <= number <= ends.max:
            continue
        for place in (0, 16, 32):
            numbers = np.full(33, max(first, min(0, end - 1)), dtype)
            numbers[place] = number
            expected = all(first <= int(value) < end for value in numbers)
            assert index_range.all_within(Buffer(numbers), first, end) is expected, (number, place)


def test_a_large_index_is_refused_at_the_call(passes_by: str) -> None:
    table, index = lg.zeros(4, 10).realize(), lg.zeros(4, 5000, dtype=lg.int64)
    index[3, 4999] = -11
    index.realize()
    with pytest.raises(RuntimeError, match="index -11 is out of bounds for dimension 1 with size 10"):
        lg.take_along_dim(table, index, 1)
    index[3, 4999] = -10
    index.realize()
    assert lg.take_along_dim(table, index, 1).sum() == 0
