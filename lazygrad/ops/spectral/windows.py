"""Window functions: weights that fade a piece of a signal in and out.

A symmetric window of n points ends as it begins. A periodic one is the symmetric one of n + 1 points without its last,
so that windows laid end to end go on evenly; that is what spectra want.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, pi
from typing import Any, Unpack

from lazygrad.ir.dtype import float32
from lazygrad.ops.arguments.creation_options import TensorOptions, chosen, takes_options
from lazygrad.ops.creation.filled import ones
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.objects.conversion import to
from lazygrad.ops.pointwise.arithmetic import mul, rsub, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.elementary import cos, exp, sin, sqrt
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.reductions.sums import mean
from lazygrad.tensor import Tensor

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]

# From the place of each point, 0 … last, and the last place, which need not be a point of the window.
Shape = Callable[[Tensor, int], Tensor]


def sampled(name: str, shape: Shape, length: Any, symmetric: bool, options: TensorOptions) -> Tensor:
    """The window of ``length`` points.

    Raises:
        TypeError: a length that is not an integer.
        RuntimeError: a negative length; not a floating dtype.
    """
    if not hasattr(length, "__index__"):
        raise TypeError(f"{name}(): the length of the window must be int, not {type(length).__name__}")
    count, made = length.__index__(), chosen(name, options)
    if count < 0:
        raise RuntimeError(f"{name} requires a non-negative window length, got {count}")
    if not made.dtype.differentiable:
        raise RuntimeError(f"{name} expects floating point dtypes, got {made.dtype.name}")
    if made.dtype.is_complex:
        raise NotImplementedError(f"{name} not implemented for '{made.dtype.scalar_type}'")
    if count < 2:
        return made.finished(ones(count, dtype=made.dtype, device=made.device))
    place = arange(count, dtype=float32 if made.dtype.is_half else made.dtype, device=made.device)
    return made.finished(to(shape(place, count - 1 if symmetric else count), made.dtype))


# Shapes.


def cosine_sum(coefficients: Sequence[float]) -> Shape:
    """a₀ − a₁·cos(2πk/last) + a₂·cos(4πk/last) − …"""

    def shape(place: Tensor, last: int) -> Tensor:
        total = mul(place, 0)
        for order, coefficient in enumerate(coefficients):
            wave = mul(cos(mul(place, 2 * pi * order / last)), coefficient)
            total = sub(total, wave) if order % 2 else total + wave
        return total

    return shape


def triangle(place: Tensor, last: int) -> Tensor:
    """From 0 up to 1 in the middle and down to 0."""
    rising = mul(place, 2 / last)
    return where(place <= last / 2, rising, rsub(rising, 2))


def half_sine(place: Tensor, last: int) -> Tensor:
    """sin(π·(k + ½)/(last + 1))"""
    return sin(mul(place + 0.5, pi / (last + 1)))


def bell(deviation: float) -> Shape:
    """exp(−½·((k − middle)/deviation)²)"""

    def shape(place: Tensor, last: int) -> Tensor:
        distance = mul(place - last / 2, 1 / deviation)
        return exp(mul(mul(distance, distance), -0.5))

    return shape


def exponential_decay(center: float | None, constant: float) -> Shape:
    """exp(−|k − center|/constant); by default around the middle."""

    def shape(place: Tensor, last: int) -> Tensor:
        return exp(mul((place - (last / 2 if center is None else center)).abs(), -1 / constant))

    return shape


def bessel_arch(beta: float) -> Shape:
    """Kaiser's window, I₀(β·√(1 − r²)) / I₀(β) with r from −1 to 1.

    I₀(x) is the mean of exp(x·cos θ) over a circle (NIST Digital Library of Mathematical Functions, 10.32.1), which
    a few evenly spaced angles give to the last digit. Both sides are divided by exp(β), so that nothing overflows.
    """

    def shape(place: Tensor, last: int) -> Tensor:
        ratio = sub(mul(place, 2 / last), 1)
        height = sqrt(clamp(rsub(mul(ratio, ratio), 1), min=0))
        angles = 64 + 2 * ceil(abs(beta))
        slope = cos(mul(arange(angles, dtype=place.dtype, device=place.device), 2 * pi / angles))
        above = mean(exp(mul(sub(mul(height.unsqueeze(1), slope), 1), beta)), -1)
        return div(above, mean(exp(mul(sub(slope, 1), beta))))

    return shape


HANN, HAMMING, BLACKMAN = (0.5, 0.5), (0.54, 0.46), (0.42, 0.5, 0.08)
NUTTALL = (0.3635819, 0.4891775, 0.1365995, 0.0106411)


# PyTorch's functions of the length and whether the window is periodic.


def _simple(name: str, shape: Shape, formula: str) -> Callable[..., Tensor]:
    @takes_options(TensorOptions)
    def function(window_length: int, periodic: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
        return sampled(name, shape, window_length, not periodic, options)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{formula}, k from 0 to n, as ``window_length`` points.

    Args:
        window_length: how many points.
        periodic: n is ``window_length``; otherwise the window is symmetric, and n is ``window_length`` − 1.

    Raises:
        TypeError: a length that is not an integer.
        RuntimeError: a negative length; not a floating dtype.
    """
    return function


hann_window = _simple("hann_window", cosine_sum(HANN), "½ − ½·cos(2πk/n)")
blackman_window = _simple("blackman_window", cosine_sum(BLACKMAN), "0.42 − 0.5·cos(2πk/n) + 0.08·cos(4πk/n)")
bartlett_window = _simple("bartlett_window", triangle, "A triangle, 1 − |2k/n − 1|")


@takes_options(TensorOptions)
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """alpha − beta·cos(2πk/n), k from 0 to n; see `hann_window`.

    Raises:
        TypeError: a length that is not an integer.
        RuntimeError: a negative length; not a floating dtype.
    """
    shape = cosine_sum((alpha, beta))
    return sampled("hamming_window", shape, window_length, not periodic, options)


@takes_options(TensorOptions)
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """I₀(beta·√(1 − (2k/n − 1)²)) / I₀(beta), k from 0 to n; see `hann_window`.

    Raises:
        TypeError: a length that is not an integer.
        RuntimeError: a negative length; not a floating dtype.
    """
    shape = bessel_arch(beta)
    return sampled("kaiser_window", shape, window_length, not periodic, options)
