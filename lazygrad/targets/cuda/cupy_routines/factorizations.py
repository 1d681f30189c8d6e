"""Cholesky, LU, LDL and QR by cuSOLVER and cuBLAS, which count by columns.

The first three are called through cupy's bindings of the C functions: its own functions of arrays give no ``devInfo``,
which says where a factorization breaks down.
"""

from __future__ import annotations

from typing import Any

from lazygrad.targets.cuda.cupy_routines.bindings import Bindings
from lazygrad.targets.cuda.cupy_routines.made import Made, matrices

_LOWER, _UPPER = 0, 1  # cublasFillMode_t
_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}  # of C functions, by numpy's letters of dtypes
# cuBLAS takes many small matrices at once, cuSOLVER one after another; the limit is that of cupy's own solver.
_ELEMENTS_PER_BATCH = 65536


def cholesky(lib: Bindings, a: Any, *, upper: bool, check: str) -> Made:
    """L with a = L·Lᴴ, from one triangle of ``a``, and the first minor that is not positive (from 1), or 0."""
    # What lies row by row is the transpose of what cuSOLVER sees: its upper triangle is the lower one here.
    factors = _copied(lib, _adjoint(matrices(a)) if upper else matrices(a))
    count, size, _ = factors.shape
    info = lib.cupy.zeros(count, lib.cupy.int32)
    handle = lib.handles.get_cusolver_handle() if size else 0
    if size and count > 1:
        many = _function(lib.cusolver, factors, "potrfBatched")
        at = _addresses(lib, factors)
        many(handle, _UPPER, size, at.data.ptr, size, info.data.ptr, count)
    elif size:
        work_size = _function(lib.cusolver, factors, "potrf_bufferSize")(handle, _UPPER, size, factors.data.ptr, size)
        work = lib.cupy.empty(work_size, factors.dtype)
        one = _function(lib.cusolver, factors, "potrf")
        one(handle, _UPPER, size, factors.data.ptr, size, work.data.ptr, work_size, info.data.ptr)
    return Made([lib.cupy.tril(factors), info], (info != 0).any())


def lu(lib: Bindings, a: Any, *, check: str) -> Made:
    """L and U in one matrix, the row exchanged with each (from 1), and the first pivot that is 0 (from 1), or 0."""
    columns_first = _copied(lib, matrices(a).swapaxes(-2, -1))
    count, columns, rows = columns_first.shape
    pivots = lib.cupy.zeros((count, min(rows, columns)), lib.cupy.int32)
    info = lib.cupy.zeros(count, lib.cupy.int32)
    if not pivots.size:
        pass
    elif rows == columns and count > 1 and count * _ELEMENTS_PER_BATCH >= rows * rows:
        many = _function(lib.cublas, columns_first, "getrfBatched")
        at, handle = _addresses(lib, columns_first), lib.handles.get_cublas_handle()
        many(handle, rows, at.data.ptr, rows, pivots.data.ptr, info.data.ptr, count)
    else:
        handle = lib.handles.get_cusolver_handle()
        size_of_work = _function(lib.cusolver, columns_first, "getrf_bufferSize")
        one = _function(lib.cusolver, columns_first, "getrf")
        work_size = size_of_work(handle, rows, columns, columns_first.data.ptr, rows)
        work = lib.cupy.empty(work_size, columns_first.dtype)
        for matrix, exchanged, found in zip(columns_first, pivots, _single(info), strict=True):
            places = [array.data.ptr for array in (work, exchanged, found)]
            one(handle, rows, columns, matrix.data.ptr, rows, *places)
    return Made([columns_first.swapaxes(-2, -1), pivots, info], (info != 0).any())


def ldl(lib: Bindings, a: Any, *, hermitian: bool, check: str) -> Made:
    """L and D in one matrix, the pivots of the symmetric exchanges, and the first diagonal block that is 0, or 0."""
    columns_first = _copied(lib, matrices(a).swapaxes(-2, -1))
    count, size, _ = columns_first.shape
    pivots = lib.cupy.zeros((count, size), lib.cupy.int32)
    info = lib.cupy.zeros(count, lib.cupy.int32)
    if size:
        handle = lib.handles.get_cusolver_handle()
        one = _function(lib.cusolver, columns_first, "sytrf")
        size_of_work = _function(lib.cusolver, columns_first, "sytrf_bufferSize")
        work_size = size_of_work(handle, size, columns_first.data.ptr, size)
        work = lib.cupy.empty(work_size, columns_first.dtype)
        for matrix, exchanged, found in zip(columns_first, pivots, _single(info), strict=True):
            places = [exchanged.data.ptr, work.data.ptr, work_size, found.data.ptr]
            one(handle, _LOWER, size, matrix.data.ptr, size, *places)
    return Made([lib.cupy.tril(columns_first.swapaxes(-2, -1)), pivots, info], (info != 0).any())


def qr(lib: Bindings, a: Any, *, mode: str) -> Made:
    """Q and R; R alone in mode "r"."""
    found = lib.cupy.linalg.qr(matrices(a), mode)
    return Made([found] if mode == "r" else list(found))


def geqrf(lib: Bindings, a: Any) -> Made:
    """R, with the Householder vectors that make Q below it, and their factors."""
    reflectors, factors = lib.cupy.linalg.qr(matrices(a), "raw")
    return Made([reflectors.swapaxes(-2, -1), factors])


def _adjoint(a: Any) -> Any:
    return a.conj().swapaxes(-2, -1)


def _copied(lib: Bindings, a: Any) -> Any:
    """A row-major copy, which a factorization may write over."""
    return lib.cupy.array(a, copy=True, order="C")


def _single(info: Any) -> Any:
    """Each element as an array of its own, which has an address."""
    return info.reshape(-1, 1)


def _function(library: Any, array: Any, name: str) -> Any:
    return getattr(library, _LETTERS[array.dtype.char] + name)


def _addresses(lib: Bindings, batch: Any) -> Any:
    """Where each matrix of a row-major batch lies, as an array of the device."""
    first, step = batch.data.ptr, batch[0].nbytes
    return lib.cupy.arange(first, first + step * len(batch), step, dtype=lib.cupy.uintp)
