"""erf of float32 arrays in numpy, which has none: without `scipy.special`, and several times faster than that.

The formula is that of ``codegen_templates/c/math/error_function.h``: erf|x| = 1 - e^-v, where v = -ln(erfc|x|) has no
singularity in the right half plane and grows like x², so one polynomial serves for all x until erf is 1.
"""

from __future__ import annotations

import threading

import numpy as np

_PIECE = 1 << 15  # elements; two dozen walks over as many should find them in the second-level cache
_ONE_FROM_HERE = np.float32(3.95)
# v / x - 2/sqrt(pi), highest power first; a minimax polynomial.
_POLYNOMIAL = tuple(
    np.float32(float.fromhex(digits))
    for digits in (
        "-0x1.36768ap-17",
        "0x1.ed5a28p-14",
        "-0x1.4bc99cp-11",
        "0x1.b5071ap-10",
        "-0x1.50ce9cp-13",
        "-0x1.39cd12p-6",
        "0x1.a4fa4ep-4",
        "0x1.45f2fap-1",
        "-0x1.d0e5b6p-25",
    )
)
_SLOPE = np.float32(float.fromhex("0x1.20dd76p+0"))  # 2/sqrt(pi); the last coefficient holds the rest of it
# (1 - e^-v - v) / v² up to ln 2, highest power first; a minimax polynomial of the relative error.
_NEAR_POLYNOMIAL = tuple(
    np.float32(float.fromhex(digits))
    for digits in ("-0x1.0f814ap-10", "0x1.088b5ap-7", "-0x1.549932p-5", "0x1.554e22p-3", "-0x1.ffffd2p-2")
)
_LN_2, _ONE, _HALF = np.float32(0.6931472), np.float32(1), np.float32(0.5)


class _Workspace(threading.local):
    def __init__(self) -> None:
        self.memory = np.empty(0, np.float32)


_workspace = _Workspace()


def erf_f32(x: np.ndarray, out: np.ndarray) -> None:
    """``out = erf(x)`` with an error of at most 4 units in the last place; erf(±∞) is ±1 and erf(NaN) is NaN.

    Args:
        x: float32; may be ``out`` itself.
        out: float32, of the shape ``x`` broadcasts to.
    """
    if x.size <= _PIECE or x.shape != out.shape or not (x.flags.c_contiguous and out.flags.c_contiguous):
        _erf(x, out)
        return
    flat_x, flat_out = x.reshape(-1), out.reshape(-1)
    for start in range(0, x.size, _PIECE):
        _erf(flat_x[start : start + _PIECE], flat_out[start : start + _PIECE])


def _erf(x: np.ndarray, out: np.ndarray) -> None:
    if _workspace.memory.size < 3 * x.size:
        _workspace.memory = np.empty(3 * x.size, np.float32)
    # Indexed with `...`, so that a single element stays an array.
    all_three = _workspace.memory[: 3 * x.size].reshape(3, *x.shape)
    magnitude, value, near = all_three[0, ...], all_three[1, ...], all_three[2, ...]
    np.absolute(x, out=magnitude)
    np.minimum(magnitude, _ONE_FROM_HERE, out=magnitude)
    np.multiply(magnitude, _POLYNOMIAL[0], out=value)
    for coefficient in _POLYNOMIAL[1:-1]:
        np.add(value, coefficient, out=value)
        np.multiply(value, magnitude, out=value)
    np.add(value, _POLYNOMIAL[-1], out=value)
    np.multiply(value, magnitude, out=value)
    np.multiply(magnitude, _SLOPE, out=magnitude)
    np.add(value, magnitude, out=value)
    _one_minus_exp(value, magnitude, near)
    np.copysign(value, x, out=out)


def _one_minus_exp(v: np.ndarray, near: np.ndarray, beyond: np.ndarray) -> None:
    """``v = 1 - e^-v`` for v ≥ 0 or NaN. numpy's expm1 of float32 takes ten times as long as its exp.

    With n the smaller one of v and ln 2 it is ``(1 - e^-n) + (1 - e^-(v - n)) / 2``: of two terms that are not negative
    the first has a polynomial, and the second is 0 where the first is small.

    Args:
        near, beyond: workspace of the same shape.
    """
    np.minimum(v, _LN_2, out=near)
    np.subtract(near, v, out=beyond)
    np.exp(beyond, out=beyond)
    np.subtract(_ONE, beyond, out=beyond)
    np.multiply(beyond, _HALF, out=beyond)
    np.multiply(near, _NEAR_POLYNOMIAL[0], out=v)
    for coefficient in _NEAR_POLYNOMIAL[1:]:
        np.add(v, coefficient, out=v)
        np.multiply(v, near, out=v)
    np.multiply(v, near, out=v)
    np.add(v, near, out=v)
    np.add(v, beyond, out=v)
