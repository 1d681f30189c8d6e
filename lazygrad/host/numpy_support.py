"""What generated numpy modules call besides numpy: threads, scratch memory, and the few ufuncs numpy lacks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import product
from math import copysign
from typing import Any

import ml_dtypes
import numpy as np

from lazygrad.host.error_function import erf_f32
from lazygrad.host.strides import as_strided
from lazygrad.host.threads import parallel_for
from lazygrad.ir.errors import DATA_ERRORS

bfloat16 = np.dtype(ml_dtypes.bfloat16)
float8_e4m3fn = np.dtype(ml_dtypes.float8_e4m3fn)
float8_e5m2 = np.dtype(ml_dtypes.float8_e5m2)
float8_e4m3fnuz = np.dtype(ml_dtypes.float8_e4m3fnuz)
float8_e5m2fnuz = np.dtype(ml_dtypes.float8_e5m2fnuz)
float8_e8m0fnu = np.dtype(ml_dtypes.float8_e8m0fnu)


class _LazySpecial:
    """``scipy.special``, imported on first use: it costs a fifth of a second. What GELU needs comes without it."""

    @staticmethod
    def erf(x: Any, out: np.ndarray) -> None:
        """``out = erf(x)``."""
        if out.dtype == np.float32:
            erf_f32(np.asarray(x, np.float32), out)
            return
        import scipy.special

        scipy.special.erf(x, out=out)

    @staticmethod
    def erfinv(x: Any, out: np.ndarray) -> None:
        """The inverse of erf; scipy's loses the sign of zero."""
        import scipy.special

        np.copysign(scipy.special.erfinv(x), x, out=out)

    @staticmethod
    def gammaln(x: Any, out: np.ndarray) -> None:
        """ln |Γ(x)|; scipy's is -∞ at -∞, where poles of +∞ lie dense, and +∞ at subnormal numbers."""
        import scipy.special

        infinite, size = np.isinf(x), np.abs(x)
        subnormal = (size > 0) & (size < 1e-300)
        scipy.special.gammaln(x, out=out)
        np.copyto(out, np.inf, where=infinite)
        if subnormal.any():
            np.copyto(out, -np.log(size), where=subnormal)

    def __getattr__(self, name: str) -> Any:
        import scipy.special

        return getattr(scipy.special, name)


special = _LazySpecial()


def trigamma(x: np.ndarray, out: np.ndarray) -> None:
    """The second derivative of log-gamma."""
    nowhere = np.equal(x, -np.inf)  # it has no limit there
    np.copyto(out, np.where(nowhere, np.nan, special.polygamma(1, x)), casting="unsafe")


def complex_of_parts(real: Any, imag: Any, out: np.ndarray) -> None:
    """``out = real + i·imag``."""
    np.copyto(out.real, real)
    np.copyto(out.imag, imag)


def _one_over_root(base: Any, out: np.ndarray) -> None:
    np.divide(1, np.sqrt(base, out=out), out=out)


# As PyTorch computes them, and plans do.
_POWERS: dict[float, Callable[[Any, np.ndarray], Any]] = {
    2: lambda base, out: np.multiply(base, base, out=out),
    0.5: lambda base, out: np.sqrt(base, out=out),
    -0.5: _one_over_root,
    -1: lambda base, out: np.divide(1, base, out=out),
}


def power(base: Any, exponent: Any, out: np.ndarray) -> None:
    """``out = base ** exponent``; of integers a fraction is cut to 0, as PyTorch does it, and `_POWERS` are no powers.

    Complex powers of 0 are 0 where the exponent's real part is positive, 1 where it is 0, and otherwise NaN.
    """
    if out.dtype.kind in "fc" and not isinstance(exponent, np.ndarray) and exponent in _POWERS:
        _POWERS[exponent](base, out)
        return
    if out.dtype.kind == "c":
        vanishes = np.equal(base, 0) & (np.real(exponent) > 0)  # numpy says so of real exponents only
        np.power(base, exponent, out=out)
        np.copyto(out, 0, where=vanishes)
        return
    negative = np.less(exponent, 0) if out.dtype.kind == "i" else False
    if not np.any(negative):
        np.power(base, exponent, out=out)
        return
    inverse = np.where(np.equal(base, 1) | (np.equal(base, -1) & (np.bitwise_and(exponent, 1) == 0)), 1, 0)
    inverse = np.where(np.equal(base, -1) & (np.bitwise_and(exponent, 1) == 1), -1, inverse)
    whole = np.power(base, np.where(negative, 0, exponent).astype(out.dtype))
    np.copyto(out, np.where(negative, inverse, whole), casting="unsafe")


def sign(x: Any, out: np.ndarray) -> None:
    """numpy's; that of bfloat16 leaves -0, where every other is 0."""
    np.sign(x, out=out)
    if out.dtype.kind == "V":
        np.add(out, out.dtype.type(0), out=out)


