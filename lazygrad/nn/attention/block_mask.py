"""Masks of attention as functions of indices, and which blocks of the scores they leave.

A mask is a function of four indices. PyTorch calls it once for each element, under ``vmap``. Here it is called once,
with indices that broadcast against each other to [batch, head, query, key]: arithmetic, comparisons and look-ups in
tensors give the same.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import reduce
from math import prod
from typing import Any

from lazygrad.ir.dtype import bool_, int8, int32
from lazygrad.nn import functional as F
from lazygrad.nn._types import DeviceLike
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.pointwise.floating_point import isneginf
from lazygrad.ops.reductions.sorting import argsort
from lazygrad.tensor import Tensor

_DEFAULT_SPARSE_BLOCK_SIZE = 128  # programs import it by this name

MaskMod = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
"""(batch, head, query, key) → whether the query sees the key."""


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """Each query sees each key."""
    return batch.new_ones((), dtype=bool_)


def or_masks(*mask_mods: MaskMod) -> MaskMod:
    """The mask that shows what any of these shows.

    Raises:
        RuntimeError: one of them cannot be called.
    """
    _check_callable(mask_mods)

    def or_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        return reduce(lambda seen, mask: seen | mask(b, h, q_idx, kv_idx), mask_mods, b.new_zeros((), dtype=bool_))

    return or_mask


def and_masks(*mask_mods: MaskMod) -> MaskMod:
    """The mask that shows what all of these show.

    Raises:
        RuntimeError: one of them cannot be called.
    """
    _check_callable(mask_mods)

    def and_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        return reduce(lambda seen, mask: seen & mask(b, h, q_idx, kv_idx), mask_mods, b.new_ones((), dtype=bool_))

    return and_mask


def _check_callable(mask_mods: tuple[Any, ...]) -> None:
    if not all(map(callable, mask_mods)):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def index_tensors(sizes: tuple[int, ...], device: DeviceLike) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The indices of batch, head, query and key; together they broadcast to ``sizes``."""
    batch, head, query, key = (
        arange(size, device=device).view([-1 if axis == i else 1 for axis in range(4)]) for i, size in enumerate(sizes)
    )
    return batch, head, query, key


def create_mask(
    mod_fn: Callable[..., Tensor],
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: DeviceLike = None,
) -> Tensor:
    """The mask of a function of four indices, or that of a function of a score and four indices.

    Args:
        mod_fn: of five arguments, it hides what it makes negative infinity.
        B: batch size, None is 1.
        H: heads, None is 1.
        Q_LEN: queries.
        KV_LEN: keys.
        device: where the mask is.

    Returns:
        Booleans of shape [B, H, Q_LEN, KV_LEN]: true where a query sees a key.
    """
    sizes = (B or 1, H or 1, Q_LEN, KV_LEN)
    indices = index_tensors(sizes, device)
    if _argument_count(mod_fn) == 5:
        return ~isneginf(mod_fn(zeros(sizes, device=device), *indices)).expand(sizes)
    return mod_fn(*indices).expand(sizes)


def _argument_count(function: Callable[..., Any]) -> int:
    parameters = inspect.signature(function).parameters.values()
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


