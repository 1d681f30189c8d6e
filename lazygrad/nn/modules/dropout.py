"""Dropout, and the class that isinstance asks for, under PyTorch's path."""

from lazygrad.nn.dropout import Dropout, Dropout1d, Dropout2d
from lazygrad.nn.dropout import _Dropout as _DropoutNd

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "_DropoutNd"]
