"""Window functions of ``M`` points, symmetric unless ``sym`` is False, with PyTorch's names.

All raise ValueError for a negative ``M``, and for dtypes other than float32 and float64.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lazygrad.ir.dtype import DType, float32, float64
from lazygrad.ops.spectral import windows as shapes
from lazygrad.tensor import Tensor

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
    "kaiser", "nuttall",
]  # fmt: skip


def _window(
    name: str, shape: shapes.Shape, M: int, sym: bool, dtype: DType | None, device: Any, requires_grad: bool
) -> Tensor:
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if dtype not in (None, float32, float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    return shapes.sampled(name, shape, M, sym, dtype, device, requires_grad)


def bartlett(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A triangle, 1 − |2k/n − 1|."""
    return _window("bartlett", shapes.triangle, M, sym, dtype, device, requires_grad)


def blackman(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """0.42 − 0.5·cos(2πk/n) + 0.08·cos(4πk/n)."""
    return _window("blackman", shapes.cosine_sum(shapes.BLACKMAN), M, sym, dtype, device, requires_grad)


def cosine(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """sin(π·(k + ½)/(n + 1))."""
    return _window("cosine", shapes.half_sine, M, sym, dtype, device, requires_grad)


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """exp(−|k − center|/tau), by default around the middle."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return _window("exponential", shapes.exponential_decay(center, tau), M, sym, dtype, device, requires_grad)


def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """exp(−½·((k − n/2)/std)²)."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return _window("gaussian", shapes.bell(std), M, sym, dtype, device, requires_grad)


def general_cosine(
    M: int,
    *,
    a: Iterable[float],
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """a₀ − a₁·cos(2πk/n) + a₂·cos(4πk/n) − …"""
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    coefficients = tuple(a)
    if not coefficients:
        raise ValueError("Coefficients cannot be empty")
    return _window("general_cosine", shapes.cosine_sum(coefficients), M, sym, dtype, device, requires_grad)


def general_hamming(
    M: int,
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """alpha − (1 − alpha)·cos(2πk/n)."""
    return _window("general_hamming", shapes.cosine_sum((alpha, 1 - alpha)), M, sym, dtype, device, requires_grad)


def hamming(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """0.54 − 0.46·cos(2πk/n)."""
    return _window("hamming", shapes.cosine_sum(shapes.HAMMING), M, sym, dtype, device, requires_grad)


def hann(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """½ − ½·cos(2πk/n)."""
    return _window("hann", shapes.cosine_sum(shapes.HANN), M, sym, dtype, device, requires_grad)


def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """I₀(beta·√(1 − (2k/n − 1)²)) / I₀(beta)."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return _window("kaiser", shapes.bessel_arch(beta), M, sym, dtype, device, requires_grad)


def nuttall(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Nuttall's sum of four cosines (“Some windows with very good sidelobe behavior”, 1981)."""
    return _window("nuttall", shapes.cosine_sum(shapes.NUTTALL), M, sym, dtype, device, requires_grad)
