"""Distances, under PyTorch's path."""

from lazygrad.nn.distance import *
from lazygrad.nn.distance import __all__ as __all__
