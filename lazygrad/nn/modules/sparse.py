"""Embeddings, under PyTorch's path."""

from lazygrad.nn.sparse import *
from lazygrad.nn.sparse import __all__ as __all__
