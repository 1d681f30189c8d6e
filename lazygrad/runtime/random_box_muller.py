"""Normal numbers from uniform ones, to the last bit those of PyTorch's CPU kernels.

In float64 these use the C library's logarithm, sine and cosine. In float32 they use those of Moshier's Cephes library
(logf.c, sinf.c), as Pommier's sse_mathfun vectorizes them. PyTorch's compiler fuses a product with the sum it goes
into, which decides last bits: `random_arithmetic.fused` stands where it does so, and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lazygrad.host.addresses import address_of
from lazygrad.runtime import libm
from lazygrad.runtime.random_arithmetic import Float, fused, fused_multiply_add
from lazygrad.runtime.random_engine import demand
from lazygrad.targets.devices import host_function

_WORDS_OF_A_CALL = 1 << 11  # numpy draws as many in the time that it takes for its 400 operations on few numbers
Floats = NDArray[np.float32]

_SQRT_HALF = np.float32(0.707106781186547524)
_LOGARITHM = (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
              -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)  # fmt: skip
_LOG_2 = (-2.12194440e-4, 0.693359375)  # low and high part
_QUARTER_PI = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)  # high, middle and low part
_SINE = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COSINE = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)


def box_muller(uniforms: NDArray[Float], mean: float, std: float) -> NDArray[Float]:
    """Turn uniforms into normals, 16 at a time: 8 radii followed by their 8 angles.

    Args:
        uniforms: float32 or float64 in [0, 1), shape (16 * k,).
        mean: mean of the result.
        std: standard deviation of the result.

    Returns:
        Shape (16 * k,), same dtype. Of each 16, the first 8 are ``radius * cos(angle)``, the last 8
        ``radius * sin(angle)``, with ``radius = sqrt(-2 log(1 - u))``.
    """
    dtype = uniforms.dtype.type
    if dtype is np.float32:
        in_place = host_function("lg_box_muller")
        if in_place is not None:
            normals = np.array(uniforms)
            in_place(address_of(normals), len(normals) // 16, mean, std)
            return normals
        demand.add(_WORDS_OF_A_CALL)
    blocks = uniforms.reshape(-1, 2, 8)
    natural_logarithm, sine_and_cosine = _FUNCTIONS[dtype]
    radius = np.sqrt(dtype(-2) * natural_logarithm(dtype(1) - blocks[:, 0]))
    sine, cosine = sine_and_cosine(blocks[:, 1] * dtype(2 * math.pi))
    normals = np.empty_like(blocks)
    np.multiply(radius, cosine, out=normals[:, 0])
    np.multiply(radius, sine, out=normals[:, 1])
    result = fused_multiply_add(normals.reshape(-1), float(dtype(std)), float(dtype(mean)))
    return result + dtype(mean) if mean == 0 else result  # a product of -0 becomes 0


def box_muller_pairs(uniforms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn uniforms into standard normals pair by pair, in PyTorch's order for short tensors.

    Args:
        uniforms: float64 in [0, 1), shape (2 * k,): angle, radius, angle, radius, ...

    Returns:
        Shape (2 * k,): cosine, sine, cosine, sine, ...
    """
    angle = uniforms[0::2] * (2 * math.pi)
    radius = np.sqrt(-2.0 * libm.log1p(-uniforms[1::2]))
    normals = np.empty_like(uniforms)
    normals[0::2] = radius * libm.cos(angle)
    normals[1::2] = radius * libm.sin(angle)
    return normals


def few_box_muller_pairs(words: list[int]) -> list[float]:
    """`box_muller_pairs` of uniforms that are made of words of 32 bits, two each: of few, arrays take longer.

    Args:
        words: of a random engine, a multiple of four.
    """
    normals: list[float] = []
    for i in range(0, len(words), 4):
        first, second = ((words[j] << 32 | words[j + 1]) & _LOW_53_BITS for j in (i, i + 2))
        angle = first * 2.0**-53 * (2 * math.pi)
        radius = math.sqrt(-2.0 * math.log1p(-(second * 2.0**-53)))
        normals += (radius * math.cos(angle), radius * math.sin(angle))
    return normals


_LOW_53_BITS = 2**53 - 1


def natural_logarithm_float32(x: Floats) -> Floats:
    """ln x of positive normal numbers."""
    mantissa, exponent = np.frexp(x)
    is_small = mantissa < _SQRT_HALF
    power = (exponent - is_small).astype(np.float32)
    m = np.where(is_small, (mantissa - np.float32(1)) + mantissa, mantissa - np.float32(1))
    square = m * m
    y = _polynomial(_LOGARITHM, m)
    y = fused(y * m, square, power * np.float32(_LOG_2[0]))
    y = fused(square, np.float32(-0.5), y)
    return fused(power, np.float32(_LOG_2[1]), m + y)


def sine_and_cosine_float32(angle: Floats) -> tuple[Floats, Floats]:
    """Of angles from 0 to 2π."""
    octant = ((angle * np.float32(4 / math.pi)).astype(np.int32) + 1) & ~1
    quarters, x = octant.astype(np.float32), angle
    for part in _QUARTER_PI:
        x = fused(quarters, np.float32(-part), x)
    square = x * x
    c = _polynomial(_COSINE, square) * square
    c = fused(c, square, square * np.float32(-0.5)) + np.float32(1)
    s = _polynomial(_SINE, square) * square
    s = fused(s, x, x)
    exchanged = octant & 2 != 0
    sine, cosine = np.where(exchanged, c, s), np.where(exchanged, s, c)
    np.negative(sine, out=sine, where=octant & 4 != 0)
    np.negative(cosine, out=cosine, where=(octant - 2) & 4 == 0)
    return sine, cosine


def _polynomial(coefficients: tuple[float, ...], x: Floats) -> Floats:
    """By Horner's rule, the highest power first."""
    y = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        y = fused(y, x, np.float32(coefficient))
    return y


def _sine_and_cosine_float64(angle: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return libm.sin(angle), libm.cos(angle)


_FUNCTIONS: dict[type, tuple[Callable[..., Any], Callable[..., tuple[Any, Any]]]] = {
    np.float32: (natural_logarithm_float32, sine_and_cosine_float32),
    np.float64: (libm.log, _sine_and_cosine_float64),
}
