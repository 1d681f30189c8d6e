"""Attention of several heads, and the transformer built of it."""

from lazygrad.nn.transformers import multihead, transformer
from lazygrad.nn.transformers.multihead import *
from lazygrad.nn.transformers.transformer import *

__all__: list[str] = []
__all__ += multihead.__all__
__all__ += transformer.__all__
