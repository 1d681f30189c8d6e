"""Normalization of each sample, under PyTorch's path."""

from lazygrad.nn.normalization import *
from lazygrad.nn.normalization import __all__ as __all__
