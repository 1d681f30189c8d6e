"""The adaptive softmax, under PyTorch's path."""

from lazygrad.nn.adaptive import *
from lazygrad.nn.adaptive import __all__ as __all__
