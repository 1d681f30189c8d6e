"""Batch normalization, and the classes that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import batch_normalization
from lazygrad.nn._running_statistics import ChannelNormalization as _NormBase
from lazygrad.nn.batch_normalization import *
from lazygrad.nn.batch_normalization import _BatchNorm
from lazygrad.nn.lazy_normalization import LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d

__all__ = ["LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "_BatchNorm", "_NormBase"]
__all__ += batch_normalization.__all__