def remainder(x: Any, y: Any, out: np.ndarray) -> None:
    """``out = x - y·floor(x / y)``: numpy's, but a zero has the sign of ``x``, as in PyTorch and in C's fmod."""
    if out.dtype.kind in "iu":
        np.remainder(x, y, out=out)
        return
    rest = np.asarray(np.remainder(x, y))  # not into out, which may lie over x
    is_zero = np.equal(rest, 0)
    if is_zero.any():
        np.copysign(rest, x, out=rest, where=is_zero)
    np.copyto(out, rest)


def refuse_zero(divisor: Any) -> None:
    """Integers cannot be divided by 0.

    Raises:
        RuntimeError: an element of the divisor is 0.
    """
    if not np.all(divisor):
        raise RuntimeError("ZeroDivisionError: an integer tensor was divided by 0")


def require(condition: Any, x: Any, error: str, message: str) -> None:
    """Every element of ``condition`` must be true.

    Args:
        condition: bool.
        x: broadcasts with it; the element where the condition is false takes the place of {} in the message.
        error: a name in `lazygrad.ir.errors.DATA_ERRORS`.
        message: of the error.

    Raises:
        IndexError, RuntimeError, ValueError: that error.
    """
    if not np.all(condition):
        holds, values = np.broadcast_arrays(condition, x)
        raise DATA_ERRORS[error](message.replace("{}", str(values[~holds][0])))


_EXTREMES = (np.maximum, np.minimum)
_FEW_ROWS = 64  # up to which numpy's own loop over rows takes less time than a call for each of their elements


_LEVEL = 64  # numbers that are added up one after another


def fold_few(fold: np.ufunc, x: np.ndarray, axes: int | tuple[int, ...], out: np.ndarray) -> None:
    """``fold.reduce`` over axes of a few elements. It would visit row by row; here a call visits all rows.

    The larger or the smaller one of a few rows is found by ``reduce``, too, unless it is a zero: there it may have
    another sign.
    """
    if out.size <= _FEW_ROWS and fold in _EXTREMES and x.dtype.kind in "iuf":
        fold.reduce(x, axis=axes, keepdims=True, out=out)
        if x.dtype.kind != "f" or out.all():
            return
    folded = (axes,) if isinstance(axes, int) else axes
    order = (*folded, *[axis for axis in range(x.ndim) if axis not in folded])
    lead = len(folded)
    elements, kept = x.transpose(order), out.transpose(order)
    result = kept.reshape(kept.shape[lead:])  # a view, as the axes left out have one element
    first, *others = product(*map(range, elements.shape[:lead]))
    np.copyto(result, elements[first])
    for places in others:
        fold(result, elements[places], out=result)


def needs_levels(shape: Sequence[int], axes: Sequence[int]) -> bool:
    """Whether numpy would add up many numbers one after another: it adds pairs of sums along the last axis alone."""
    return any([axis < len(shape) - 1 and shape[axis] > _LEVEL for axis in axes])


def sum_by_levels(
    x: np.ndarray, axis: int | tuple[int, ...], dtype: Any = None, out: np.ndarray | None = None, keepdims: bool = False
) -> np.ndarray:
    """``np.add.reduce``, which adds up at most `_LEVEL` numbers, and then their sums: rounding grows with the logarithm
    of how many there are."""
    for folded in (axis,) if isinstance(axis, int) else axis:
        while folded < x.ndim - 1 and x.shape[folded] > _LEVEL:
            many, left = divmod(x.shape[folded], _LEVEL)
            lead, rest = x.shape[:folded], x.shape[folded + 1 :]
            along = (slice(None),) * folded
            whole = x[(*along, slice(many * _LEVEL))].reshape(*lead, many, _LEVEL, *rest)
            sums = np.empty((*lead, many + (left > 0), *rest), x.dtype)
            np.add.reduce(whole, axis=folded + 1, out=sums[(*along, slice(many))])
            if left:
                np.add.reduce(x[(*along, slice(many * _LEVEL, None))], axis=folded, out=sums[(*along, many)])
            x = sums
    total: np.ndarray = np.add.reduce(x, axis=axis, dtype=dtype, out=out, keepdims=keepdims)  # type: ignore[arg-type]
    return total


def pad(out: np.ndarray, x: np.ndarray, value: Any, at: tuple[int, ...], before: tuple[int, ...]) -> None:
    """A block of ``x`` surrounded by ``value``.

    Args:
        out: the block.
        x: of ``out``'s rank.
        value: a number, or an array of one element.
        at: per axis, the index of the block's first element in what is surrounded.
        before: per axis, the index at which ``x`` begins there.
    """
    inner: list[slice] = []
    source: list[slice] = []
    for size, extent, first, begin in zip(out.shape, x.shape, at, before, strict=True):
        start = min(max(begin - first, 0), size)
        stop = max(min(begin + extent - first, size), start)
        inner.append(slice(start, stop))
        source.append(slice(first + start - begin, first + stop - begin))
    for axis, (size, kept) in enumerate(zip(out.shape, inner, strict=True)):
        ahead = tuple(inner[:axis])
        if kept.start:
            out[(*ahead, slice(0, kept.start))] = value
        if kept.stop < size:
            out[(*ahead, slice(kept.stop, size))] = value
    np.copyto(out[tuple(inner)], x[tuple(source)])


class _Workspace(threading.local):
    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)


