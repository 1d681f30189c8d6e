"""Affine maps, under PyTorch's path."""

from lazygrad.nn.linear import *
from lazygrad.nn.linear import __all__ as __all__
