"""Floating-point steps of PyTorch's CPU random kernels, written with numpy.

PyTorch compiles its kernels with fused multiply-add, which numpy does not offer, so that operation is emulated here
to the last bit. Everything works on float32 or float64; the 16-bit types are computed in float32 and rounded at the
end, as PyTorch does.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Float = TypeVar("Float", np.float32, np.float64)

_LOW_24_BITS = 2**24 - 1
_FLOAT32_MASK = np.uint32(_LOW_24_BITS)
_FLOAT64_MASK = np.uint64(2**53 - 1)
_BELOW_FLOAT32 = 2**29 - 1  # the bits of a float64 significand that a float32 one lacks
_MIDDLE = 2**28
_Float32s = NDArray[np.float32] | np.float32
_VELTKAMP_CONSTANT = float(2**27 + 1)


def unit_float32(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Map 32-bit words to [0, 1) by their low 24 bits. Shape (n,) to (n,)."""
    return (words & _FLOAT32_MASK).astype(np.float32) * np.float32(2.0**-24)


def few_unit_float32(words: list[int]) -> NDArray[np.float32]:
    """`unit_float32` of words that are numbers of Python."""
    return np.array([(word & _LOW_24_BITS) * 2.0**-24 for word in words], np.float32)


def unit_float64(words: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Map 64-bit words to [0, 1) by their low 53 bits. Shape (n,) to (n,)."""
    return (words & _FLOAT64_MASK).astype(np.float64) * 2.0**-53


def fused_multiply_add(values: NDArray[Float], factor: float, addend: float) -> NDArray[Float]:
    """Return ``values * factor + addend`` rounded once, in the dtype of ``values``.

    Args:
        values: float32 or float64, any shape, of modest magnitude (below 2**400).
        factor: a number that the dtype of ``values`` represents exactly.
        addend: likewise.

    Returns:
        An array of the shape and dtype of ``values``; ``values`` itself where there is nothing to do.
    """
    if addend == 0.0:
        return values if factor == 1.0 else values * values.dtype.type(factor)
    if not (math.isfinite(factor) and math.isfinite(addend)):
        return values * values.dtype.type(factor) + values.dtype.type(addend)
    if values.dtype == np.float32:
        # The float64 product of two float32 numbers is exact. Rounding the sum to odd keeps what the last rounding,
        # to float32, must know about the bits beyond float64.
        return _add_rounding_to_odd(values.astype(np.float64) * factor, addend).astype(values.dtype)
    return _fused_multiply_add_float64(values.astype(np.float64, copy=False), factor, addend).astype(
        values.dtype, copy=False
    )


def fused(left: NDArray[np.float32], right: _Float32s, addend: _Float32s) -> NDArray[np.float32]:
    """Return ``left * right + addend`` rounded once; the operands broadcast."""
    total = left.astype(np.float64)  # holds the products of float32 numbers exactly
    total *= right
    total += addend
    # Rounding the sum first to float64 matters where that lies in the middle between two float32 numbers.
    doubtful = np.flatnonzero((total.view(np.int64) & _BELOW_FLOAT32) == _MIDDLE)
    if doubtful.size:
        operands = (np.broadcast_to(operand, total.shape).flat[doubtful] for operand in (left, right, addend))
        x, y, z = (operand.astype(np.float64) for operand in operands)
        total.flat[doubtful] = _add_rounding_to_odd(x * y, z)
    return total.astype(np.float32)


def _fused_multiply_add_float64(values: NDArray[np.float64], factor: float, addend: float) -> NDArray[np.float64]:
    """Emulate a float64 fused multiply-add.

    The method is that of Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
    rounding to odd" (IEEE Transactions on Computers, 2008). The scalars are first brought near 1, so that no
    intermediate value overflows.
    """
    exponent = math.frexp(max(abs(factor), abs(addend)))[1] - 1
    factor, addend = math.ldexp(factor, -exponent), math.ldexp(addend, -exponent)
    product, product_error = _exact_product(values, factor)
    low_sum, low_error = _exact_sum(product_error, addend)
    high_sum, high_error = _exact_sum(product, low_sum)
    return (high_sum + _add_rounding_to_odd(high_error, low_error)) * math.ldexp(1.0, exponent)


def _exact_product(values: NDArray[np.float64], factor: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rounded product and its rounding error (Dekker's product with Veltkamp's splitting)."""
    product = values * factor
    scaled = values * _VELTKAMP_CONSTANT
    values_high = scaled - (scaled - values)
    values_low = values - values_high
    factor_scaled = factor * _VELTKAMP_CONSTANT
    factor_high = factor_scaled - (factor_scaled - factor)
    factor_low = factor - factor_high
    error = values_high * factor_high - product
    error += values_high * factor_low
    error += values_low * factor_high
    error += values_low * factor_low
    return product, error


def _exact_sum(
    left: NDArray[np.float64], right: NDArray[np.float64] | float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rounded sum and its rounding error (Knuth's two-sum)."""
    total = left + right
    right_part = total - left
    error = left - (total - right_part)
    error += right - right_part
    return total, error


def _add_rounding_to_odd(left: NDArray[np.float64], right: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return ``left + right``; where inexact, the one of the two neighbouring numbers whose last bit is 1."""
    total, error = _exact_sum(left, right)
    bits = total.view(np.int64)
    must_move = (error != 0.0) & ((bits & 1) == 0)
    grows = (error > 0.0) == (total > 0.0)
    bits += np.where(grows, must_move, -must_move.astype(np.int64))
    return total
