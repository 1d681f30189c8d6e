"""Gamma and Dirichlet numbers: those PyTorch draws on a CPU.

Source: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM Transactions on Mathematical
Software 26, 2000. A shape below 1 is drawn as that of a shape greater by 1, times a power of a uniform number.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from lazygrad.runtime.random_dtypes import FLOAT_FORMATS
from lazygrad.runtime.random_rejection import Draw, one_by_one
from lazygrad.runtime.random_streams import MT19937Stream

_SQUEEZE = float(np.float32(0.0331))  # PyTorch's is a number of single precision


class _Normals:
    """Normal numbers in pairs, by Box and Muller; the second of a pair is kept for the next one, or the next call."""

    def __init__(self, stream: MT19937Stream, draw: Draw) -> None:
        self._draw = draw
        self.kept = stream.cached_normal

    def next(self) -> float:
        if self.kept is not None:
            normal, self.kept = self.kept, None
            return normal
        angle, radius = 2.0 * math.pi * self._draw(), math.sqrt(-2.0 * math.log1p(-self._draw()))
        self.kept = radius * math.sin(angle)
        return radius * math.cos(angle)


def _gammas(stream: MT19937Stream, shapes: NDArray[Any]) -> NDArray[np.float64]:
    """Gamma numbers of rate 1; what is computed of the shapes alone has their precision, as in PyTorch."""
    compute = FLOAT_FORMATS[shapes.dtype].compute
    with np.errstate(divide="ignore", over="ignore"):
        is_small = shapes < 1
        powers = (compute(1) / shapes.astype(compute)).tolist()
        raised = np.where(is_small, shapes + shapes.dtype.type(1), shapes)
        d = (raised.astype(compute) - compute(np.float32(1) / np.float32(3))).tolist()
    with stream.lock:
        with one_by_one(stream) as draw:
            normals = _Normals(stream, draw)
            numbers = [
                _gamma(part, power if small else 0.0, draw, normals)
                for small, power, part in zip(is_small.tolist(), powers, d, strict=True)
            ]
        stream.cached_normal = normals.kept
    return np.array(numbers, np.float64)


def _gamma(d: float, power: float, draw: Draw, normals: _Normals) -> float:
    """A gamma number of shape d + ⅓; if ``power`` is not 0, times a uniform number to this power."""
    if math.isnan(d):
        return math.nan
    if power == math.inf:
        return 0.0
    scale: float = (1.0 - draw()) ** power if power else 1.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normals.next()
        y = 1.0 + c * x
        while y <= 0.0:
            x = normals.next()
            y = 1.0 + c * x
        v, u, square = y * y * y, 1.0 - draw(), x * x
        if u < 1.0 - _SQUEEZE * square * square or math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
            return scale * d * v


def standard_gamma(stream: MT19937Stream, shapes: NDArray[Any]) -> NDArray[Any]:
    """One gamma number of rate 1 for each shape, in the shapes' dtype and shape (n,); the dtype's least at least."""
    numbers: NDArray[Any] = _gammas(stream, shapes).astype(shapes.dtype)
    return np.maximum(numbers, ml_dtypes.finfo(shapes.dtype).tiny)


def dirichlet(stream: MT19937Stream, concentrations: NDArray[Any]) -> NDArray[Any]:
    """A point of the simplex for each row of concentrations, of shape (rows, n): strictly between 0 and 1."""
    gammas = standard_gamma(stream, concentrations.reshape(-1).astype(np.float64)).reshape(concentrations.shape)
    dtype = concentrations.dtype
    points: NDArray[Any] = (gammas / gammas.sum(-1, keepdims=True)).astype(dtype)
    return np.clip(points, ml_dtypes.finfo(dtype).tiny, np.nextafter(dtype.type(1), dtype.type(0)))
