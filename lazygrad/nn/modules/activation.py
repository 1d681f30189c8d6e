"""The activations, and attention of several heads, under PyTorch's path."""

from lazygrad.nn import activation, multihead_attention, softmax
from lazygrad.nn.activation import *
from lazygrad.nn.multihead_attention import *
from lazygrad.nn.softmax import *

__all__: list[str] = []
__all__ += activation.__all__
__all__ += multihead_attention.__all__
__all__ += softmax.__all__
