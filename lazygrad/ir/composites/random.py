"""Dropout, and in-graph randomness from Philox words.

Seed and counter of Philox are runtime arguments, so a plan replays afresh.
"""

from __future__ import annotations

from struct import pack, unpack
from typing import Any

from lazygrad.ir.build import cast, zeros_like
from lazygrad.ir.composites.define import Result, check_float, composite
from lazygrad.ir.dtype import DType, bfloat16, bool_, dtype_named, float16, float32, float64
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.random import philox
from lazygrad.ir.shape import Shape, ShapeError, broadcast_shapes

WORD_BITS = 32
FRACTION_BITS = 24
# As many bits as the mantissa holds, so that no word rounds up to 1.
_MANTISSA_BITS = {float16: 11, bfloat16: 8, float32: FRACTION_BITS, float64: FRACTION_BITS}


def _leading_bits(seed: Node, counter: Node, shape: Shape, bits: int) -> Node:
    words = philox(seed, counter, shape=shape)
    return ew.shift_right(words, words.like(WORD_BITS - bits))


def _uniform(seed: Node, counter: Node, shape: Shape, dtype: str) -> Node:
    wanted = dtype_named(dtype)
    bits = _MANTISSA_BITS[wanted]
    exact = float64 if wanted is float64 else float32
    return cast(cast(_leading_bits(seed, counter, shape, bits), exact) * 2.0**-bits, wanted)


def _dropout(x: Node, kept: Node, p: float) -> Node:
    """As in PyTorch a product with what the mask says, also where that is 0: infinities that are dropped become NaN.

    Forward and backward share nothing but the mask: factors of both would be stored, at four bytes an element.
    """
    return ew.where(kept, x * _scale(p, x.dtype), x * 0)


def _scale(p: float, dtype: DType) -> float:
    """1 / (1 - p), in float32 for all but float64."""
    if p == 1:
        return 0.0
    return 1 / (1 - p) if dtype is float64 else _in_float32(1 / _in_float32(1 - p))


def _in_float32(value: float) -> float:
    rounded: float = unpack("f", pack("f", value))[0]
    return rounded


def _philox_dropout(x: Node, seed: Node, counter: Node, p: float) -> Node:
    """An element is dropped when the leading 24 bits of its word are below ``round(p · 2**24)``."""
    if p == 0:
        return x
    if p == 1:
        return zeros_like(x)
    words = _leading_bits(seed, counter, x.shape, FRACTION_BITS)
    kept = ew.ge(words, words.like(round(p * 2**FRACTION_BITS)))
    return ew.where(kept, x * (1 / (1 - p)), x.like(0))


def _infer_uniform(attrs: tuple[Any, ...], seed: TensorType, counter: TensorType) -> Result:
    dtype = dtype_named(attrs[1])
    if dtype not in _MANTISSA_BITS:
        raise RuntimeError(f"philox_uniform not implemented for '{dtype.scalar_type}': choose a floating-point dtype")
    return attrs[0], dtype


def _infer_dropout(attrs: tuple[Any, ...], x: TensorType, kept: TensorType) -> Result:
    if kept.dtype is not bool_:
        raise RuntimeError(f"dropout: what is kept is said by bools, not {kept.dtype.name}")
    if broadcast_shapes("dropout", x.shape, kept.shape) != x.shape:
        raise ShapeError(f"dropout: a mask of shape {kept.shape} does not fit the input of shape {x.shape}")
    return _infer_philox_dropout(attrs, x, kept, kept)


def _infer_philox_dropout(attrs: tuple[Any, ...], x: TensorType, seed: TensorType, counter: TensorType) -> Result:
    check_float("dropout", x)
    if not 0 <= attrs[0] <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {attrs[0]}")
    return x.shape, x.dtype


philox_uniform = composite(
    "philox_uniform",
    _uniform,
    _infer_uniform,
    ("shape", "dtype"),
    "uniform numbers in [0, 1): leading word bits · 2^-bits, 24 for f32 and f64",
    widened=False,
)
dropout = composite("dropout", _dropout, _infer_dropout, ("p",), "x / (1 - p) where kept, or x · 0", widened=False)
philox_dropout = composite(
    "philox_dropout",
    _philox_dropout,
    _infer_philox_dropout,
    ("p",),
    "x / (1 - p), or 0 where word >> 8 < round(p · 2^24)",
    widened=False,
)
