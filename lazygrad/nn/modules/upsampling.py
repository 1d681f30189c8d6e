"""Upsampling, under PyTorch's path."""

from lazygrad.nn.upsampling import *
from lazygrad.nn.upsampling import __all__ as __all__
