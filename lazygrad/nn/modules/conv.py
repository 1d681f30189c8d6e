"""Convolutions, and the classes that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import convolution, convolution_transposed, lazy_convolution
from lazygrad.nn.convolution import *
from lazygrad.nn.convolution import _ConvolutionBase as _ConvNd
from lazygrad.nn.convolution_transposed import *
from lazygrad.nn.convolution_transposed import _TransposedConvolution as _ConvTransposeNd
from lazygrad.nn.lazy_convolution import *

__all__ = ["_ConvNd", "_ConvTransposeNd"]
__all__ += convolution.__all__
__all__ += convolution_transposed.__all__
__all__ += lazy_convolution.__all__
