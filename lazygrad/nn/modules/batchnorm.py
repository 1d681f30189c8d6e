"""Batch normalization, and the class that isinstance asks for, under PyTorch's path."""

from lazygrad.nn.batch_normalization import BatchNorm1d, BatchNorm2d, _BatchNorm

__all__ = ["BatchNorm1d", "BatchNorm2d", "_BatchNorm"]
