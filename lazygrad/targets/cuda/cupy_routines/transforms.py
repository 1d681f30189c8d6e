"""Fourier transforms by cuFFT, whose plans cupy keeps for each device."""

from __future__ import annotations

from typing import Any

from lazygrad.targets.cuda.cupy_routines.bindings import Bindings
from lazygrad.targets.cuda.cupy_routines.made import Made


def fft_c2c(lib: Bindings, x: Any, *, axes: tuple[int, ...], inverse: bool, norm: str) -> Made:
    """The transform of complex numbers over some axes."""
    transform = lib.cupy.fft.ifftn if inverse else lib.cupy.fft.fftn
    return Made([transform(x, axes=axes, norm=norm) if axes else x])


def fft_r2c(lib: Bindings, x: Any, *, axes: tuple[int, ...], norm: str) -> Made:
    """The transform of real numbers: half of the frequencies of the last one of the axes."""
    return Made([lib.cupy.fft.rfftn(x, axes=axes, norm=norm)])


def fft_c2r(lib: Bindings, x: Any, *, axes: tuple[int, ...], size: int, norm: str) -> Made:
    """The real signal whose transform ``x`` is.

    Of a real signal of ``size`` points the first frequency and the middle one are real. What cuFFT makes of other
    numbers there, in a plan of several axes, it does not say: the other axes come first, then those numbers are made
    real, and then the last axis is transformed.
    """
    *others, last = axes
    spectrum = lib.cupy.fft.ifftn(x, axes=tuple(others), norm=norm) if others else x.copy()
    for place in {0, size // 2} if size % 2 == 0 else {0}:
        spectrum[(slice(None),) * last + (slice(place, place + 1),)].imag = 0
    return Made([lib.cupy.fft.irfft(spectrum, n=size, axis=last, norm=norm)])