class BlockMask:
    """Which blocks of queries × keys a mask leaves, in the order of their numbers.

    Attributes:
        kv_num_blocks: int32[B, H, rows], how many blocks of keys a block of queries sees in part.
        kv_indices: int32[B, H, rows, columns], their numbers first.
        full_kv_num_blocks: the same of blocks that are seen whole, or None.
        full_kv_indices: their numbers, or None.
        mask_mod: the mask itself.
        BLOCK_SIZE: queries and keys of a block.
        seq_lengths: queries and keys.
    """

    def __init__(
        self,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int],
        mask_mod: MaskMod,
        seq_lengths: tuple[int, int],
    ) -> None:
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.BLOCK_SIZE, self.mask_mod, self.seq_lengths = BLOCK_SIZE, mask_mod, seq_lengths

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod: MaskMod | None = None,
        seq_lengths: tuple[int, int] | None = None,
    ) -> BlockMask:
        """Of blocks that are known already.

        Raises:
            RuntimeError: ``kv_indices`` has fewer than two dimensions.
            AssertionError: only one of the two tensors about whole blocks is given.
        """
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        size = _pair(BLOCK_SIZE)
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1])
        blocks = (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        return cls(*blocks, size, mask_mod or noop_mask, seq_lengths)

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch dimensions, queries, keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """Scores, hidden ones included."""
        return prod(self.shape)

    def sparsity(self) -> float:
        """How many percent of the scores lie in blocks that are hidden whole."""
        seen = int(self.kv_num_blocks.sum())
        if self.full_kv_num_blocks is not None:
            seen += int(self.full_kv_num_blocks.sum())
        return 100 * (1 - seen * prod(self.BLOCK_SIZE) / self.numel())

    def to_dense(self) -> Tensor:
        """int32[..., rows, columns]: 1 for each block that is not hidden whole."""
        dense = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is not None and self.full_kv_indices is not None:
            dense = dense | _dense(self.full_kv_num_blocks, self.full_kv_indices)
        return dense

    def to(self, device: DeviceLike) -> BlockMask:
        """The same on another device."""
        return self._with(lambda tensor: tensor.to(device), self.mask_mod)

    def __getitem__(self, index: Any) -> BlockMask:
        """The blocks of some batch entries, heads or rows. Their mask is not known: its indices would be others."""
        index = index if isinstance(index, tuple) else (index,)
        kept = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in index)
        return self._with(lambda tensor: tensor[kept], mask_of_a_part)

    def _with(self, change: Callable[[Tensor], Tensor], mask_mod: MaskMod) -> BlockMask:
        tensors = (self.kv_num_blocks, self.kv_indices, self.full_kv_num_blocks, self.full_kv_indices)
        first, second, *full = [None if tensor is None else change(tensor) for tensor in tensors]
        assert first is not None and second is not None
        return BlockMask(first, second, full[0], full[1], self.BLOCK_SIZE, mask_mod, self.seq_lengths)

    def __repr__(self) -> str:
        name = getattr(self.mask_mod, "__name__", self.mask_mod)
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, mask_mod={name})"


def mask_of_a_part(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
    """What a part of a `BlockMask` has for a mask."""
    raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")


def create_block_mask(
    mask_mod: MaskMod,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: DeviceLike = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
    _compile: bool = False,
    separate_full_blocks: bool = True,
) -> BlockMask:
    """Which blocks a mask leaves.

    Args:
        mask_mod: the mask, a function of four indices.
        B: batch size, None is 1.
        H: heads, None is 1.
        Q_LEN: queries.
        KV_LEN: keys.
        device: where it is used.
        BLOCK_SIZE: queries and keys of a block.
        separate_full_blocks: whether blocks without a hidden score are counted apart.

    Raises:
        AssertionError: ``mask_mod`` has another number of arguments.
    """
    if _argument_count(mask_mod) != 4:
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    rows, columns = _pair(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    padded = F.pad(mask, (0, -KV_LEN % columns, 0, -Q_LEN % rows))
    seen = padded.unflatten(3, (-1, columns)).unflatten(2, (-1, rows)).sum((3, 5))
    is_full = seen == rows * columns
    is_partial = (seen > 0) & ~is_full if separate_full_blocks else seen > 0
    counts, indices = _ordered(is_partial)
    full_counts, full_indices = _ordered(is_full) if separate_full_blocks else (None, None)
    sizes, lengths = (rows, columns), (Q_LEN, KV_LEN)
    return BlockMask(counts, indices, full_counts, full_indices, sizes, mask_mod, lengths)


def _ordered(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks of each row there are, and the columns, those with a block first."""
    numbers = blocks.to(int8)
    return numbers.sum(-1).to(int32), argsort(numbers, dim=-1, descending=True, stable=True).to(int32)


def _dense(counts: Tensor, indices: Tensor) -> Tensor:
    """The inverse of `_ordered`."""
    columns = indices.shape[-1]
    is_seen = (arange(columns, device=counts.device) < counts[..., None]).to(int32)
    return zeros(indices.shape, dtype=int32, device=counts.device).scatter(-1, indices.long(), is_seen)


def _pair(size: int | tuple[int, int]) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])
