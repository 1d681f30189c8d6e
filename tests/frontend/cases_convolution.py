"""Convolution and pooling in one and two dimensions."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import floats

from .calls import call

_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"stride": 2},
    {"padding": 1},
    {"dilation": 2},
    {"stride": 2, "padding": 2, "dilation": 2},
    {"padding": "same"},
    {"padding": "valid"},
    {"padding": "same", "dilation": 2},
)

_CONV1D = [
    *(
        case
        for options in _OPTIONS
        for case in call("conv1d", floats(2, 3, 9), floats(4, 3, 3), floats(4), forms="F", **options)
    ),
    *call("conv1d", floats(2, 3, 9), floats(4, 3, 3), forms="F", floating="float64"),
    *call("conv1d", floats(3, 9), floats(4, 3, 3), floats(4), forms="F"),
    *call("conv1d", floats(2, 4, 7), floats(6, 2, 3), floats(6), groups=2, forms="F"),
    *call("conv1d", floats(2, 4, 7), floats(4, 1, 3), groups=4, padding=1, forms="F"),
    *call("conv1d", floats(2, 3, 5), floats(4, 3, 1), floats(4), forms="F"),
    *call("conv1d", floats(1, 1, 6), floats(1, 1, 2), padding="same", forms="F"),
    *call("conv1d", floats(2, 3, 9), floats(4, 3, 3), floats(4), forms="t"),
]

_CONV2D = [
    *(
        case
        for options in _OPTIONS
        for case in call("conv2d", floats(2, 3, 7, 6), floats(4, 3, 3, 3), floats(4), forms="F", **options)
    ),
    *call("conv2d", floats(2, 3, 7, 6), floats(4, 3, 3, 3), forms="F", floating="float64"),
    *call("conv2d", floats(2, 3, 7, 6), floats(4, 3, 3, 2), floats(4), (2, 1), (1, 0), (1, 2), forms="F"),
    *call("conv2d", floats(3, 7, 6), floats(4, 3, 3, 3), floats(4), forms="F"),
    *call("conv2d", floats(2, 4, 5, 5), floats(6, 2, 3, 3), floats(6), groups=2, forms="F"),
    *call("conv2d", floats(2, 4, 5, 5), floats(8, 1, 3, 3), groups=4, padding=1, stride=2, forms="F"),
    *call("conv2d", floats(2, 3, 4, 4), floats(5, 3, 1, 1), floats(5), forms="F"),
    *call("conv2d", floats(2, 3, 4, 5), floats(5, 3, 4, 5), floats(5), forms="F"),
    *call("conv2d", floats(1, 1, 5, 5), floats(1, 1, 2, 4), padding="same", forms="F"),
    *call("conv2d", floats(2, 3, 7, 6), floats(4, 3, 3, 3), floats(4), forms="t"),
    *call("conv2d", floats(1, 2, 4, 4), floats(2, 2, 3, 3), forms="F", floating="bfloat16", slack=4.0),
    Case(
        "conv2d of a permuted input",
        lambda t, x, w: t.nn.functional.conv2d(x.permute(0, 3, 1, 2), w),
        (floats(2, 5, 4, 3), floats(4, 3, 3, 3)),
    ),
]

_MAX_POOL = [
    *call("max_pool1d", floats(2, 3, 9), 2, forms="F"),
    *call("max_pool1d", floats(2, 3, 9), 3, stride=1, padding=1, forms="F"),
    *call("max_pool1d", floats(3, 9), 2, ceil_mode=True, forms="F"),
    *call("max_pool1d", floats(2, 3, 9), 2, dilation=2, forms="F"),
    *call("max_pool1d", floats(2, 3, 9), 3, return_indices=True, forms="F"),
    *call("max_pool2d", floats(2, 3, 6, 7), 2, forms="F"),
    *call("max_pool2d", floats(2, 3, 6, 7), 2, forms="F", floating="float64"),
    *call("max_pool2d", floats(2, 3, 6, 7), (2, 3), stride=(1, 2), forms="F"),
    *call("max_pool2d", floats(2, 3, 6, 7), 3, stride=2, padding=1, forms="F"),
    *call("max_pool2d", floats(2, 3, 6, 7), 3, 2, ceil_mode=True, forms="F"),
    *call("max_pool2d", floats(2, 3, 6, 7), 3, 2, 1, ceil_mode=True, forms="F"),
    *call("max_pool2d", floats(2, 3, 7, 7), 2, dilation=2, forms="F"),
    *call("max_pool2d", floats(3, 6, 6), 2, forms="F"),
    *call("max_pool2d", floats(2, 3, 6, 7), 2, return_indices=True, forms="F"),
    *call("max_pool2d", floats(1, 1, 5, 5), 3, stride=1, padding=1, return_indices=True, forms="F"),
]

_AVERAGE_POOL = [
    *call("avg_pool1d", floats(2, 3, 9), 2, forms="F"),
    *call("avg_pool1d", floats(2, 3, 9), 3, stride=2, padding=1, forms="F"),
    *call("avg_pool1d", floats(2, 3, 9), 3, stride=2, padding=1, count_include_pad=False, forms="F"),
    *call("avg_pool1d", floats(3, 9), 2, ceil_mode=True, forms="F"),
    *call("avg_pool2d", floats(2, 3, 6, 7), 2, forms="F"),
    *call("avg_pool2d", floats(2, 3, 6, 7), 2, forms="F", floating="float64"),
    *call("avg_pool2d", floats(2, 3, 6, 7), (3, 2), stride=(2, 1), padding=(1, 0), forms="F"),
    *call("avg_pool2d", floats(2, 3, 6, 7), 3, 2, 1, count_include_pad=False, forms="F"),
    *call("avg_pool2d", floats(2, 3, 6, 7), 3, 2, 1, ceil_mode=True, forms="F"),
    *call("avg_pool2d", floats(2, 3, 6, 7), 2, divisor_override=3, forms="F"),
    *call("avg_pool2d", floats(3, 4, 4), 2, forms="F"),
]

_ADAPTIVE_POOL = [
    *call("adaptive_avg_pool1d", floats(2, 3, 9), 3, forms="F"),
    *call("adaptive_avg_pool1d", floats(2, 3, 9), 4, forms="F"),
    *call("adaptive_avg_pool2d", floats(2, 3, 6, 8), 1, forms="F"),
    *call("adaptive_avg_pool2d", floats(2, 3, 6, 8), (3, 4), forms="F"),
    *call("adaptive_avg_pool2d", floats(2, 3, 7, 5), (3, 2), forms="F", floating="float64"),
    *call("adaptive_avg_pool2d", floats(2, 3, 7, 5), (None, 2), forms="F"),
    *call("adaptive_avg_pool2d", floats(3, 6, 6), 2, forms="F"),
]

CASES = [*_CONV1D, *_CONV2D, *_MAX_POOL, *_AVERAGE_POOL, *_ADAPTIVE_POOL]
