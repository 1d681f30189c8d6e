"""The loader, and what makes batches, under PyTorch's path."""

from lazygrad.data.collate import default_collate, default_convert
from lazygrad.data.dataloader import DataLoader
from lazygrad.data.worker_info import get_worker_info

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]
