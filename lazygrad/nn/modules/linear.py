"""Affine maps, under PyTorch's path."""

from lazygrad.nn import linear
from lazygrad.nn.lazy_linear import LazyLinear
from lazygrad.nn.linear import *

__all__ = ["LazyLinear"]
__all__ += linear.__all__
