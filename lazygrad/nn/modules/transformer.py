"""Transformers, under PyTorch's path."""

from lazygrad.nn.transformers.transformer import *
from lazygrad.nn.transformers.transformer import __all__ as __all__
