"""What the CUDA target's routines use of cupy 14, over the host's memory: numpy, and LAPACK through scipy.

`tests/cuda/test_cupy_libraries.py` compares names and parameters with those of cupy where it is installed. Arrays are
numpy's, and only functions are there that cupy has; the C functions take addresses, as cupy's bindings of them do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

_DTYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
_MAKING = "array arange empty eye full zeros".split()
_OTHERS = "broadcast_to ceil diagonal isfinite log2 matmul maximum stack tril where int32 uintp".split()


class FakeArray(np.ndarray):
    """An array that says where it lies as cupy's do."""

    @property
    def data(self) -> Any:  # type: ignore[override]
        return SimpleNamespace(ptr=self.ctypes.data)


def array_over(address: int, shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...]) -> FakeArray:
    """Memory as an array with any strides, in bytes."""
    first = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True) if stride < 0)
    last = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True) if stride > 0)
    if 0 in shape:
        return np.empty(shape, dtype).view(FakeArray)
    memory = (ctypes.c_uint8 * (last - first + np.dtype(dtype).itemsize)).from_address(address + first)
    return np.ndarray(shape, dtype, memory, -first, strides).view(FakeArray)


def _making(name: str) -> Callable[..., FakeArray]:
    return lambda *args, **kwargs: getattr(np, name)(*args, **kwargs).view(FakeArray)


def _argsort(a: Any, axis: int = -1, kind: Any = None) -> Any:
    assert a.dtype == np.uint64 and a.ndim == 1, "thrust counts digits of these, and compares others"
    return np.argsort(a, axis, kind="stable")


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    _check_finite(a)
    return np.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)


def _qr(a: Any, mode: str = "reduced") -> Any:
    return np.linalg.qr(a, mode)


def _eigh(a: Any, UPLO: str = "L") -> Any:
    _check_finite(a)
    return np.linalg.eigh(a, UPLO)


def _eigvalsh(a: Any, UPLO: str = "L") -> Any:
    _check_finite(a)
    return np.linalg.eigvalsh(a, UPLO)


def _eig(a: Any) -> Any:
    _check_finite(a)
    return np.linalg.eig(a)


def _eigvals(a: Any) -> Any:
    _check_finite(a)
    return np.linalg.eigvals(a)


def _solve(a: Any, b: Any) -> Any:
    assert a.shape[:-1] == b.shape[:-1], "cupy broadcasts no batches"
    return np.linalg.solve(a, b)


def _check_finite(a: Any) -> None:
    """Iterations of cuSOLVER need not end otherwise."""
    assert np.isfinite(a).all()


def _fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    return np.fft.fftn(a, s, axes, norm)


def _ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    return np.fft.ifftn(a, s, axes, norm)


def _rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    return np.fft.rfftn(a, s, axes, norm)


