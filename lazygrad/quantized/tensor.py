"""Tensors of integers that stand for numbers on a grid.

A `QuantizedTensor` is an object of the frontend, as a sparse tensor is. It holds an ordinary tensor of integers with a
grid; what it does is recorded on them. No gradients flow: to train for a grid, see `fake_quantize_per_tensor_affine`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from lazygrad.ir.device import Device
from lazygrad.ir.dtype import float32
from lazygrad.ir.node import Node
from lazygrad.ops.objects.printing import contents_text, current_options, with_suffixes
from lazygrad.quantized.dtypes import QScheme, QuantizedDType, per_channel_affine, per_tensor_affine
from lazygrad.size import Size
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import TensorBase
from lazygrad.torch_function import left_alone

_INDENT = len("tensor(")


@dataclass(frozen=True)
class Grid:
    """The numbers that integers stand for: (integer − zero point) · scale.

    Attributes:
        scale: a number; for a grid per channel a float64 tensor, shape (channels,).
        zero_point: an integer; for a grid per channel an int64 tensor, shape (channels,).
        axis: that of the channels; None for one grid for all.
    """

    scale: Any
    zero_point: Any
    axis: int | None = None

    def aligned(self, ndim: int) -> tuple[Any, Any]:
        """Scale, in float32 if it is a tensor, and zero point; both broadcast with a tensor of ``ndim`` dimensions."""
        if self.axis is None:
            return self.scale, self.zero_point
        shape = [-1 if axis == self.axis else 1 for axis in range(ndim)]
        return self.scale.to(float32).reshape(shape), self.zero_point.reshape(shape)


class QuantizedTensor(Tensor):
    """Integers with a grid. Made by `quantize_per_tensor` and `quantize_per_channel`."""

    _integers: Tensor
    _grid: Grid
    _quantized_dtype: QuantizedDType
    __torch_function__ = staticmethod(left_alone)

    def __new__(cls, integers: Tensor, grid: Grid, dtype: QuantizedDType) -> QuantizedTensor:
        """``integers`` of the stored dtype, which are not checked."""
        made: QuantizedTensor = TensorBase.__new__(cls)
        made._integers, made._grid, made._quantized_dtype = integers, grid, dtype
        return made

    def _like(self, integers: Tensor) -> QuantizedTensor:
        return QuantizedTensor(integers, self._grid, self._quantized_dtype)

    def node(self) -> Node:
        """There is none: what has no quantized form ends here.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("this function is not implemented for quantized tensors; call .dequantize() first")

    def array(self) -> NoReturn:
        """See `numpy`. TypeError."""
        raise TypeError(f"Got unsupported ScalarType {self.dtype.scalar_type}: call .int_repr() or .dequantize() first")

    def numpy(self, *, force: bool = False) -> NoReturn:
        """TypeError: numpy has no such dtype."""
        self.array()

    def view_of_storage(self) -> NoReturn:
        """NotImplementedError: the integers have a storage, see `int_repr`."""
        raise NotImplementedError("quantized tensors have no storage of their own; call .int_repr() first")

    _storage = _chain = _detached = property(view_of_storage)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return QuantizedTensor, (self._integers, self._grid, self._quantized_dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> QuantizedTensor:
        return self._like(self._integers.clone())

    # What it says about itself.

    @property
    def shape(self) -> Size:
        return self._integers.shape

    def _sizes(self) -> Size:
        return self.shape

    @property
    def ndim(self) -> int:
        return self._integers.ndim

    @property
    def dtype(self) -> QuantizedDType:
        return self._quantized_dtype

    @property
    def device(self) -> Device:
        return self._integers.device

    @property
    def requires_grad(self) -> bool:
        """False: no gradients flow. RuntimeError: set to True."""
        return False

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if value:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")

    @property
    def is_quantized(self) -> bool:
        """True."""
        return True

    def qscheme(self) -> QScheme:
        """`per_tensor_affine` or `per_channel_affine`."""
        return per_tensor_affine if self._grid.axis is None else per_channel_affine

    def q_scale(self) -> float:
        """The scale. RuntimeError: there is one for each channel."""
        return float(self._of_tensor().scale)

    def q_zero_point(self) -> int:
        """The integer that stands for 0. RuntimeError: there is one for each channel."""
        return int(self._of_tensor().zero_point)

    def q_per_channel_scales(self) -> Tensor:
        """The scales, float64, shape (channels,). RuntimeError: there is one scale for all."""
        scales: Tensor = self._of_channels().scale
        return scales

    def q_per_channel_zero_points(self) -> Tensor:
        """The integers that stand for 0, int64, shape (channels,). RuntimeError: there is one for all."""
        zero_points: Tensor = self._of_channels().zero_point
        return zero_points

    def q_per_channel_axis(self) -> int:
        """The axis of the channels. RuntimeError: there are none."""
        axis = self._of_channels().axis
        assert axis is not None
        return axis

    def _of_tensor(self) -> Grid:
        if self._grid.axis is not None:
            raise RuntimeError("Expected quantizer->qscheme() == kPerTensorAffine: each channel has a scale of its own")
        return self._grid

    def _of_channels(self) -> Grid:
        if self._grid.axis is None:
            raise RuntimeError("Expected quantizer->qscheme() == kPerChannelAffine: the tensor has one scale")
        return self._grid

    # Other forms.

    def int_repr(self) -> Tensor:
        """The integers, in a tensor of their own."""
        return self._integers.clone()

    def dequantize(self) -> Tensor:
        """The numbers that the integers stand for, float32."""
        scale, zero_point = self._grid.aligned(self.ndim)
        return (self._integers.to(float32) - zero_point) * scale

    def detach(self) -> QuantizedTensor:
        """Itself: no gradients flow."""
        return self

    def clone(self, memory_format: Any = None) -> QuantizedTensor:
        """The same integers in other memory."""
        return self._like(self._integers.clone())

    def __getitem__(self, index: Any) -> QuantizedTensor:
        """A part, of a tensor with one scale. NotImplementedError: each channel has its own."""
        return self._moved("indexing")._like(self._integers[index])

    def reshape(self, *shape: Any) -> QuantizedTensor:  # type: ignore[override]
        """Another shape, of a tensor with one scale. NotImplementedError: each channel has its own."""
        return self._moved("reshape")._like(self._integers.reshape(*shape))

    def view(self, *shape: Any) -> QuantizedTensor:  # type: ignore[override]
        """See `reshape`."""
        return self._moved("view")._like(self._integers.view(*shape))

    def permute(self, *dims: Any) -> QuantizedTensor:  # type: ignore[override]
        """Other axes, of a tensor with one scale. NotImplementedError: each channel has its own."""
        return self._moved("permute")._like(self._integers.permute(*dims))

    def transpose(self, dim0: int, dim1: int) -> QuantizedTensor:
        """See `permute`."""
        return self._moved("transpose")._like(self._integers.transpose(dim0, dim1))

    def _moved(self, name: str) -> QuantizedTensor:
        if self._grid.axis is not None:
            raise NotImplementedError(f"{name} of a tensor with a scale for each channel; call .dequantize() first")
        return self

    def __eq__(self, other: object) -> Any:
        return self.dequantize() == (other.dequantize() if isinstance(other, QuantizedTensor) else other)

    __hash__ = Tensor.__hash__

    def __repr__(self) -> str:
        grid = self._grid
        facts = [f"size={tuple(self.shape)}", f"dtype={self.dtype}", f"quantization_scheme={self.qscheme()}",
                 f"scale={grid.scale}", f"zero_point={grid.zero_point}"]  # fmt: skip
        facts += [] if grid.axis is None else [f"axis={grid.axis}"]
        options = current_options()
        text = f"tensor({contents_text(self.dequantize(), _INDENT, options)}"
        return with_suffixes(text, facts, _INDENT, options.linewidth)

    __str__ = __repr__
