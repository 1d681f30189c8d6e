"""Instance normalization, and the class that isinstance asks for, under PyTorch's path."""

from lazygrad.nn.normalizations import instance
from lazygrad.nn.normalizations.instance import *
from lazygrad.nn.normalizations.instance import _InstanceNorm
from lazygrad.nn.normalizations.lazy import LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d

__all__ = ["LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "_InstanceNorm"]
__all__ += instance.__all__
