"""Convolutions (as everywhere in deep learning: cross-correlations) and their transposes, in 1 to 3 dimensions."""

from __future__ import annotations

from lazygrad.ir.node import Node
from lazygrad.ir.primitives import contraction, movement
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.shape import Shape
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.precision import lower_precision
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.spatial import Extent, batched, per_axis, unbatched
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.shapes.permuting import permute
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]

Padding = tuple[tuple[int, int], ...]


def _check_geometry(name: str, stride: Shape, padding: Shape, dilation: Shape, groups: int) -> None:
    """Raises RuntimeError for numbers that are not positive, and for negative padding."""
    if min(stride) <= 0:
        raise RuntimeError(f"{name}: non-positive stride is not supported, but got {stride}")
    if min(dilation) <= 0:
        raise RuntimeError(f"{name}: non-positive dilation is not supported, but got {dilation}")
    if min(padding) < 0:
        raise RuntimeError(f"{name}: negative padding is not supported, but got {padding}")
    if groups <= 0:
        raise RuntimeError(f"{name}: non-positive groups is not supported, but got {groups}")


def _check_sizes(name: str, source: Node, weight: Node, groups: int) -> None:
    """Raises RuntimeError for kernels and outputs without elements, and for images and channels that have none."""
    filters, shape = weight.type.shape, source.type.shape
    if filters[0] < groups:
        raise RuntimeError(f"{name}: Given groups={groups}, expected weight to be at least {groups} at dimension 0, "
                           f"but got weight of size {list(filters)}")  # fmt: skip
    if 0 in filters[2:]:
        raise RuntimeError(f"{name}: kernel size should be greater than zero, but got {filters[2:]}")
    if 0 in shape[2:] and shape[0] and shape[1]:
        raise RuntimeError(f"{name}: Only zero batch or zero channel inputs are supported, but got input shape: "
                           f"{list(shape)}")  # fmt: skip


