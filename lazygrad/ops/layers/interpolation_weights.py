"""Where in the input the elements of another resolution lie, and the weights of the elements around such a place.

Conventions: with ``align_corners`` the centers of the corner elements coincide, otherwise their outer corners do.
"""

from __future__ import annotations

from math import fabs
from math import floor as whole

from lazygrad.ir.dtype import float32, float64, int64
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.pointwise.arithmetic import abs
from lazygrad.ops.pointwise.relational import ge, le, lt
from lazygrad.ops.pointwise.rounding import floor
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.reductions.sums import sum
from lazygrad.ops.shapes.reshaping import unsqueeze
from lazygrad.tensor import Tensor

# Pairs of positions, one of each or a row of them for every output element, and of their weights.
Taps = list[tuple[Tensor, Tensor]]

_CUBIC = -0.75  # the parameter of Keys' kernel


def _grid(count: int, like: Tensor) -> Tensor:
    """0, 1, …, as the float that positions are computed in."""
    dtype = float64 if like.dtype is float64 else float32
    return arange(count, dtype=dtype, device=like.device)


def _centers(size: int, count: int, scale: float | None, align_corners: bool, like: Tensor) -> Tensor:
    """Where in the input the output's elements lie."""
    numbers, step = _grid(count, like), _step(size, count, scale, align_corners)
    return numbers * step if align_corners else (numbers + 0.5) * step - 0.5


def _step(size: int, count: int, scale: float | None, align_corners: bool = False) -> float:
    """How far apart in the input neighbours of the output lie; 0 where one element is at the first corner."""
    if align_corners:
        return (size - 1) / (count - 1) if count > 1 else 0.0
    return 1.0 / scale if scale else size / count


def nearest_places(size: int, count: int, scale: float | None, exact: bool, like: Tensor) -> Tensor:
    numbers = arange(count, dtype=float32, device=like.device)
    places = (numbers + 0.5 if exact else numbers) * _step(size, count, scale)
    return clamp(floor(places).to(int64), max=size - 1)


def linear_taps(size: int, count: int, scale: float | None, align_corners: bool, like: Tensor) -> Taps:
    center = clamp(_centers(size, count, scale, align_corners, like), min=0)
    below = clamp(floor(center).to(int64), max=size - 1)
    above = clamp(below + 1, max=size - 1)
    share = clamp(center - below.to(center.dtype), 0, 1)
    return [(below, 1 - share), (above, share)]


def cubic_weight(distance: Tensor, a: float) -> Tensor:
    """The cubic convolution kernel of Keys (1981), 0 from a distance of 2 on, NaN at a distance of NaN."""
    x = abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return where(le(x, 1), near, where(ge(x, 2), 0.0, far))


def _cubic_number(distance: float) -> float:
    """`cubic_weight` of a number up to 2."""
    x = fabs(distance)
    if x <= 1:
        return ((_CUBIC + 2) * x - (_CUBIC + 3)) * x * x + 1
    return ((x - 5) * x + 8) * x * _CUBIC - 4 * _CUBIC


def cubic_taps(size: int, count: int, scale: float | None, align_corners: bool, like: Tensor) -> Taps:
    center = _centers(size, count, scale, align_corners, like)
    below = floor(center)
    share, first = center - below, below.to(int64)
    return [(clamp(first + offset, 0, size - 1), cubic_weight(share - offset, _CUBIC)) for offset in range(-1, 3)]


def _triangle_weight(distance: Tensor) -> Tensor:
    return clamp(1 - abs(distance), min=0)


def smooth_taps(size: int, count: int, scale: float | None, align_corners: bool, like: Tensor, radius: int) -> Taps:
    """A filter as wide as the output's pixels, so that shrinking averages (antialias)."""
    step = _step(size, count, scale, align_corners)
    stretch = max(step, 1.0)
    center = (_grid(count, like) + 0.5) * step
    support = radius * stretch
    low = clamp(floor(center - support + 0.5).to(int64), min=0)
    high = clamp(floor(center + support + 0.5).to(int64), max=size)
    taps = min(2 * whole(support + 1) + 1, size + 1)
    places = unsqueeze(low, 1) + arange(taps, device=like.device)
    distance = (places.to(center.dtype) - unsqueeze(center, 1) + 0.5) / stretch
    kernel = _triangle_weight(distance) if radius == 1 else cubic_weight(distance, -0.5)
    kernel = where(lt(places, unsqueeze(high, 1)), kernel, 0.0)
    return [(clamp(places, max=size - 1), kernel / sum(kernel, 1, keepdim=True))]


def linear_kernel(share: float) -> list[float]:
    """The weights of the elements below and above a place that lies ``share`` above the first."""
    return [1 - share, share]


def cubic_kernel(share: float) -> list[float]:
    """The weights of the two elements below and above such a place."""
    return [_cubic_number(distance) for distance in (share + 1, share, 1 - share, 2 - share)]
