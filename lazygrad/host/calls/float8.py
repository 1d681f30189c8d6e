"""Casts of 8-bit floats.

Source of the formats: Micikevicius et al., "FP8 Formats for Deep Learning" (2022), for e4m3fn and e5m2; Noune et al.,
"8-bit Numerical Formats for Deep Neural Networks" (2022), for those ending in fnuz, which have one zero and one NaN;
OCP, "Microscaling Formats (MX) Specification" (2023), for e8m0fnu, which holds powers of two. Where they leave a
choice, such as what a number too large becomes, it is PyTorch's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

_FRACTION_BITS = 23  # of float32
_BIAS = 127
_SIGN = np.uint8(0x80)


@dataclass(frozen=True)
class Format:
    """A format with a sign.

    Attributes:
        fraction_bits, bias: of the numbers.
        largest: the code of the largest finite number.
        too_large: the code of what is larger, an infinity included.
        nan: the code of a NaN.
        has_one_zero: there is no negative zero, and the only NaN has its code.
    """

    fraction_bits: int
    bias: int
    largest: int
    too_large: int
    nan: int
    has_one_zero: bool = False


FORMATS = {
    "float8_e4m3fn": Format(3, 7, 0x7E, 0x7E, 0x7F),
    "float8_e5m2": Format(2, 15, 0x7B, 0x7C, 0x7F),
    "float8_e4m3fnuz": Format(3, 8, 0x7F, 0x80, 0x80, has_one_zero=True),
    "float8_e5m2fnuz": Format(2, 16, 0x7F, 0x80, 0x80, has_one_zero=True),
}
POWERS = "float8_e8m0fnu"


def cast_float8(out: np.ndarray, x: np.ndarray, *, dtype: str) -> None:
    """``x`` as the dtype of ``out``, which is the one called ``dtype``; one of both is float32, the other a float8."""
    x = np.asarray(x)
    if dtype == "float32":
        np.take(_numbers(x.dtype.name), x.view(np.uint8), out=out, mode="clip")
        return
    bits = np.ascontiguousarray(x, np.float32).reshape(-1).view(np.uint32)
    codes = _powers(bits) if dtype == POWERS else _codes(bits, FORMATS[dtype])
    np.copyto(out.view(np.uint8), codes.reshape(out.shape))


def _codes(bits: np.ndarray, form: Format) -> np.ndarray:
    """The codes nearest to the float32 numbers with these bits."""
    sign = (bits >> np.uint32(24)).astype(np.uint8) & _SIGN
    magnitude = bits & np.uint32(0x7FFFFFFF)
    dropped = _FRACTION_BITS - form.fraction_bits
    # Between powers of two both formats have evenly spaced numbers, so that rounding the bits rounds the number.
    odd = (magnitude >> np.uint32(dropped)) & np.uint32(1)
    rounded = (magnitude + np.uint32((1 << dropped - 1) - 1) + odd) >> np.uint32(dropped)
    codes = rounded.astype(np.int64) - (_BIAS - form.bias << form.fraction_bits)
    # Below the least normal number, the sum with a number of this size has the spacing of the subnormal ones.
    offset = np.array(2.0 ** (dropped + 1 - form.bias), np.float32)
    small = np.minimum(magnitude, offset.view(np.uint32)).view(np.float32)
    subnormal = (small + offset).view(np.uint32) - offset.view(np.uint32)
    codes = np.where(codes < 1 << form.fraction_bits, subnormal, codes)
    codes = np.where(codes > form.largest, form.too_large, codes)
    codes = np.where(magnitude > 0x7F800000, form.nan, codes).astype(np.uint8)
    if form.has_one_zero:
        sign = np.where((codes == 0) | (codes == _SIGN), np.uint8(0), sign)
    return codes | sign


def _powers(bits: np.ndarray) -> np.ndarray:
    """The exponents of the powers of two nearest to the magnitudes; 255 of NaN, infinity and what is nearer to it."""
    exponent = (bits >> np.uint32(_FRACTION_BITS) & np.uint32(0xFF)).astype(np.int64)
    fraction = bits & np.uint32(0x7FFFFF)
    halves = fraction >> np.uint32(_FRACTION_BITS - 1)
    # 0 stands for 2^-127, which is the middle of float32's subnormal numbers.
    upwards = np.where(exponent == 0, fraction > 0x400000, halves == 1)
    return np.minimum(exponent + upwards, 0xFF).astype(np.uint8)


@cache
def _numbers(name: str) -> np.ndarray:
    """The float32 number of each code."""
    codes = np.arange(256)
    if name == POWERS:
        powers = np.ldexp(1.0, codes - _BIAS)
        powers[255] = np.nan
        return powers.astype(np.float32)
    form = FORMATS[name]
    magnitude = codes & 0x7F
    exponent, fraction = magnitude >> form.fraction_bits, magnitude & (1 << form.fraction_bits) - 1
    significand = fraction + np.where(exponent > 0, 1 << form.fraction_bits, 0)
    numbers = np.ldexp(significand.astype(float), np.maximum(exponent, 1) - form.bias - form.fraction_bits)
    if form.has_one_zero:
        numbers[0x80] = np.nan
        return np.where(codes > 0x80, -numbers, numbers).astype(np.float32)
    numbers[magnitude > form.largest] = np.nan
    if form.too_large > form.largest:
        numbers[magnitude == form.too_large] = np.inf
    return np.where(codes >= 0x80, -numbers, numbers).astype(np.float32)