_workspace = _Workspace()
_ALIGNMENT = 64


def scratch(*specs: tuple[tuple[int, ...], Any]) -> list[np.ndarray]:
    """Uninitialised arrays in memory this thread reuses from kernel to kernel.

    Args:
        specs: (shape, dtype) of each array. They are valid until the thread's next call of `scratch`.
    """
    sizes, total = [], 0
    for shape, dtype in specs:
        size = np.dtype(dtype).itemsize
        for extent in shape:
            size *= extent
        sizes.append((total, size))
        total += -(-size // _ALIGNMENT) * _ALIGNMENT
    if _workspace.memory.nbytes < total:
        _workspace.memory = np.empty(total, np.uint8)
    memory = _workspace.memory
    return [np.ndarray(shape, dtype, memory, start) for (shape, dtype), (start, _) in zip(specs, sizes, strict=True)]


_bits_workspace = _Workspace()
_INTEGER_OF_SIZE = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
_MASKED = 1 << 9  # elements up to which masked copies are faster


def select(out: np.ndarray, condition: np.ndarray, chosen: Any, otherwise: Any) -> None:
    """``out = chosen where condition else otherwise``, on the bits: of many elements much faster than masked copies.

    ``otherwise ^ ((chosen ^ otherwise) & mask)`` with a mask of all ones or all zeros; exact for NaN and signed zeros.

    Args:
        out: the result; overlaps no operand.
        condition: bool, broadcastable to ``out``.
        chosen, otherwise: arrays of ``out``'s dtype, or numbers.
    """
    integer = _INTEGER_OF_SIZE.get(out.itemsize)
    if integer is None or out.size <= _MASKED:
        np.copyto(out, otherwise, casting="unsafe")
        np.copyto(out, chosen, where=condition, casting="unsafe")
        return
    size = condition.size * out.itemsize
    if _bits_workspace.memory.nbytes < size:
        _bits_workspace.memory = np.empty(size, np.uint8)
    mask = np.ndarray(condition.shape, integer, _bits_workspace.memory)
    result = out.view(integer)
    if _is_zero(chosen):
        np.subtract(condition.view(np.int8), np.int8(1), out=mask)
        np.bitwise_and(_bits(otherwise, out.dtype, integer), mask, out=result)
        return
    np.negative(condition.view(np.int8), out=mask)
    if _is_zero(otherwise):
        np.bitwise_and(_bits(chosen, out.dtype, integer), mask, out=result)
        return
    below = _bits(otherwise, out.dtype, integer)
    np.bitwise_xor(_bits(chosen, out.dtype, integer), below, out=result)
    np.bitwise_and(result, mask, out=result)
    np.bitwise_xor(result, below, out=result)


def _is_zero(value: Any) -> bool:
    if isinstance(value, np.ndarray) or value != 0:
        return False
    return copysign(1.0, value.real) > 0 and copysign(1.0, value.imag) > 0


def _bits(value: Any, dtype: np.dtype, integer: Any) -> np.ndarray:
    return np.asarray(value, dtype).view(integer)


def parallel(kernel: Callable[..., None], extent: int, grain: int, *arguments: Any) -> None:
    """Run ``kernel(start, stop, *arguments)`` over ``range(extent)``, spread over threads in pieces of ``grain``."""
    if extent <= grain:
        kernel(0, extent, *arguments)
    else:
        parallel_for(lambda start, stop: kernel(start, stop, *arguments), extent, grain)


def accumulate(
    kernel: Callable[..., None],
    extent: int,
    grain: int,
    totals: list[tuple[np.ufunc, tuple[int, ...], Any, Any]],
    *arguments: Any,
) -> list[np.ndarray]:
    """Run a reducing kernel over ``range(extent)``: each thread has its own totals, combined in a fixed order.

    Args:
        kernel: called as ``kernel(start, stop, *totals, *arguments)``.
        extent, grain: as in `parallel`.
        totals: (ufunc, shape, dtype, identity) of each running result.

    Returns:
        The combined totals.
    """
    parts: dict[int, list[np.ndarray]] = {}

    def work(start: int, stop: int) -> None:
        own = [np.full(shape, identity, dtype) for _, shape, dtype, identity in totals]
        kernel(start, stop, *own, *arguments)
        parts[start] = own

    parallel_for(work, extent, grain)
    ordered = [parts[start] for start in sorted(parts)]
    result = ordered[0]
    for other in ordered[1:]:
        for (ufunc, _, _, _), total, part in zip(totals, result, other, strict=True):
            ufunc(total, part, out=total)
    return result


def windows(x: np.ndarray, size: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> np.ndarray:
    """Sliding windows over the last ``len(size)`` axes as trailing axes, without copying."""
    lead = x.ndim - len(size)
    counts = tuple(
        (n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[lead:], size, stride, dilation, strict=True)
    )
    outer = tuple(step * s for step, s in zip(x.strides[lead:], stride, strict=True))
    inner = tuple(step * d for step, d in zip(x.strides[lead:], dilation, strict=True))
    return as_strided(x, x.shape[:lead] + counts + size, x.strides[:lead] + outer + inner, writeable=False)
