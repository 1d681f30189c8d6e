"""Sliding blocks of images as columns, and columns summed back into images."""

from __future__ import annotations

from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.shape import Shape, numel
from lazygrad.ir.view import window_counts
from lazygrad.ops.arguments.operands import scalar_node, tensor_argument
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.spatial import Extent, per_axis
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node


class _Geometry:
    """Where the blocks lie: one number per spatial axis, and how many blocks there are."""

    def __init__(
        self, name: str, extent: Shape, kernel_size: Extent, dilation: Extent, padding: Extent, stride: Extent
    ) -> None:
        self.size, self.dilation = (
            per_axis(kernel_size, 2, name, "kernel_size"),
            per_axis(dilation, 2, name, "dilation"),
        )
        self.padding, self.stride = per_axis(padding, 2, name, "padding"), per_axis(stride, 2, name, "stride")
        if min(*self.size, *self.dilation, *self.stride) <= 0 or min(self.padding) < 0:
            raise RuntimeError(f"{name}: kernel_size, dilation and stride must be positive, and padding not negative, "
                               f"but got {self.size}, {self.dilation}, {self.stride}, {self.padding}")  # fmt: skip
        self.padded = tuple([n + 2 * p for n, p in zip(extent, self.padding, strict=True)])
        self.counts = window_counts(self.padded, self.size, self.stride, self.dilation)
        if min(self.counts) < 1:
            raise RuntimeError(f"{name}: given spatial size {extent} with kernel_size {self.size}, dilation "
                               f"{self.dilation}, padding {self.padding}, stride {self.stride}: the array of sliding "
                               f"blocks has shape {self.counts}, but its components must be at least one")  # fmt: skip


def _bordered(node: Node, padding: Shape) -> Node:
    """``node`` with ``padding`` zeros (or, negative, elements cut off) at both ends of its last axes."""
    if not any(padding):
        return node
    amounts = (*(0,) * (node.rank - len(padding)), *padding)
    return record_node(indexing.pad, (node, scalar_node(0, node.dtype, node.device)), (amounts, amounts))


def unfold(input: Tensor, kernel_size: Extent, dilation: Extent = 1, padding: Extent = 0, stride: Extent = 1) -> Tensor:
    """The sliding blocks of an image as columns (im2col).

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: extent of a block; here and below an int stands for both dimensions.
        dilation: step between the elements of a block.
        padding: zeros around the image.
        stride: step between blocks.

    Returns:
        (N, C · elements of a block, number of blocks), or without N.

    Raises:
        RuntimeError: another rank, no block, or numbers out of range.
    """
    shape = tensor_argument(input, "unfold").shape
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise RuntimeError(f"unfold: expected 3D or 4D (batch mode) tensor with non-zero dimensions, but got shape "
                           f"{list(shape)}")  # fmt: skip
    blocks = _Geometry("unfold", tuple(shape[-2:]), kernel_size, dilation, padding, stride)
    image = reshaped(input.node(), (shape[0] if len(shape) == 4 else 1, *shape[-3:]))
    seen = record_node(movement.windows, (_bordered(image, blocks.padding),),
                       (blocks.size, blocks.stride, blocks.dilation))  # fmt: skip
    columns = record_node(movement.permute, (seen,), ((0, 1, 4, 5, 2, 3),))
    target = (*shape[:-3], shape[-3] * numel(blocks.size), numel(blocks.counts))
    return Tensor.from_node(reshaped(columns, target))


def fold(
    input: Tensor, output_size: Extent, kernel_size: Extent, dilation: Extent = 1, padding: Extent = 0,
    stride: Extent = 1,
) -> Tensor:  # fmt: skip
    """Columns of blocks summed where they overlap into an image (col2im): the adjoint of `unfold`.

    Args:
        input: (N, C · elements of a block, number of blocks), or without N.
        output_size: (H, W).
        kernel_size, dilation, padding, stride: as for `unfold`.

    Returns:
        (N, C, H, W), or without N.

    Raises:
        RuntimeError: a shape that does not fit the other arguments.
    """
    shape = tensor_argument(input, "fold").shape
    if len(shape) not in (2, 3):
        raise RuntimeError(f"fold: expected 2D or 3D (batch mode) tensor for input, but got shape {list(shape)}")
    extent = per_axis(output_size, 2, "fold", "output_size")
    blocks = _Geometry("fold", extent, kernel_size, dilation, padding, stride)
    elements, count = numel(blocks.size), numel(blocks.counts)
    if shape[-2] % elements or shape[-1] != count:
        raise RuntimeError(f"fold: expected columns of a multiple of {elements} elements and {count} blocks for output_"
                           f"size {extent}, but got shape {list(shape)}")  # fmt: skip
    batch, channels = (shape[0] if len(shape) == 3 else 1), shape[-2] // elements
    seen = reshaped(input.node(), (batch, channels, *blocks.size, *blocks.counts))
    seen = record_node(movement.permute, (seen,), ((0, 1, 4, 5, 2, 3),))
    whole = (batch, channels, *blocks.padded)
    image = record_node(indexing.windows_adjoint, (seen,), (whole, blocks.size, blocks.stride, blocks.dilation))
    image = _bordered(image, tuple([-p for p in blocks.padding]))
    return Tensor.from_node(reshaped(image, (*shape[:-2], channels, *extent)))
