"""The standard's extension ``fft``: Fourier transforms along ``axis`` or ``axes``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ops.spectral import fourier
from lazygrad.tensor import Tensor

__all__ = [
    "fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft", "fftfreq", "rfftfreq",
    "fftshift", "ifftshift",
]  # fmt: skip


def _along_one(name: str, meaning: str) -> Callable[..., Tensor]:
    function = getattr(fourier, name)

    def transform(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
        found: Tensor = function(x, n, axis, norm)
        return found

    return _named(transform, name, meaning)


def _along_several(name: str, meaning: str) -> Callable[..., Tensor]:
    function = getattr(fourier, name)

    def transform(
        x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
    ) -> Tensor:
        found: Tensor = function(x, s, axes, norm)
        return found

    return _named(transform, name, meaning)


def _named(function: Any, name: str, meaning: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = meaning
    return function


fft = _along_one("fft", "The discrete Fourier transform.")
ifft = _along_one("ifft", "The inverse transform.")
rfft = _along_one("rfft", "The transform of real numbers: half of the frequencies.")
irfft = _along_one("irfft", "The inverse of `rfft`.")
hfft = _along_one("hfft", "The transform of a signal with Hermitian symmetry: real frequencies.")
ihfft = _along_one("ihfft", "The inverse of `hfft`.")
fftn = _along_several("fftn", "The transform along several dimensions.")
ifftn = _along_several("ifftn", "The inverse transform along several dimensions.")
rfftn = _along_several("rfftn", "The transform of real numbers along several dimensions, the last one halved.")
irfftn = _along_several("irfftn", "The inverse of `rfftn`.")


def fftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: Any = None) -> Tensor:
    """The frequencies of `fft`, for samples ``d`` apart.

    Raises:
        ValueError: ``dtype`` is not a real floating dtype.
    """
    return fourier.fftfreq(n, d, dtype=_real("fftfreq", dtype), device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: Any = None) -> Tensor:
    """The frequencies of `rfft`, for samples ``d`` apart.

    Raises:
        ValueError: ``dtype`` is not a real floating dtype.
    """
    return fourier.rfftfreq(n, d, dtype=_real("rfftfreq", dtype), device=device)


def _real(name: str, dtype: DType | None) -> DType | None:
    if dtype is not None and not dtype.is_floating_point:
        raise ValueError(f"{name}: dtype must be a real floating dtype, not {dtype.name}")
    return dtype


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Frequencies with zero in the middle."""
    return fourier.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """The inverse of `fftshift`."""
    return fourier.ifftshift(x, axes)
