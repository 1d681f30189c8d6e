"""Flatten and its inverse, under PyTorch's path."""

from lazygrad.nn.flatten import *
from lazygrad.nn.flatten import __all__ as __all__
