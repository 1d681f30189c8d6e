"""Distributions made of one uniform number, or one normal number, per element: the numbers PyTorch draws on a CPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lazygrad.runtime import libm
from lazygrad.runtime.random_dtypes import FLOAT_FORMATS, floating_dtype, stored
from lazygrad.runtime.random_streams import MT19937Stream

_PART_LENGTH = 1 << 15  # elements worked on at a time, so that temporaries stay in the cache


def _transformed(
    stream: MT19937Stream,
    n: int,
    dtype: np.dtype[Any],
    transform: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> NDArray[Any]:
    """``transform`` of ``n`` float64 uniforms from [0, 1), as ``dtype``."""
    result = np.empty(n, dtype=dtype)
    with stream.lock, np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        for start in range(0, n, _PART_LENGTH):
            part = result[start : start + _PART_LENGTH]
            part[...] = stored(transform(stream.unit(len(part))), dtype)
    return result


def exponential(stream: MT19937Stream, n: int, lambd: float = 1.0, dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """Draw ``n`` numbers as ``Tensor.exponential_``, bit for bit.

    Args:
        stream: where the uniforms come from.
        n: number of elements.
        lambd: rate, positive.
        dtype: float16, bfloat16, float32 or float64.

    Raises:
        NotImplementedError: ``dtype`` is another.
        RuntimeError: ``lambd`` is not positive.
    """
    if not lambd > 0.0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    target = floating_dtype(dtype, "exponential_")
    return _transformed(stream, n, target, lambda uniforms: (-1.0 / lambd) * libm.log1p(-uniforms))


def cauchy(
    stream: MT19937Stream, n: int, median: float = 0.0, sigma: float = 1.0, dtype: DTypeLike = np.float32
) -> NDArray[Any]:
    """Draw ``n`` numbers as ``Tensor.cauchy_``: median + sigma · tan(π (u − ½)).

    Raises:
        NotImplementedError: ``dtype`` is not a floating one.
        RuntimeError: ``sigma`` is not positive.
    """
    if not sigma > 0.0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    target = floating_dtype(dtype, "cauchy_")
    return _transformed(stream, n, target, lambda uniforms: median + sigma * libm.tan(math.pi * (uniforms - 0.5)))


def geometric(stream: MT19937Stream, n: int, p: float, dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """Draw ``n`` numbers of trials as ``Tensor.geometric_``: ⌈log u / log(1 − p)⌉, in any number dtype.

    Raises:
        RuntimeError: ``p`` is outside (0, 1).
    """
    if not 0.0 < p < 1.0:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    return _transformed(stream, n, np.dtype(dtype), lambda uniforms: np.ceil(libm.log(uniforms) / math.log1p(-p)))


def log_normal(
    stream: MT19937Stream, n: int, mean: float = 1.0, std: float = 2.0, dtype: DTypeLike = np.float32
) -> NDArray[Any]:
    """Draw ``n`` numbers as ``Tensor.log_normal_``: exponentials of normals drawn pair by pair.

    Raises:
        NotImplementedError: ``dtype`` is not a floating one.
        RuntimeError: ``std`` is not positive.
    """
    target = floating_dtype(dtype, "log_normal_")
    if not std > 0.0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    with np.errstate(over="ignore"):
        return stored(libm.exp(stream.normal(n, mean, std, np.float64, contiguous=False)), target)


def choices(stream: MT19937Stream, weights: NDArray[Any], n: int) -> NDArray[np.int64]:
    """Draw ``n`` columns of each row with replacement, as ``torch.multinomial``.

    A uniform number chooses the first column at which the cumulative weight reaches it.

    Args:
        stream: where the uniforms come from.
        weights: floating, shape (rows, columns), finite and not negative, no row's sum zero.
        n: how many of each row.

    Returns:
        int64, shape (rows, n).
    """
    compute = FLOAT_FORMATS[weights.dtype].compute
    sums = np.cumsum(weights.astype(compute), axis=1, dtype=compute)
    cumulative = (sums / sums[:, -1:]).astype(np.float64)
    uniforms = stream.unit(len(weights) * n).reshape(len(weights), n)
    rows = [np.searchsorted(row, drawn) for row, drawn in zip(cumulative, uniforms, strict=True)]
    return np.array(rows, np.int64).reshape(len(weights), n)
