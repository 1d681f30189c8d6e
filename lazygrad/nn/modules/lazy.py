"""Lazy modules, under PyTorch's path."""

from lazygrad.nn.lazy import *
from lazygrad.nn.lazy import __all__ as __all__
