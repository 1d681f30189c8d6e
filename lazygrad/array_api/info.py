"""What the namespace can do."""

from __future__ import annotations

from typing import Any

from lazygrad.array_api.dtypes import isdtype
from lazygrad.ir.device import CPU, Device, get_default_device
from lazygrad.ir.dtype import (
    DType,
    bool_,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from lazygrad.ops.arguments.operands import get_default_dtype

__all__ = ["__array_namespace_info__"]

_DTYPES = (bool_, int8, int16, int32, int64, uint8, float32, float64, complex64, complex128)


class _Info:
    """What this namespace can do; see the standard."""

    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        return get_default_device()

    def devices(self) -> tuple[Device, ...]:
        return (CPU,)

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        floating = get_default_dtype()
        return {
            "real floating": floating,
            "complex floating": floating.to_complex(),
            "integral": int64,
            "indexing": int64,
        }

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        return {dtype.name: dtype for dtype in _DTYPES if kind is None or isdtype(dtype, kind)}


def __array_namespace_info__() -> _Info:
    """Capabilities, devices and dtypes."""
    return _Info()