def _irfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    ends = np.take(a, [0, n // 2] if n % 2 == 0 else [0], axis)
    assert not ends.imag.any(), "cuFFT does not say what it makes of these"
    return np.fft.irfft(a, n, axis, norm)


FFT = SimpleNamespace(fftn=_fftn, ifftn=_ifftn, rfftn=_rfftn, irfft=_irfft)
LINALG = SimpleNamespace(svd=_svd, qr=_qr, eigh=_eigh, eigvalsh=_eigvalsh, eig=_eig, eigvals=_eigvals, solve=_solve)


def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, overwrite_b: bool = False,
    check_finite: bool = False,
) -> Any:  # fmt: skip
    assert a.shape[:-2] == b.shape[:-2], "cupy broadcasts no batches"
    assert not (trans or overwrite_b or check_finite)
    found = np.empty_like(b)
    for place in np.ndindex(a.shape[:-2]):
        trtrs = lapack.get_lapack_funcs("trtrs", (a, b))  # scipy's own function raises where a diagonal has a 0
        x, info = trtrs(a[place], b[place], lower=lower, unitdiag=unit_diagonal)
        found[place] = x if not info else _divided_by_zero(a[place], b[place], lower, unit_diagonal)
    return found


def _divided_by_zero(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """BLAS looks at no diagonal."""
    trsm = scipy.linalg.get_blas_funcs("trsm", (a, b))
    return trsm(1, a, b, lower=lower, diag=unit_diagonal)


@contextmanager
def errstate(
    *, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None, linalg: Any = None
) -> Iterator[None]:
    assert linalg in ("raise", "ignore")
    with np.errstate(all="ignore"):
        yield


# C functions.


def _array(address: int, dtype: Any, *shape: int) -> np.ndarray:
    """Memory as an array, the last axis first in memory, as LAPACK has it for matrices."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    flat = np.frombuffer((ctypes.c_uint8 * size).from_address(address), dtype)
    return flat.reshape(shape[::-1]).T


def _potrf(letter: str) -> Callable[..., None]:
    def potrf(
        handle: int, uplo: int, n: int, A: int, lda: int, work: int, lwork: int, devInfo: int
    ) -> None:  # fmt: skip
        assert handle == 1 and lda == n and lwork == 5
        matrix = _array(A, _DTYPES[letter], n, n)
        factor, info = getattr(lapack, f"{letter}potrf")(matrix, lower=not uplo, clean=0)
        matrix[...], _array(devInfo, np.int32, 1)[...] = factor, info

    return potrf


def _potrf_batched(letter: str) -> Callable[..., None]:
    one = _potrf(letter)

    def potrfBatched(
        handle: int, uplo: int, n: int, Aarray: int, lda: int, infoArray: int, batchSize: int
    ) -> None:  # fmt: skip
        for position, address in enumerate(_array(Aarray, np.uint64, batchSize)):
            one(handle, uplo, n, int(address), lda, 0, 5, infoArray + 4 * position)

    return potrfBatched


def _potrf_size(letter: str) -> Callable[..., int]:
    def potrf_bufferSize(handle: int, uplo: int, n: int, A: int, lda: int) -> int:
        return 5

    return potrf_bufferSize


def _getrf(letter: str) -> Callable[..., None]:
    def getrf(
        handle: int, m: int, n: int, A: int, lda: int, work: int, devIpiv: int, devInfo: int
    ) -> None:  # fmt: skip
        assert handle == 1 and lda == m
        matrix = _array(A, _DTYPES[letter], m, n)
        factors, pivots, info = getattr(lapack, f"{letter}getrf")(matrix)
        matrix[...], _array(devIpiv, np.int32, min(m, n))[...] = factors, pivots + 1
        _array(devInfo, np.int32, 1)[...] = info

    return getrf


def _getrf_size(letter: str) -> Callable[..., int]:
    def getrf_bufferSize(handle: int, m: int, n: int, A: int, lda: int) -> int:
        return 5

    return getrf_bufferSize


def _getrf_batched(letter: str) -> Callable[..., None]:
    one = _getrf(letter)

    def getrfBatched(
        handle: int, n: int, Aarray: int, lda: int, PivotArray: int, infoArray: int, batchSize: int
    ) -> None:  # fmt: skip
        assert handle == 2
        for position, address in enumerate(_array(Aarray, np.uint64, batchSize)):
            one(1, n, n, int(address), lda, 0, PivotArray + 4 * n * position, infoArray + 4 * position)

    return getrfBatched


def _sytrf(letter: str) -> Callable[..., None]:
    def sytrf(
        handle: int, uplo: int, n: int, A: int, lda: int, ipiv: int, work: int, lwork: int, devInfo: int
    ) -> None:  # fmt: skip
        assert handle == 1 and lda == n and lwork == 5
        matrix = _array(A, _DTYPES[letter], n, n)
        factors, pivots, info = getattr(lapack, f"{letter}sytrf")(matrix, lower=not uplo)
        matrix[...], _array(ipiv, np.int32, n)[...], _array(devInfo, np.int32, 1)[...] = factors, pivots, info

    return sytrf


def _sytrf_size(letter: str) -> Callable[..., int]:
    def sytrf_bufferSize(handle: int, n: int, A: int, lda: int) -> int:
        return 5

    return sytrf_bufferSize


_CUSOLVER = {
    "potrf": _potrf, "potrf_bufferSize": _potrf_size, "potrfBatched": _potrf_batched, "getrf": _getrf,
    "getrf_bufferSize": _getrf_size, "sytrf": _sytrf, "sytrf_bufferSize": _sytrf_size,
}  # fmt: skip
CUSOLVER = SimpleNamespace(**{letter + name: make(letter) for letter in _DTYPES for name, make in _CUSOLVER.items()})
CUBLAS = SimpleNamespace(**{f"{letter}getrfBatched": _getrf_batched(letter) for letter in _DTYPES})


class FakeBindings:
    """`lazygrad.targets.cuda.cupy_routines.bindings.Bindings` of the host."""

    cupy = SimpleNamespace(
        **{name: _making(name) for name in _MAKING}, **{name: getattr(np, name) for name in _OTHERS},
        argsort=_argsort, fft=FFT, linalg=LINALG,
    )  # fmt: skip
    cusolver, cublas = CUSOLVER, CUBLAS
    handles = SimpleNamespace(get_cusolver_handle=lambda: 1, get_cublas_handle=lambda: 2)
    solve_triangular, errstate = staticmethod(solve_triangular), staticmethod(errstate)
