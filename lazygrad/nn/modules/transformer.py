"""Transformers, and what models written after PyTorch's take from its file, under PyTorch's path."""

from lazygrad.nn.transformers.transformer import *
from lazygrad.nn.transformers.transformer import __all__ as _public
from lazygrad.nn.transformers.transformer import _activation as _get_activation_fn
from lazygrad.nn.transformers.transformer import _clones as _get_clones

__all__ = ["_get_activation_fn", "_get_clones"]
__all__ += _public
