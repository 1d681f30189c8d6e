"""The base class, under PyTorch's path."""

from lazygrad.nn.module import *
from lazygrad.nn.module import __all__ as __all__
