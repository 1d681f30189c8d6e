"""Dropout, and the class that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import dropout
from lazygrad.nn.dropout import *
from lazygrad.nn.dropout import _Dropout as _DropoutNd

__all__ = ["_DropoutNd"]
__all__ += dropout.__all__
