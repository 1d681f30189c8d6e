"""Batch normalization, and the classes that isinstance asks for, under PyTorch's path."""

from lazygrad.nn.normalizations import batch
from lazygrad.nn.normalizations.batch import *
from lazygrad.nn.normalizations.batch import _BatchNorm
from lazygrad.nn.normalizations.lazy import LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d
from lazygrad.nn.normalizations.running_statistics import ChannelNormalization as _NormBase

__all__ = ["LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "_BatchNorm", "_NormBase"]
__all__ += batch.__all__
