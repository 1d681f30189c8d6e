"""Affine maps, under PyTorch's path."""

from lazygrad.nn import linear
from lazygrad.nn.lazy_linear import LazyLinear
from lazygrad.nn.linear import *
from lazygrad.nn.transformers.multihead import NonDynamicallyQuantizableLinear

__all__ = ["LazyLinear", "NonDynamicallyQuantizableLinear"]
__all__ += linear.__all__
