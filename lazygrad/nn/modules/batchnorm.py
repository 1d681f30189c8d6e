"""Batch normalization, and the class that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import batch_normalization
from lazygrad.nn.batch_normalization import *
from lazygrad.nn.batch_normalization import _BatchNorm

__all__ = ["_BatchNorm"]
__all__ += batch_normalization.__all__
