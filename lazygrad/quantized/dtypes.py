"""Element types of quantized tensors, and the schemes by which integers stand for numbers."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import Category, DType, int8, int32, uint8
from lazygrad.ir.spoken_name import spoken


class QuantizedDType(DType):
    """An integer type whose numbers stand for others. No operation takes it; see `QuantizedTensor.int_repr`.

    Attributes:
        stored: the integer type.
    """

    __slots__ = ("stored",)

    def __init__(self, name: str, scalar_type: str, stored: DType) -> None:
        self.name = self.short = name
        self.scalar_type = self.c_type = scalar_type
        self.itemsize, self.signed, self.category, self.stored = (
            stored.itemsize,
            stored.signed,
            Category.INTEGER,
            stored,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return quantized_dtype, (self.name,)


class QScheme:
    """How integers stand for numbers: (integer − zero point) · scale, with one scale or one for each channel."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return spoken(self._name)


qint8 = QuantizedDType("qint8", "QInt8", int8)
quint8 = QuantizedDType("quint8", "QUInt8", uint8)
qint32 = QuantizedDType("qint32", "QInt32", int32)
_BY_NAME = {dtype.name: dtype for dtype in (qint8, quint8, qint32)}

per_tensor_affine = QScheme("per_tensor_affine")
per_tensor_symmetric = QScheme("per_tensor_symmetric")
per_channel_affine = QScheme("per_channel_affine")
per_channel_symmetric = QScheme("per_channel_symmetric")


def quantized_dtype(name: str) -> QuantizedDType:
    """The dtype of this name. KeyError: there is none."""
    return _BY_NAME[name]