def _same_padding(name: str, kernel: Shape, stride: Shape, dilation: Shape) -> Padding:
    """Padding that keeps the size; where the amount is odd, the greater half comes last."""
    if any(step != 1 for step in stride):
        raise RuntimeError(f"{name}: padding='same' is not supported for strided convolutions, but got {stride}")
    totals = [(size - 1) * step for size, step in zip(kernel, dilation, strict=True)]
    return tuple([(total // 2, total - total // 2) for total in totals])


def _paddings(name: str, padding: str | Extent, kernel: Shape, stride: Shape, dilation: Shape) -> Padding:
    """The amounts before and after, per axis, from ints, ``"same"`` or ``"valid"``."""
    if padding == "same":
        return _same_padding(name, kernel, stride, dilation)
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if isinstance(padding, str):
        raise RuntimeError(f"{name}: Invalid padding string: {padding!r}; use 'same', 'valid' or ints")
    return tuple([(amount, amount) for amount in per_axis(padding, len(kernel), name, "padding")])


def _weight_node(name: str, weight: Tensor, rank: int) -> Node:
    node = tensor_argument(weight, name, "weight").node()
    if node.rank != rank + 2:
        raise RuntimeError(f"{name}: expected a weight of {rank + 2} dimensions, but got one of shape "
                           f"{list(node.type.shape)}")  # fmt: skip
    return node


def _with_bias(name: str, result: Node, bias: Tensor | None, weight: Node) -> Node:
    """``result`` plus one number per channel."""
    if bias is None:
        return result
    node = tensor_argument(bias, name, "bias").node()
    channels = result.type.shape[1]
    if node.type.shape != (channels,):
        raise RuntimeError(f"{name}: Given weight of size {list(weight.type.shape)}, expected bias to be 1-dimensional "
                           f"with {channels} elements, but got bias of size {list(node.type.shape)}")  # fmt: skip
    if node.dtype is not result.dtype:
        raise RuntimeError(
            f"{name}: Input type ({result.dtype.c_type}) and bias type ({node.dtype.c_type}) should be the same"
        )
    return record_node(ew.add, (result, reshaped(node, (channels, *(1,) * (result.rank - 2)))))


def _without_channels(images: Node) -> Node:
    """None of the channels of all images."""
    count, _, *extent = images.type.shape
    return record_node(movement.slice_, (images,), ((0,) * images.rank, (count, 0, *extent), (1,) * images.rank))


def _convolution(
    name: str, rank: int, input: Tensor, weight: Tensor, bias: Tensor | None,
    stride: Extent, padding: str | Extent, dilation: Extent, groups: int,
) -> Tensor:  # fmt: skip
    filters = _weight_node(name, weight, rank)
    steps, spread = per_axis(stride, rank, name, "stride"), per_axis(dilation, rank, name, "dilation")
    paddings = _paddings(name, padding, filters.type.shape[2:], steps, spread)
    _check_geometry(name, steps, tuple([before for before, _ in paddings]), spread, groups)
    source, keep_batch = batched(tensor_argument(input, name), rank, name)
    _check_sizes(name, source, filters, groups)
    product = record_node(contraction.conv, (source, filters), (steps, paddings, spread, groups))
    result = _with_bias(name, product, bias, filters)
    if source.type.shape[1] == 0:  # PyTorch: no input channels, no output channels
        result = _without_channels(result)
    return unbatched(result, keep_batch)


@traced
@lower_precision
def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None,
    stride: Extent = 1, padding: str | Extent = 0, dilation: Extent = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """Convolution of signals, see `conv2d`: (N, C_in, L) or (C_in, L) with weight (C_out, C_in / groups, K)."""
    return _convolution("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@traced
@lower_precision
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None,
    stride: Extent = 1, padding: str | Extent = 0, dilation: Extent = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """Convolution of images.

    Args:
        input: (N, C_in, H, W) or (C_in, H, W).
        weight: (C_out, C_in / groups, K_h, K_w), of the input's dtype.
        bias: (C_out,) or None.
        stride: step between windows; here and below an int stands for every dimension.
        padding: zeros before and after each dimension, ``"valid"`` for none, ``"same"`` to keep the size.
        dilation: step between the elements of a window.
        groups: channels are split into this many convolutions that do not see each other.

    Returns:
        (N, C_out, H_out, W_out), or without N, where a size is
        ⌊(size + 2·padding − dilation·(K − 1) − 1) / stride⌋ + 1.

    Raises:
        RuntimeError: shapes, dtypes or channels that do not fit together, a window of no elements or larger than the
            padded input, no output channels, an image of no elements, ``"same"`` with a stride, or numbers out of
            range. As in PyTorch, images without channels are convolved to images without channels.
    """
    return _convolution("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@traced
@lower_precision
def conv3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None,
    stride: Extent = 1, padding: str | Extent = 0, dilation: Extent = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """Convolution of volumes, see `conv2d`: (N, C_in, D, H, W) with weight (C_out, C_in / groups, K_d, K_h, K_w)."""
    return _convolution("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolution of signals with time first and channels last.

    Args:
        input: (T, N, C_in).
        weight: (K, C_in, C_out).
        bias: (C_out).
        pad: zeros at both ends.

    Returns:
        (T + 2·pad − K + 1, N, C_out).

    Raises:
        RuntimeError: another rank, or channels that do not fit.
    """
    for role, operand, rank in (("input", input, 3), ("weight", weight, 3), ("bias", bias, 1)):
        if tensor_argument(operand, "conv_tbc", role).ndim != rank:
            raise RuntimeError(f"conv_tbc: {role} must have {rank} dimensions, but has shape {list(operand.shape)}")
    result = conv1d(permute(input, 1, 2, 0), permute(weight, 2, 1, 0), bias, padding=pad)
    return permute(result, 2, 0, 1)


def _check_output_padding(name: str, output_padding: Shape, stride: Shape, dilation: Shape) -> None:
    if min(output_padding) < 0:
        raise RuntimeError(f"{name}: negative output_padding is not supported, but got {output_padding}")
    for extra, step, spread in zip(output_padding, stride, dilation, strict=True):
        if extra >= max(step, spread):
            raise RuntimeError(f"{name}: output padding must be smaller than either stride or dilation, but got "
                               f"output_padding {output_padding}, stride {stride} and dilation {dilation}")  # fmt: skip


def _transposed_extent(
    extent: Shape, kernel: Shape, stride: Shape, padding: Shape, extra: Shape, dilation: Shape
) -> Shape:
    axes = zip(extent, kernel, stride, padding, extra, dilation, strict=True)
    return tuple([(n - 1) * s - 2 * p + d * (k - 1) + e + 1 for n, k, s, p, e, d in axes])


def _transposed_convolution(
    name: str, rank: int, input: Tensor, weight: Tensor, bias: Tensor | None,
    stride: Extent, padding: Extent, output_padding: Extent, groups: int, dilation: Extent,
) -> Tensor:  # fmt: skip
    """The adjoint of a convolution in its input, which reads what this one writes."""
    filters = _weight_node(name, weight, rank)
    steps, spread = per_axis(stride, rank, name, "stride"), per_axis(dilation, rank, name, "dilation")
    margin = per_axis(padding, rank, name, "padding")
    extra = per_axis(output_padding, rank, name, "output_padding")
    _check_geometry(name, steps, margin, spread, groups)
    _check_output_padding(name, extra, steps, spread)
    source, keep_batch = batched(tensor_argument(input, name), rank, name)
    _check_sizes(name, source, filters, groups)
    if filters.type.shape[1] == 0:
        raise RuntimeError(f"{name}: expected a weight with output channels, but got one of shape "
                           f"{list(filters.type.shape)}")  # fmt: skip
    (count, channels), extent = source.type.shape[:2], source.type.shape[2:]
    if channels != filters.type.shape[0] or channels % groups:
        raise RuntimeError(f"{name}: Given groups={groups} and a weight of size {list(filters.type.shape)}, expected "
                           f"input{list(source.type.shape)} to have {filters.type.shape[0]} channels, a multiple of "
                           f"groups, but got {channels} channels instead")  # fmt: skip
    if filters.dtype is not source.dtype:
        raise RuntimeError(
            f"{name}: Input type ({source.dtype.c_type}) and weight type ({filters.dtype.c_type}) should be the same"
        )
    out = _transposed_extent(extent, filters.type.shape[2:], steps, margin, extra, spread)
    if any(size < 1 for size in out):
        raise RuntimeError(f"{name}: Given input size per channel: {extent}. Calculated output size per channel: "
                           f"{out}. Output size is too small")  # fmt: skip
    shape = (count, filters.type.shape[1] * groups, *out)
    # Less padding at the end, so that the convolution this is the adjoint of gives exactly the input's size.
    paddings = tuple([(before, before - more) for before, more in zip(margin, extra, strict=True)])
    product = record_node(contraction.conv_input_grad, (source, filters), (steps, paddings, spread, groups, shape))
    return unbatched(_with_bias(name, product, bias, filters), keep_batch)


@traced
@lower_precision
def conv_transpose1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None,
    stride: Extent = 1, padding: Extent = 0, output_padding: Extent = 0, groups: int = 1, dilation: Extent = 1,
) -> Tensor:  # fmt: skip
    """Transposed convolution of signals, see `conv_transpose2d`."""
    return _transposed_convolution(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@traced
@lower_precision
def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None,
    stride: Extent = 1, padding: Extent = 0, output_padding: Extent = 0, groups: int = 1, dilation: Extent = 1,
) -> Tensor:  # fmt: skip
    """Transposed convolution of images: every input element adds a scaled copy of the filter to the output.

    Args:
        input: (N, C_in, H, W) or (C_in, H, W).
        weight: (C_in, C_out / groups, K_h, K_w), of the input's dtype.
        bias: (C_out,) or None.
        stride: step between the copies; here and below an int stands for every dimension.
        padding: how much of the result is cut off on every side.
        output_padding: how much less is cut off at the end.
        groups: channels are split into this many convolutions that do not see each other.
        dilation: step between the elements of the filter.

    Returns:
        (N, C_out, H_out, W_out), or without N, where a size is
        (size − 1)·stride − 2·padding + dilation·(K − 1) + output_padding + 1.

    Raises:
        RuntimeError: shapes, dtypes or channels that do not fit together, or numbers out of range.
    """
    return _transposed_convolution(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@traced
@lower_precision
def conv_transpose3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None,
    stride: Extent = 1, padding: Extent = 0, output_padding: Extent = 0, groups: int = 1, dilation: Extent = 1,
) -> Tensor:  # fmt: skip
    """Transposed convolution of volumes, see `conv_transpose2d`."""
    return _transposed_convolution(
        "conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )
