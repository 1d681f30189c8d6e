"""Max pooling and the adjoint of windows in C against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lazygrad.ir.view import window_counts
from tests.runtime.numpy_inputs import ALL, FLOATS, INTEGERS, random_array

from .calls import FLATTEN, Attributes, Extent, arrangements, check, repeated, special
from .library import OK, drive, needs_compiler

pytestmark = needs_compiler


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
