"""Discrete Fourier transforms over several axes.

``norm`` says where the factor 1/n is: "backward" in the inverse transform, "forward" in the other one, "ortho" the root
of it in each. Of a real signal the frequencies that are not negative say all: along the last of their axes, the real
transforms keep only those.
"""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType, float32, float64
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape

Result = tuple[Shape, DType]

# The same factor in the transform of the other direction.
OPPOSITE = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _c2c(attrs: tuple[Any, ...], x: TensorType) -> Result:
    if not x.dtype.is_complex:
        raise RuntimeError(f"fft_c2c takes complex numbers, not {x}")
    return x.shape, x.dtype


def _r2c(attrs: tuple[Any, ...], x: TensorType) -> Result:
    if x.dtype not in (float32, float64):
        raise RuntimeError(f"fft_r2c takes float32 or float64, not {x}")
    last = attrs[0][-1]
    return (*x.shape[:last], x.shape[last] // 2 + 1, *x.shape[last + 1 :]), x.dtype.to_complex()


def _c2r(attrs: tuple[Any, ...], x: TensorType) -> Result:
    if not x.dtype.is_complex:
        raise RuntimeError(f"fft_c2r takes complex numbers, not {x}")
    axes, size, _ = attrs
    last = axes[-1]
    if x.shape[last] != size // 2 + 1:
        raise RuntimeError(f"fft_c2r: a signal of {size} points has {size // 2 + 1} frequencies, but there are {x}")
    return (*x.shape[:last], size, *x.shape[last + 1 :]), x.dtype.to_real()


fft_c2c = CallableOp(
    "fft_c2c", Kind.LIBRARY, _c2c, ("axes", "inverse", "norm"), doc="complex discrete Fourier transform"
)
fft_r2c = CallableOp(
    "fft_r2c", Kind.LIBRARY, _r2c, ("axes", "norm"), doc="the same of real numbers, half of the last axis's frequencies"
)
fft_c2r = CallableOp(
    "fft_c2r",
    Kind.LIBRARY,
    _c2r,
    ("axes", "size", "norm"),
    doc="inverse of fft_r2c; `size` points along the last axis, whose first and middle frequency count by real parts",
)
