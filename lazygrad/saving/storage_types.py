"""The names PyTorch's files give to storages of each dtype."""

from __future__ import annotations

from lazygrad.ir.dtype import (
    ALL_DTYPES,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)

STORAGE_NAMES = {
    bool_: "BoolStorage",
    uint8: "ByteStorage",
    int8: "CharStorage",
    int16: "ShortStorage",
    int32: "IntStorage",
    int64: "LongStorage",
    float16: "HalfStorage",
    bfloat16: "BFloat16Storage",
    float32: "FloatStorage",
    float64: "DoubleStorage",
    complex64: "ComplexFloatStorage",
    complex128: "ComplexDoubleStorage",
}
STORAGE_DTYPES = {name: dtype for dtype, name in STORAGE_NAMES.items()}
DTYPE_NAMES = {dtype.name: dtype for dtype in ALL_DTYPES}
