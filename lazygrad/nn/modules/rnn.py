"""Recurrent layers and cells, under PyTorch's path."""

from lazygrad.nn.recurrent import *
from lazygrad.nn.recurrent import __all__ as __all__
