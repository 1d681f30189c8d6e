"""The activations, and attention of several heads, under PyTorch's path."""

from lazygrad.nn import activation, multihead_attention
from lazygrad.nn.activation import *
from lazygrad.nn.multihead_attention import *

__all__ = [*activation.__all__, *multihead_attention.__all__]
