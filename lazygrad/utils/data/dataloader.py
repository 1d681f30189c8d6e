"""The loader, what makes batches, and what PyTorch's file of the loader takes from others, under PyTorch's path."""

from __future__ import annotations

from typing import Any

from lazygrad.data.collate import default_collate, default_convert
from lazygrad.data.dataloader import DataLoader
from lazygrad.data.dataset import Dataset, IterableDataset
from lazygrad.data.epochs import Epoch as _SingleProcessDataLoaderIter
from lazygrad.data.epochs import Pass as _BaseDataLoaderIter
from lazygrad.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from lazygrad.data.worker_info import get_worker_info


def __getattr__(name: str) -> Any:
    if name != "_MultiProcessingDataLoaderIter":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lazygrad.data.worker_passes import WorkerEpoch  # which loads what starts processes

    return WorkerEpoch


__all__ = [
    "BatchSampler",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "_BaseDataLoaderIter",
    "_SingleProcessDataLoaderIter",
    "default_collate",
    "default_convert",
    "get_worker_info",
]
