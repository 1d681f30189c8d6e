"""Convolutions, and the class that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import convolution
from lazygrad.nn.convolution import *
from lazygrad.nn.convolution import _Convolution as _ConvNd

__all__ = ["_ConvNd"]
__all__ += convolution.__all__
