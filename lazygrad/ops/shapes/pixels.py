"""Rearrangements of images: channels become pixels and the other way round, channels change places."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import Shape
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.tracing import traced
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "native_channel_shuffle"]


def _rearranged(input: Tensor, parts: Shape, order: Sequence[int], shape: Shape) -> Tensor:
    """``input`` seen as ``parts``, these dimensions in another order, and joined to ``shape``."""
    split = record_node(movement.reshape, (input.node(),), (parts,))
    return record(movement.reshape, (record_node(movement.permute, (split,), (tuple(order),)),), (shape,))


def _image_shape(name: str, input: Tensor) -> Shape:
    if tensor_argument(input, name).ndim < 3:
        raise RuntimeError(f"{name} expects input to have at least 3 dimensions, but got input with {input.ndim} "
                           f"dimension(s)")  # fmt: skip
    return tuple(input.shape)


@traced
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(…, C·r², H, W) → (…, C, H·r, W·r) with r the factor: channels become pixels.

    Raises:
        RuntimeError: fewer than three dimensions, or channels that r² does not divide.
    """
    *lead, channels, height, width = _image_shape("pixel_shuffle", input)
    factor = index(upscale_factor)
    if factor <= 0 or channels % factor**2:
        raise RuntimeError(
            f"pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {factor}²"
        )
    rank = len(lead)
    parts = (*lead, channels // factor**2, factor, factor, height, width)
    order = (*range(rank + 1), rank + 3, rank + 1, rank + 4, rank + 2)
    return _rearranged(input, parts, order, (*lead, parts[rank], height * factor, width * factor))


@traced
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(…, C, H·r, W·r) → (…, C·r², H, W) with r the factor: pixels become channels.

    Raises:
        RuntimeError: fewer than three dimensions, or a height or width that r does not divide.
    """
    *lead, channels, height, width = _image_shape("pixel_unshuffle", input)
    factor = index(downscale_factor)
    if factor <= 0 or height % factor or width % factor:
        raise RuntimeError(f"pixel_unshuffle expects height and width to be divisible by a positive downscale_factor, "
                           f"but {height} × {width} is not divisible by {factor}")  # fmt: skip
    rank = len(lead)
    parts = (*lead, channels, height // factor, factor, width // factor, factor)
    order = (*range(rank + 1), rank + 2, rank + 4, rank + 1, rank + 3)
    return _rearranged(input, parts, order, (*lead, channels * factor**2, height // factor, width // factor))


@traced
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """(N, C, …) with the channels, in ``groups`` groups, dealt out one from each group in turn.

    Source: Zhang et al., "ShuffleNet", 2018.

    Raises:
        RuntimeError: fewer than three dimensions; a number of groups that does not divide the channels.
    """
    if tensor_argument(input, "channel_shuffle").ndim < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes "
                           f"{list(input.shape)}")  # fmt: skip
    batch, channels, *rest = input.shape
    if groups <= 0 or channels % groups:
        raise RuntimeError(f"Number of groups to divide channels in must be positive and a divisor of the {channels} "
                           f"channels, but got {groups}")  # fmt: skip
    parts = (batch, groups, channels // groups, *rest)
    return _rearranged(input, parts, (0, 2, 1, *range(3, len(parts))), tuple(input.shape))


def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Another name of `channel_shuffle`."""
    return channel_shuffle(input, groups)
