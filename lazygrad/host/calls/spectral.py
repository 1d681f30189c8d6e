"""Discrete Fourier transforms, by numpy's pocketfft, which computes in the precision of its operand."""

from __future__ import annotations

from typing import Literal

import numpy as np

Axes = tuple[int, ...]
Norm = Literal["backward", "ortho", "forward"]


def fft_c2c(out: np.ndarray, x: np.ndarray, *, axes: Axes, inverse: bool, norm: Norm) -> None:
    """``out`` = the transform of ``x`` over ``axes``."""
    if not out.size or not axes:
        np.copyto(out, x)
        return
    (np.fft.ifftn if inverse else np.fft.fftn)(x, axes=axes, norm=norm, out=out)


def fft_r2c(out: np.ndarray, x: np.ndarray, *, axes: Axes, norm: Norm) -> None:
    """``out`` = the transform of real ``x``: half of the frequencies of the last axis."""
    if out.size:
        np.fft.rfftn(x, axes=axes, norm=norm, out=out)


def fft_c2r(out: np.ndarray, x: np.ndarray, *, axes: Axes, size: int, norm: Norm) -> None:
    """``out`` = the real signal, of ``size`` points along the last axis, whose transform ``x`` is."""
    if out.size:
        extents = [*(x.shape[axis] for axis in axes[:-1]), size]
        np.fft.irfftn(x, s=extents, axes=axes, norm=norm, out=out)
