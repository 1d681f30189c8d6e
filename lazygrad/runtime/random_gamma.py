"""Gamma and Dirichlet numbers: those PyTorch draws on a CPU.

Source: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM Transactions on Mathematical
Software 26, 2000. A shape below 1 is drawn as that of a shape greater by 1, times a power of a uniform number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from lazygrad.runtime import libm
from lazygrad.runtime.random_box_muller import box_muller_pairs
from lazygrad.runtime.random_dtypes import FLOAT_FORMATS
from lazygrad.runtime.random_rejection import Draw, one_by_one
from lazygrad.runtime.random_streams import MT19937Stream

_MANY = 64
_LEAST_SHAPE = 1.6  # below, too many normal numbers are too small
_PART_LENGTH = 1 << 14
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
        if len(d) >= _MANY and _LEAST_SHAPE <= shapes[0] < math.inf and (shapes == shapes[0]).all():
            return _gammas_of_one_shape(stream, d[0], len(d))
        pairs = zip(is_small.tolist(), powers, strict=True)
        return _gammas_one_by_one(stream, d, [power if small else 0.0 for small, power in pairs])


def _gammas_one_by_one(stream: MT19937Stream, d: Sequence[float], powers: Sequence[float]) -> NDArray[np.float64]:
    with one_by_one(stream) as draw:
        normals = _Normals(stream, draw)
        numbers = [_gamma(part, power, draw, normals) for part, power in zip(d, powers, strict=True)]
    stream.cached_normal = normals.kept
    return np.array(numbers, np.float64)


def _gammas_of_one_shape(stream: MT19937Stream, d: float, n: int) -> NDArray[np.float64]:
    """Many at a time: of one shape, a try that is rejected is followed by another of the same kind.

    A try takes a normal number and a uniform one, so two tries take four uniform numbers; only a normal number that is
    too small takes another, and there the numbers go on one by one.
    """
    result = np.empty(n, np.float64)
    found = 0
    too_small = 0.5 * math.erfc(math.sqrt(4.5 * d))  # how often a normal number is
    length = _PART_LENGTH if too_small * _PART_LENGTH < 1 else int(1 / too_small)
    while found < n:
        wanted = min(n - found, length)
        numbers, is_complete = _tries(stream, d, wanted)
        result[found : found + len(numbers)] = numbers
        found += len(numbers)
        if not is_complete and found < n:
            result[found] = _gammas_one_by_one(stream, [d], [0.0])[0]
            found += 1
    return result


def _tries(stream: MT19937Stream, d: float, wanted: int) -> tuple[NDArray[np.float64], bool]:
    """At most ``wanted`` gamma numbers, and whether the next try is an ordinary one."""
    count = wanted + wanted // 16 + 8
    before = stream.mark()
    kept = before[1]
    lead = 0 if kept is None else 1  # tries whose normal number is there already
    pairs = -(-(count - lead) // 2)
    uniforms = stream.unit(lead + 4 * pairs)
    blocks = uniforms[lead:].reshape(-1, 4)
    normals = np.concatenate([[] if kept is None else [kept], box_muller_pairs(blocks[:, :2].reshape(-1))])
    thresholds = 1.0 - np.concatenate([uniforms[:lead], blocks[:, 2:].reshape(-1)])
    y = 1.0 + (1.0 / math.sqrt(9.0 * d)) * normals
    ordinary = y > 0.0
    usable = len(y) if ordinary.all() else int(np.argmin(ordinary))
    y, x, u = y[:usable], normals[:usable], thresholds[:usable]
    v, square = y * y * y, x * x
    squeezed = u < 1.0 - _SQUEEZE * square * square
    accepted = np.flatnonzero(squeezed | (libm.log(u) < 0.5 * square + d * (1.0 - v + libm.log(v))))[:wanted]
    used = int(accepted[-1]) + 1 if len(accepted) == wanted else usable
    stream.rewind(before)
    later = max(used - lead, 0)
    stream.unit(min(lead, used) + 4 * (later // 2) + 3 * (later % 2))
    stream.cached_normal = kept if used == 0 else float(normals[used]) if later % 2 else None
    return d * v[accepted], used < usable or usable == len(normals)


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
