"""Sequences of several lengths, side by side with padding, and packed: step after step without it."""

from __future__ import annotations

import numpy as np

from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.indexing.gathering import index_select
from lazygrad.ops.pointwise.relational import gt
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.tensor import Tensor

Sizes = np.ndarray  # int64: how many sequences there are at each step, or how long each one is


def steps_of(lengths: Sizes) -> Sizes:
    """How many sequences, sorted from the longest on, reach each step."""
    return np.asarray((lengths[None, :] > np.arange(lengths.max())[:, None]).sum(1), np.int64)


def lengths_of(batch_sizes: Sizes) -> Sizes:
    """The lengths of sequences, from how many reach each step."""
    return np.asarray((batch_sizes[None, :] > np.arange(batch_sizes[0])[:, None]).sum(1), np.int64)


def pack(padded: Tensor, batch_sizes: Sizes) -> Tensor:
    """The elements of sequences, step after step.

    Args:
        padded: (T, B, …), the sequences sorted from the longest on.
        batch_sizes: how many of them reach each step.

    Returns:
        (sum of all lengths, …).
    """
    batch = padded.shape[1]
    rows = np.concatenate([step * batch + np.arange(size) for step, size in enumerate(batch_sizes)])
    flat = reshape(padded, (padded.shape[0] * batch, *padded.shape[2:]))
    return index_select(flat, 0, tensor(rows).to(padded.device))


def unpack(data: Tensor, batch_sizes: Sizes) -> Tensor:
    """What `pack` packed, (T, B, …); padding holds elements of other sequences."""
    begins = np.cumsum(batch_sizes) - batch_sizes
    rows = np.minimum(begins[:, None] + np.arange(batch_sizes[0]), len(data) - 1)
    found = index_select(data, 0, tensor(rows.reshape(-1)).to(data.device))
    return reshape(found, (*rows.shape, *data.shape[1:]))


def filled_up(padded: Tensor, lengths: Tensor, value: float, steps: int) -> Tensor:
    """``padded`` (T, B, …) with ``value`` behind the end of each sequence, and at least ``steps`` steps."""
    if steps > padded.shape[0]:
        missing = zeros((steps - padded.shape[0], *padded.shape[1:]), dtype=padded.dtype, device=padded.device)
        padded = cat([padded, missing], 0)
    place = reshape(arange(padded.shape[0], device=padded.device), (-1, 1))
    inside = reshape(gt(lengths, place), (*padded.shape[:2], *[1] * (padded.ndim - 2)))
    return where(inside, padded, value)
