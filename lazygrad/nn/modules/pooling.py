"""Pooling, and the classes that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import pooling
from lazygrad.nn.pooling import *
from lazygrad.nn.pooling import _AdaptiveAvgPool as _AdaptiveAvgPoolNd
from lazygrad.nn.pooling import _AvgPool as _AvgPoolNd
from lazygrad.nn.pooling import _MaxPool as _MaxPoolNd

__all__ = ["_AdaptiveAvgPoolNd", "_AvgPoolNd", "_MaxPoolNd"]
__all__ += pooling.__all__
