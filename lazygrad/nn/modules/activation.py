"""The activations, under PyTorch's path."""

from lazygrad.nn.activation import *
from lazygrad.nn.activation import __all__ as __all__
