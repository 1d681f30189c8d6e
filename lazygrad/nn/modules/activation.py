"""The activations, under PyTorch's path."""

from lazygrad.nn import activation, softmax
from lazygrad.nn.activation import *
from lazygrad.nn.softmax import *

__all__: list[str] = []
__all__ += activation.__all__
__all__ += softmax.__all__
