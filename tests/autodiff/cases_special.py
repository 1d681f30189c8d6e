"""Gradient-check cases of the composites around logarithms and of the elementwise library functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lazygrad.ir.composites import logarithm
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.pointwise import FUNCTIONS, pointwise

from .case import Case, uniform
from .cases_elementwise import OTHER, POSITIVE, SIGNED, UNIT
from .cases_structural import FIXED

INSIDE = uniform(2, 3, low=0.2, high=0.8)
DEGREE = FIXED(np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]))
PARAMETER = FIXED(np.array(1.5))
POSITIVE_ONLY = "bessel_y0 bessel_y1 k0 k0e k1 k1e".split()


def _library(name: str) -> Callable[..., Node]:
    return lambda *inputs: pointwise(*inputs, function=name)


def _behind(name: str, *fixed: Node) -> Callable[[Node], Node]:
    """A function of its last operand."""
    return lambda x: pointwise(*fixed, x, function=name)


_OF_ONE = [name for name, function in FUNCTIONS.items() if function.operands == 1 and function.result is None]
_LIBRARY = [
    *[Case(_library(name), (POSITIVE if name in POSITIVE_ONLY else SIGNED,), 3) for name in _OF_ONE if name != "ndtri"],
    Case(_library("ndtri"), (INSIDE,), 3),
    *[Case(_behind(name, FIXED(OTHER)), (POSITIVE,), 3) for name in ("gammainc", "gammaincc")],
    Case(_behind("zeta", FIXED(OTHER + 1.5)), (POSITIVE,), 3),
    *[Case(_behind(name, DEGREE), (UNIT,), 3) for name in ("chebyshev_t", "hermite_h", "hermite_he")],
    *[Case(_behind(name, DEGREE, PARAMETER), (UNIT,), 3) for name in ("gegenbauer", "laguerre")],
]

CASES: dict[str, list[Case]] = {
    "pointwise": _LIBRARY,
    "xlogy": [Case(logarithm.xlogy, (SIGNED, OTHER), 3), Case(logarithm.xlogy, (SIGNED[:, :1], OTHER[:1]))],
    "xlog1py": [Case(logarithm.xlog1py, (SIGNED, OTHER), 3)],
    "logaddexp": [Case(logarithm.logaddexp, (SIGNED, OTHER), 3), Case(logarithm.logaddexp, (SIGNED[:, :1], OTHER))],
    "logaddexp2": [Case(logarithm.logaddexp2, (SIGNED, OTHER), 3)],
    "hypot": [Case(logarithm.hypot, (SIGNED, OTHER), 3)],
    "sinc": [Case(logarithm.sinc, (SIGNED,), 3)],
    "entr": [Case(logarithm.entr, (POSITIVE,), 3)],
    "logit": [Case(logarithm.logit, (INSIDE,), 3)],
    "ndtr": [Case(logarithm.ndtr, (SIGNED,), 3)],
    "spherical_bessel_j0": [Case(logarithm.spherical_bessel_j0, (SIGNED,), 3)],
}
