"""Pooling, and the classes that isinstance asks for, under PyTorch's path."""

from lazygrad.nn.pooling import AdaptiveAvgPool1d, AdaptiveAvgPool2d, AvgPool1d, AvgPool2d, MaxPool1d, MaxPool2d
from lazygrad.nn.pooling import _AdaptiveAvgPool as _AdaptiveAvgPoolNd
from lazygrad.nn.pooling import _AvgPool as _AvgPoolNd
from lazygrad.nn.pooling import _MaxPool as _MaxPoolNd

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "MaxPool1d",
    "MaxPool2d",
    "_AdaptiveAvgPoolNd",
    "_AvgPoolNd",
    "_MaxPoolNd",
]
