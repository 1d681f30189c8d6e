"""``lazygrad.quantized``: tensors of small integers that stand for numbers on a grid, and their training stand-ins."""

from lazygrad.quantized.construction import quantize_per_channel, quantize_per_tensor, quantize_per_tensor_dynamic
from lazygrad.quantized.dtypes import (
    QScheme,
    QuantizedDType,
    per_channel_affine,
    per_channel_symmetric,
    per_tensor_affine,
    per_tensor_symmetric,
    qint8,
    qint32,
    quint8,
)
from lazygrad.quantized.fake import fake_quantize_per_channel_affine, fake_quantize_per_tensor_affine
from lazygrad.quantized.functions import (
    dequantize,
    int_repr,
    q_per_channel_axis,
    q_per_channel_scales,
    q_per_channel_zero_points,
    q_scale,
    q_zero_point,
)
from lazygrad.quantized.tensor import QuantizedTensor

__all__ = [
    "QScheme",
    "QuantizedDType",
    "QuantizedTensor",
    "dequantize",
    "fake_quantize_per_channel_affine",
    "fake_quantize_per_tensor_affine",
    "int_repr",
    "per_channel_affine",
    "per_channel_symmetric",
    "per_tensor_affine",
    "per_tensor_symmetric",
    "q_per_channel_axis",
    "q_per_channel_scales",
    "q_per_channel_zero_points",
    "q_scale",
    "q_zero_point",
    "qint32",
    "qint8",
    "quantize_per_channel",
    "quantize_per_tensor",
    "quantize_per_tensor_dynamic",
    "quint8",
]
