"""What an exported file needs beside the plan. `bundled` copies it there, so it imports numpy and Python alone."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np

Specification = tuple[tuple[int, ...], Any, int]  # shape, dtype, and where it begins in bytes

_ALIGNMENT = 64  # bytes


def checked(name: str, x: Any, dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
    """An argument as a row-major array.

    Raises:
        TypeError: its dtype is of another kind than the one expected.
        ValueError: it has another shape.
    """
    array = np.asarray(x)
    if array.shape != shape:
        raise ValueError(f"{name}: expected shape {shape}, but got {array.shape}")
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise TypeError(f"{name}: expected {np.dtype(dtype)}, but got {array.dtype}")
    return np.ascontiguousarray(array, dtype).reshape(shape)


def extent(name: str, x: Any, rank: int, axis: int, low: int, high: int) -> int:
    """The size of an argument's open dimension.

    Raises:
        ValueError: there is no such dimension, or no plan for this size.
    """
    shape = np.shape(x)
    if len(shape) != rank or not low <= shape[axis] <= high:
        raise ValueError(f"{name}: expected {rank} dimensions, {low} to {high} of dimension {axis}, but got {shape}")
    return shape[axis]


def parameters(archive: str | IO[bytes], dtypes: Mapping[str, Any]) -> list[np.ndarray]:
    """Arrays of an archive by name; of dtypes that numpy does not have it holds the bits."""
    with np.load(archive, allow_pickle=False) as arrays:
        return [arrays[name].view(dtype) for name, dtype in dtypes.items()]


def unlocked_in_child(lock: Any) -> Any:
    """A lock that is open in a forked child, whoever held it: what `lazygrad.host.forks` has beside other things."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lock._at_fork_reinit)
    return lock


def memory_for(specifications: Sequence[Specification], size: int) -> list[np.ndarray]:
    """Arrays in one new block of ``size`` bytes."""
    block = np.empty(size + _ALIGNMENT, np.uint8)
    first = -block.ctypes.data % _ALIGNMENT
    return [np.ndarray(shape, dtype, block, first + offset) for shape, dtype, offset in specifications]
