"""Instance normalization, and the class that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import instance_normalization
from lazygrad.nn.instance_normalization import *
from lazygrad.nn.instance_normalization import _InstanceNorm
from lazygrad.nn.lazy_normalization import LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d

__all__ = ["LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "_InstanceNorm"]
__all__ += instance_normalization.__all__
