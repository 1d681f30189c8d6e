"""Running extrema, quantiles, medians, histograms, covariances, differences, integrals, sets."""

from __future__ import annotations

from tests.oracle.recipes import booleans, exactly, floats, integers

from .calls import call

NAN, INF = float("nan"), float("inf")
HOLES = exactly([[1.0, NAN, 3.0, -2.0], [NAN, 0.25, NAN, NAN], [4.0, 0.5, 0.5, INF]])
NOTHING = exactly([[NAN, NAN], [1.0, 2.0]], requires_grad=False)
_WITH_INFINITY = exactly([[-INF, 1.0, 2.0], [3.0, -INF, 0.5]], requires_grad=False)  # torch's gradient is NaN

_SCANS = [
    case
    for name in ("cummax", "cummin", "logcumsumexp")
    for case in [
        *call(name, floats(3, 4), 1),
        *call(name, floats(3, 4), -2),
        *call(name, floats(), 0),
        *call(name, floats(0, 3, requires_grad=False), 0),
        *call(name, exactly([1.0, NAN, 3.0, 2.0], requires_grad=False), 0),
    ]
] + [
    *call("cummax", integers(3, 5), 1),
    *call("cummin", integers(3, 5, dtype="uint8"), 0),
    *call("cummin", booleans(6), 0),
    *call("logcumsumexp", _WITH_INFINITY, 1),
]

_NAN_AWARE = [
    case
    for name in ("nansum", "nanmean")
    for case in [
        *call(name, HOLES),
        *call(name, HOLES, 1),
        *call(name, HOLES, (0, 1), True),
        *call(name, floats(0, 3), 0),
        *call(name, HOLES, dtype="float64", forms="t"),
    ]
] + [
    *(
        case
        for name in ("nansum", "nanmean", "nanquantile")
        for case in call(name, NOTHING, *(0.5,) * (name == "nanquantile"), dim=1)
    ),
    *call("nansum", integers(4)),
    *call("nanmedian", HOLES),
    *call("nanmedian", HOLES, 1),
    *call("nanmedian", HOLES, 0, True),
    *call("nanmedian", integers(5)),
]

_QUANTILES = [
    case
    for name in ("quantile", "nanquantile")
    for case in [
        *call(name, floats(3, 5), 0.4),
        *call(name, floats(3, 5), exactly([0.0, 0.25, 1.0], requires_grad=False), 1),
        *call(name, floats(3, 5), exactly([0.1, 0.9], requires_grad=False), 0, True),
        *call(name, HOLES, 0.5, 1),
        *call(name, floats(), 0.3),
        *[
            case
            for interpolation in ("lower", "higher", "midpoint", "nearest")
            for case in call(name, floats(3, 5), 0.37, -1, interpolation=interpolation)
        ],
    ]
]

_MODES = [
    *call("mode", exactly([[1.0, 2.0, 2.0, 1.0], [3.0, 3.0, 0.0, 1.0]])),
    *call("mode", integers(4, 6, high=3), 0),
    *call("mode", integers(4, 6, high=3), 1, True),
    *call("mode", booleans(5)),
    *call("mode", floats()),
    *call("msort", floats(3, 4)),
]

_HISTOGRAMS = [
    *call("bincount", integers(12, high=5)),
    *call("bincount", integers(12, high=5), floats(12, requires_grad=False), 8),
    *call("bincount", integers(0)),
    *call("bincount", integers(4, high=3, dtype="uint8"), integers(4)),
    *call("histc", floats(20, requires_grad=False), 5),
    *call("histc", floats(20, requires_grad=False), 4, -1, 1),
    *call("histc", exactly([2.0, 2.0], requires_grad=False), 3),
    *call("histc", floats(0, requires_grad=False), 3),
    *call("histogram", floats(20, requires_grad=False), 5),
    *call("histogram", floats(20, requires_grad=False), 5, range=(-1.0, 1.0), density=True),
    *call("histogram", floats(20, requires_grad=False), exactly([-1.0, 0.0, 0.5, 2.0], requires_grad=False)),
    *call("histogram", floats(9, requires_grad=False), 3, weight=floats(9, low=0.0, requires_grad=False)),
    *call("histogramdd", floats(20, 2, requires_grad=False), [3, 4], forms="t"),
    *call("histogramdd", floats(20, 2, requires_grad=False), 3, range=[-1.0, 1.0, 0.0, 1.0], density=True, forms="t"),
]

_COVARIANCES = [
    *call("cov", floats(3, 5)),
    *call("cov", floats(6)),
    *call("cov", floats(3, 5), correction=0),
    *call("cov", floats(3, 5), fweights=integers(5, low=1, high=4)),
    *call("cov", floats(3, 5), aweights=floats(5, low=0.1, high=2.0)),
    *call("cov", floats(3, 5), fweights=integers(5, low=1, high=4), aweights=floats(5, low=0.1, requires_grad=False)),
    *call("cov", integers(3, 5)),
    *call("corrcoef", floats(3, 5)),
    *call("corrcoef", floats(5)),
]

_DIFFERENCES = [
    *call("diff", floats(3, 5)),
    *call("diff", floats(3, 5), 2, 0),
    *call("diff", floats(3, 5), 7),
    *call("diff", floats(3, 5), 0),
    *call("diff", floats(3, 5), 1, 1, floats(3, 1), floats(3, 2)),
    *call("diff", booleans(6)),
    *call("diff", integers(6, dtype="uint8")),
    *call("gradient", floats(5), forms="t"),
    *call("gradient", floats(4, 5), spacing=2.0, forms="t"),
    *call("gradient", floats(4, 5), dim=1, edge_order=2, forms="t"),
    *call("gradient", floats(4, 5), spacing=[0.5, 3.0], dim=(1, 0), forms="t"),
    *call("gradient", floats(4), spacing=(exactly([0.0, 1.0, 3.0, 3.5]),), forms="t"),
    *call("gradient", floats(4), spacing=(exactly([0.0, 1.0, 3.0, 3.5]),), edge_order=2, forms="t"),
]

_INTEGRALS = [
    case
    for name in ("trapezoid", "cumulative_trapezoid", "trapz")
    for case in [
        *call(name, floats(3, 5), forms="t"),
        *call(name, floats(3, 5), dx=0.5, dim=0, forms="t"),
        *call(name, floats(3, 5), floats(5), forms="t"),
        *call(name, floats(3, 5), floats(3, 5), dim=0, forms="t"),
        *call(name, integers(4), forms="t"),
    ]
]

_SETS = [
    *call("unique_consecutive", integers(9, high=2)),
    *call("unique_consecutive", integers(9, high=2), True, True),
    *call("unique_consecutive", integers(6, 2, high=2), return_counts=True, dim=0),
    *call("unique_consecutive", floats(0, requires_grad=False), True, True),
    *call("isin", integers(3, 4), integers(5), forms="t"),
    *call("isin", integers(3, 4), integers(5), invert=True, forms="t"),
    *call("isin", integers(3, 4), integers(40), forms="t"),  # sorted and searched, where few are compared one by one
    *call("isin", floats(4, requires_grad=False), 0.5, forms="t"),
    *call("isin", 3, integers(4, high=5), forms="t"),
    *call("isin", integers(3), integers(0), forms="t"),
    *call("isin", exactly([1.0, NAN], requires_grad=False), exactly([NAN, 1.0], requires_grad=False), forms="t"),
]

CASES = [*_SCANS, *_NAN_AWARE, *_QUANTILES, *_MODES, *_HISTOGRAMS, *_COVARIANCES, *_DIFFERENCES, *_INTEGRALS, *_SETS]
