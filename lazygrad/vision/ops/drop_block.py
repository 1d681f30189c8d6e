"""Dropout of whole blocks: Ghiasi et al., arXiv:1810.12890."""

from __future__ import annotations

from lazygrad.nn import functional as F
from lazygrad.nn.core.module import Module
from lazygrad.ops.public import empty
from lazygrad.tensor import Tensor

__all__ = ["DropBlock2d", "DropBlock3d", "drop_block2d", "drop_block3d"]


def _drop_block(
    input: Tensor, rank: int, p: float, block_size: int, inplace: bool, eps: float, training: bool
) -> Tensor:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"drop probability has to be between 0 and 1, but got {p}.")
    if input.ndim != rank + 2:
        raise ValueError(f"input should be {rank + 2} dimensional. Got {input.ndim} dimensions.")
    if not training or p == 0.0:
        return input
    sizes = input.shape[2:]
    block = min(block_size, *sizes)
    if block % 2 == 0:
        raise ValueError(f"block size should be odd. Got {block} which is even.")
    corners = [size - block + 1 for size in sizes]
    share = p / block**rank
    for size, places in zip(sizes, corners, strict=True):
        share *= size / places
    seeds = empty(*input.shape[:2], *corners, dtype=input.dtype, device=input.device).bernoulli_(share)
    pool = F.max_pool2d if rank == 2 else F.max_pool3d
    kept = 1 - pool(F.pad(seeds, [block // 2] * 2 * rank), block, stride=1, padding=block // 2)
    scale = kept.numel() / (eps + kept.sum())
    return input.mul_(kept).mul_(scale) if inplace else input * kept * scale


def drop_block2d(
    input: Tensor, p: float, block_size: int, inplace: bool = False, eps: float = 1e-6, training: bool = True
) -> Tensor:
    """Zeroes squares of [batch, channels, height, width] by chance, and scales what stays by how much that is.

    Args:
        input: what is changed.
        p: about how large a share becomes zero.
        block_size: side of a square, an odd number.
        inplace: change the input.
        eps: added to what stays.
        training: False returns the input.

    Raises:
        ValueError: other arguments.
    """
    return _drop_block(input, 2, p, block_size, inplace, eps, training)


def drop_block3d(
    input: Tensor, p: float, block_size: int, inplace: bool = False, eps: float = 1e-6, training: bool = True
) -> Tensor:
    """`drop_block2d` of cubes of [batch, channels, depth, height, width]."""
    return _drop_block(input, 3, p, block_size, inplace, eps, training)


class DropBlock2d(Module):
    """`drop_block2d` as a module."""

    _rank = 2

    def __init__(self, p: float, block_size: int, inplace: bool = False, eps: float = 1e-6) -> None:
        super().__init__()
        self.p = p
        self.block_size = block_size
        self.inplace = inplace
        self.eps = eps

    def forward(self, input: Tensor) -> Tensor:
        return _drop_block(input, self._rank, self.p, self.block_size, self.inplace, self.eps, self.training)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p}, block_size={self.block_size}, inplace={self.inplace})"


class DropBlock3d(DropBlock2d):
    """`drop_block3d` as a module."""

    _rank = 3
