"""Convolutions, and the classes that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import convolutions
from lazygrad.nn.convolutions import *
from lazygrad.nn.convolutions.convolution import _ConvolutionBase as _ConvNd
from lazygrad.nn.convolutions.transposed import _TransposedConvolution as _ConvTransposeNd
from lazygrad.nn.modules.utils import _pair, _reverse_repeat_tuple, _single, _triple

__all__ = ["_pair", "_reverse_repeat_tuple", "_single", "_triple", "_ConvNd", "_ConvTransposeNd"]
__all__ += convolutions.__all__
