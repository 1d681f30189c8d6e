"""Normalization of each sample, under PyTorch's path."""

from lazygrad.nn.normalizations.layer import *
from lazygrad.nn.normalizations.layer import __all__ as __all__
