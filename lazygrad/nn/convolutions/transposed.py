"""Transposed convolution layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.nn import functional as F
from lazygrad.nn._types import DeviceLike, IntOr1d, IntOr2d, IntOr3d, expand_to_tuple
from lazygrad.nn.convolutions.convolution import _ConvolutionBase
from lazygrad.tensor import Tensor

__all__ = ["ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


class _TransposedConvolution(_ConvolutionBase):
    """What transposed convolutions of all ranks share."""

    _rank: int
    padding: tuple[int, ...]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        rank = self._rank
        super().__init__(
            in_channels,
            out_channels,
            expand_to_tuple(kernel_size, rank),
            expand_to_tuple(stride, rank),
            expand_to_tuple(padding, rank),
            expand_to_tuple(dilation, rank),
            True,
            expand_to_tuple(output_padding, rank),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        convolve = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self._rank - 1]
        extra = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self._rank, self.dilation
        )
        return convolve(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)

    def _output_padding(
        self,
        input: Tensor,
        output_size: Sequence[int] | None,
        stride: Sequence[int],
        padding: Sequence[int],
        kernel_size: Sequence[int],
        num_spatial_dims: int,
        dilation: Sequence[int] | None = None,
    ) -> Sequence[int]:
        """The output padding that gives an output of the wanted size, with or without batch and channels.

        It has PyTorch's name and arguments: layers that are derived from these ask it in their own ``forward``.
        """
        if output_size is None:
            return expand_to_tuple(self.output_padding, self._rank)
        rank, wanted = num_spatial_dims, tuple(output_size)
        leading = 2 if input.dim() == rank + 2 else 1
        given = len(wanted)
        if given == leading + rank:
            wanted = wanted[leading:]
        if len(wanted) != rank:
            raise ValueError(
                f"ConvTranspose{rank}D: for {input.dim()}D input, output_size must have {rank} or {leading + rank} "
                f"elements (got {given})"
            )
        axes = zip(input.shape[leading:], stride, padding, dilation or (1,) * rank, kernel_size, strict=True)
        smallest = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in axes]
        largest = [size + step - 1 for size, step in zip(smallest, stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(smallest, wanted, largest, strict=True)):
            raise ValueError(
                f"requested an output size of {list(wanted)}, but valid sizes range from {smallest} to {largest} "
                f"(for an input of {input.shape[2:]})"
            )
        return [size - low for size, low in zip(wanted, smallest, strict=True)]


class ConvTranspose1d(_TransposedConvolution):
    """Transposed convolution of a signal with learned kernels, see `ConvTranspose2d`.

    Shapes:
        ``weight`` (in_channels, out_channels / groups, kernel), ``bias`` (out_channels),
        (N, in_channels, L) or (in_channels, L) → the same with out_channels and the output length.
    """

    _rank = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: IntOr1d,
        stride: IntOr1d = 1,
        padding: IntOr1d = 0,
        output_padding: IntOr1d = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: IntOr1d = 1,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation,
            padding_mode, device, dtype,
        )  # fmt: skip


class ConvTranspose2d(_TransposedConvolution):
    """The adjoint of a convolution: every element of the image adds a scaled learned kernel to the output.

    Weight and bias start uniform in ±1/√(out_channels / groups · elements of the kernel).

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: extent of the kernel; here and below an int stands for all dimensions.
        stride: step between the kernels that are added up.
        padding: how much of the output is cut off on every side.
        output_padding: how much less is cut off at the end; below stride or dilation.
        groups: blocks of channels that are convolved separately.
        bias: whether a bias is learned.
        dilation: step between the elements of a kernel.
        padding_mode: ``"zeros"``.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.

    Called with ``output_size`` as well, the layer chooses the output padding that gives this size.

    Shapes:
        ``weight`` (in_channels, out_channels / groups, *kernel_size), ``bias`` (out_channels),
        (N, in_channels, H, W) or (in_channels, H, W) → the same with out_channels and
        (size − 1)·stride − 2·padding + dilation·(kernel − 1) + output_padding + 1 along each dimension.

    Raises:
        ValueError: channels not divisible by groups, another padding mode, or an output size that no output padding
            gives.
    """

    _rank = 2

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: IntOr2d,
        stride: IntOr2d = 1,
        padding: IntOr2d = 0,
        output_padding: IntOr2d = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: IntOr2d = 1,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation,
            padding_mode, device, dtype,
        )  # fmt: skip


class ConvTranspose3d(_TransposedConvolution):
    """Transposed convolution of a volume with learned kernels, see `ConvTranspose2d`.

    Shapes:
        ``weight`` (in_channels, out_channels / groups, *kernel_size), ``bias`` (out_channels),
        (N, in_channels, D, H, W) or (in_channels, D, H, W) → the same with out_channels and the output's extents.
    """

    _rank = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: IntOr3d,
        stride: IntOr3d = 1,
        padding: IntOr3d = 0,
        output_padding: IntOr3d = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: IntOr3d = 1,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation,
            padding_mode, device, dtype,
        )  # fmt: skip
