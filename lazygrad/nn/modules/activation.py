"""The activations, and attention of several heads, under PyTorch's path."""

from lazygrad.nn import activation, softmax
from lazygrad.nn.activation import *
from lazygrad.nn.softmax import *
from lazygrad.nn.transformers import multihead
from lazygrad.nn.transformers.multihead import *
from lazygrad.nn.transformers.multihead import NonDynamicallyQuantizableLinear

__all__ = ["NonDynamicallyQuantizableLinear"]
__all__ += activation.__all__
__all__ += multihead.__all__
__all__ += softmax.__all__
