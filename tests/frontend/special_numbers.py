"""Zeros of both signs, infinities, NaN, subnormals and the ends of every dtype; how results at them are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lazygrad as lg
from tests.oracle.comparing import leaf_of

inf, nan = float("inf"), float("nan")
_PLAIN = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -2.0, 2.5, 3.0, 7.0, -7.0, 0.1, 100.0, -100.0, inf, -inf, nan]
_ENDS = {  # the smallest number above 0, the smallest normal one, the largest, one whose fraction is its last bit
    "float16": (6e-8, 6.104e-05, 65504.0, 1023.5),
    "bfloat16": (9.2e-41, 1.18e-38, 3.39e38, 127.5),
    "float32": (1e-45, 1.1754944e-38, 3.4028235e38, 8388607.5),
    "float64": (5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 4503599627370495.5),
}
FLOATING = tuple(_ENDS)
INTEGER = ("uint8", "int8", "int16", "int32", "int64")
# Functions are exact or correctly rounded in both, or as near as two libraries come.
TOLERANCE = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 4e-6, "float64": 1e-13}


def numbers(dtype: str) -> list[Any]:
    """Special numbers of a dtype."""
    if dtype in _ENDS:
        return [*_PLAIN, *_ENDS[dtype], *[-end for end in _ENDS[dtype]]]
    limits = np.iinfo(dtype)
    return [*range(4), 7, 10, 63, 64, limits.max, limits.max - 1, *([] if limits.min == 0 else
            [-1, -2, -3, -7, limits.min, limits.min + 1])]  # fmt: skip


def pairs(dtype: str) -> tuple[list[Any], list[Any]]:
    """Every pair of special numbers, as two lists."""
    every = list(product(numbers(dtype), repeat=2))
    return [first for first, _ in every], [second for _, second in every]


Outcome = tuple[str, NDArray[Any]] | type


def outcomes(t: Any, calls: list[Callable[[], Any]]) -> list[Outcome]:
    """Per call the dtype and the elements of its result, or the class of its error.

    All are recorded before any is computed: lazygrad then makes one plan, which is what costs time with the C backend.
    """
    results: list[Any] = []
    for call in calls:
        try:
            results.append(call())
        except Exception as error:
            results.append(type(error))
    if t is lg:
        lg.realize_all([result for result in results if isinstance(result, lg.Tensor)])
    return [result if isinstance(result, type) else elements(result) for result in results]


def elements(result: Any) -> tuple[str, NDArray[Any]]:
    """The name of a tensor's dtype, and its elements; those of floating dtypes as float64."""
    leaf = leaf_of(result)
    return leaf.dtype, leaf.values


def differences(
    expected: NDArray[Any], actual: NDArray[Any], tolerance: float, dtype: str = "float32"
) -> Iterator[int]:
    """The positions at which two arrays differ: by more than the tolerance, in the sign of a zero, in NaN.

    Subnormal numbers may differ by one in their last digit.
    """
    assert expected.shape == actual.shape
    if expected.dtype.kind in "biu":
        yield from np.flatnonzero(expected != actual)
        return
    with np.errstate(all="ignore"):
        x, y = expected, actual
        same = (x == y) & (np.signbit(x) == np.signbit(y)) | (np.isnan(x) & np.isnan(y))
        close = (np.abs(x - y) <= tolerance * np.abs(x) + 1.5 * _ENDS.get(dtype, (0.0,))[0]) & (x != 0) & (y != 0)
    yield from np.flatnonzero(~(same | close))
