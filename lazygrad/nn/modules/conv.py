"""Convolutions, and the class that isinstance asks for, under PyTorch's path."""

from lazygrad.nn.convolution import Conv1d, Conv2d
from lazygrad.nn.convolution import _Convolution as _ConvNd

__all__ = ["Conv1d", "Conv2d", "_ConvNd"]
