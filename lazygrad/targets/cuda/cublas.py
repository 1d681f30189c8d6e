"""Products of matrices by cuBLAS, called through ctypes.

cupy's own calls set a stream of their own, know bfloat16 in two dimensions only, and refuse to be captured. A handle
here has a workspace for each stream, without which a captured product allocates.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from lazygrad.ir.dtype import DType, bfloat16, complex64, complex128, float16, float32, float64
from lazygrad.targets.cuda import libraries
from lazygrad.targets.cuda.driver import Product
from lazygrad.targets.cuda.product_precision import ProductPrecision, product_precision

# From library_types.h and cublas_api.h of CUDA 13.0.
_KEPT, _TRANSPOSED = 0, 1
_DATA = {float32: 0, float64: 1, float16: 2, complex64: 4, complex128: 5, bfloat16: 14}
_COMPUTE_32F, _COMPUTE_32F_FAST_TF32, _COMPUTE_64F = 68, 77, 70
_DEFAULT_ALGORITHM = -1
_DEFAULT_MATH, _NO_REDUCED_SUMS = 0, 16
_WORKSPACE_BYTES = 32 << 20  # what NVIDIA recommends for Hopper; 4 MiB do for earlier devices

_Size, _Pointer = ctypes.c_int64, ctypes.c_void_p
_OPERAND = (_Pointer, ctypes.c_int, _Size)  # where it is, its dtype, and the distance of its columns
_STRIDED_OPERAND = (*_OPERAND, ctypes.c_longlong)
_BEFORE = (_Pointer, ctypes.c_int, ctypes.c_int, _Size, _Size, _Size, _Pointer)
_AFTER = (ctypes.c_int, ctypes.c_int)


class Cublas:
    """A handle of the current device.

    Args:
        allocate: gives memory of the device for the workspace.

    Raises:
        RuntimeError: cuBLAS is not there, is older than CUDA 12, or makes no handle.
    """

    def __init__(self, allocate: Callable[[int], int]) -> None:
        where = libraries.found("cublas")
        if where is None or not hasattr(where.library, "cublasGemmEx_64"):
            raise RuntimeError("cuBLAS of CUDA 12 or later was not found")
        found = self._library = where.library
        found.cublasGetStatusName.restype = ctypes.c_char_p
        found.cublasGemmEx_64.argtypes = (*_BEFORE, *_OPERAND, *_OPERAND, _Pointer, *_OPERAND, *_AFTER)
        found.cublasGemmStridedBatchedEx_64.argtypes = (
            *(*_BEFORE, *_STRIDED_OPERAND, *_STRIDED_OPERAND, _Pointer, *_STRIDED_OPERAND),
            *(_Size, *_AFTER),
        )
        self._handle = ctypes.c_void_p()
        self._check(found.cublasCreate_v2(ctypes.byref(self._handle)))
        self._allocate, self._workspaces = allocate, dict[int, int]()
        self._used, self._math = (-1, -1), _DEFAULT_MATH

    def prepare(self, stream: int) -> None:
        """Take the memory that products of a stream need, which cannot be shared with another one's."""
        if stream not in self._workspaces:
            self._workspaces[stream] = self._allocate(_WORKSPACE_BYTES)

    def multiply(self, product: Product, a: int, b: int, out: int, stream: int, memory: int) -> None:
        """A product on a stream, with the scratch memory of the stream ``memory``: another one where the product is
        captured. cuBLAS counts by columns, so that it is asked for ``outᵀ = bᵀ · aᵀ``: the same memory.

        Raises:
            RuntimeError: cuBLAS refuses it.
        """
        precision = product_precision()
        self._use(stream, memory, _math_mode(product.dtype, precision))
        batch, rows, columns, inner = product.sizes
        if not (batch and rows and columns):
            return
        data, compute = _DATA[product.dtype], _compute_type(product.dtype, precision)
        (a_step, a_row, a_turned), (b_step, b_row, b_turned) = product.a, product.b
        out_step, out_row = product.out
        alpha, beta = _factor(product.dtype, product.alpha), _factor(product.dtype, product.beta)
        before = (self._handle, _operation(b_turned), _operation(a_turned), columns, rows, inner, ctypes.byref(alpha))
        after = (compute, _DEFAULT_ALGORITHM)
        if batch == 1:
            status = self._library.cublasGemmEx_64(
                *(*before, b, data, b_row, a, data, a_row, ctypes.byref(beta), out, data, out_row, *after)
            )
        else:
            status = self._library.cublasGemmStridedBatchedEx_64(
                *(*before, b, data, b_row, b_step, a, data, a_row, a_step, ctypes.byref(beta)),
                *(out, data, out_row, out_step, batch, *after),
            )
        self._check(status)

    def _use(self, stream: int, memory: int, math: int) -> None:
        if (stream, memory) != self._used:
            self.prepare(memory)
            self._check(self._library.cublasSetStream_v2(self._handle, _Pointer(stream)))
            # A new stream gets cuBLAS's own workspace, which is allocated when it is needed.
            workspace, size = _Pointer(self._workspaces[memory]), ctypes.c_size_t(_WORKSPACE_BYTES)
            self._check(self._library.cublasSetWorkspace_v2(self._handle, workspace, size))
            self._used = stream, memory
        if math != self._math:
            self._check(self._library.cublasSetMathMode(self._handle, math))
            self._math = math

    def _check(self, status: int) -> None:
        if status:
            raise RuntimeError(f"cuBLAS failed: {self._library.cublasGetStatusName(status).decode()}")


def _operation(is_stored_transposed: bool) -> int:
    return _TRANSPOSED if is_stored_transposed else _KEPT


def _compute_type(dtype: DType, precision: ProductPrecision) -> int:
    """Sums of 16-bit numbers are taken in float32."""
    if dtype in (float64, complex128):
        return _COMPUTE_64F
    return _COMPUTE_32F_FAST_TF32 if precision.tf32 and dtype in (float32, complex64) else _COMPUTE_32F


def _math_mode(dtype: DType, precision: ProductPrecision) -> int:
    may_reduce = {float16: precision.reduced_f16, bfloat16: precision.reduced_bf16}.get(dtype, True)
    return _DEFAULT_MATH if may_reduce else _NO_REDUCED_SUMS


def _factor(dtype: DType, value: float) -> Any:
    """A factor in the dtype of the sums."""
    real = ctypes.c_double if dtype in (float64, complex128) else ctypes.c_float
    return (real * 2)(value, 0.0) if dtype.is_complex else real(value)
