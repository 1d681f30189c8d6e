"""What code in a worker process of a DataLoader can ask about it, and where its batches are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """The worker process that asks.

    Attributes:
        id: from 0.
        num_workers: how many there are.
        seed: what `random`, numpy and lazygrad were seeded from in this process.
        dataset: this process' own copy.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


class _Process:
    """What is different in a worker."""

    def __init__(self) -> None:
        self.info: WorkerInfo | None = None
        self.new_array: Callable[[tuple[int, ...], np.dtype], np.ndarray] = np.empty


this_process = _Process()


def get_worker_info() -> WorkerInfo | None:
    """The worker process that this is; None in the process that iterates over the loader."""
    return this_process.info


def new_array(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Uninitialised memory for a batch; in a worker, memory that the other process reads too."""
    return this_process.new_array(shape, dtype)
