"""Transformers, under PyTorch's path."""

from lazygrad.nn.transformer import *
from lazygrad.nn.transformer import __all__ as __all__
