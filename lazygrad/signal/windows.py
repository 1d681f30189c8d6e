"""Window functions of ``M`` points, symmetric unless ``sym`` is False, with PyTorch's names.

n is M − 1, or M if ``sym`` is False. All raise ValueError for a negative ``M``, for dtypes other than float32 and
float64, and for layouts other than `strided`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

from lazygrad.ir.dtype import float32, float64
from lazygrad.ir.memory_format import strided
from lazygrad.ops.arguments.creation_options import TensorOptions, takes_options
from lazygrad.ops.spectral import windows as shapes
from lazygrad.tensor import Tensor

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
    "kaiser", "nuttall",
]  # fmt: skip


def _window(name: str, shape: shapes.Shape, M: int, sym: bool, options: TensorOptions) -> Tensor:
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if options.get("layout") not in (None, strided):
        raise ValueError(f"{name} is implemented for strided tensors only, got: {options['layout']}")
    if options.get("dtype") not in (None, float32, float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {options['dtype']}")
    return shapes.sampled(name, shape, M, sym, options)


@takes_options(TensorOptions)
def bartlett(M: int, *, sym: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
    """A triangle, 1 − |2k/n − 1|."""
    return _window("bartlett", shapes.triangle, M, sym, options)


@takes_options(TensorOptions)
def blackman(M: int, *, sym: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
    """0.42 − 0.5·cos(2πk/n) + 0.08·cos(4πk/n)."""
    return _window("blackman", shapes.cosine_sum(shapes.BLACKMAN), M, sym, options)


@takes_options(TensorOptions)
def cosine(M: int, *, sym: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
    """sin(π·(k + ½)/(n + 1))."""
    return _window("cosine", shapes.half_sine, M, sym, options)


@takes_options(TensorOptions)
def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """exp(−|k − center|/tau), by default around the middle."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return _window("exponential", shapes.exponential_decay(center, tau), M, sym, options)


@takes_options(TensorOptions)
def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
    """exp(−½·((k − n/2)/std)²)."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return _window("gaussian", shapes.bell(std), M, sym, options)


@takes_options(TensorOptions)
def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
    """a₀ − a₁·cos(2πk/n) + a₂·cos(4πk/n) − …"""
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    coefficients = tuple(a)
    if not coefficients:
        raise ValueError("Coefficients cannot be empty")
    return _window("general_cosine", shapes.cosine_sum(coefficients), M, sym, options)


@takes_options(TensorOptions)
def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
    """alpha − (1 − alpha)·cos(2πk/n)."""
    return _window("general_hamming", shapes.cosine_sum((alpha, 1 - alpha)), M, sym, options)


@takes_options(TensorOptions)
def hamming(M: int, *, sym: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
    """0.54 − 0.46·cos(2πk/n)."""
    return _window("hamming", shapes.cosine_sum(shapes.HAMMING), M, sym, options)


@takes_options(TensorOptions)
def hann(M: int, *, sym: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
    """½ − ½·cos(2πk/n)."""
    return _window("hann", shapes.cosine_sum(shapes.HANN), M, sym, options)


@takes_options(TensorOptions)
def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
    """I₀(beta·√(1 − (2k/n − 1)²)) / I₀(beta)."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return _window("kaiser", shapes.bessel_arch(beta), M, sym, options)


@takes_options(TensorOptions)
def nuttall(M: int, *, sym: bool = True, **options: Unpack[TensorOptions]) -> Tensor:
    """Nuttall's sum of four cosines (“Some windows with very good sidelobe behavior”, 1981)."""
    return _window("nuttall", shapes.cosine_sum(shapes.NUTTALL), M, sym, options)
