"""Padding, and the classes that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import padding
from lazygrad.nn.modules.utils import _ntuple, _pair, _quadruple
from lazygrad.nn.padding import *
from lazygrad.nn.padding import _CircularPad as _CircularPadNd
from lazygrad.nn.padding import _ConstantPad as _ConstantPadNd
from lazygrad.nn.padding import _ReflectionPad as _ReflectionPadNd
from lazygrad.nn.padding import _ReplicationPad as _ReplicationPadNd

__all__ = [
    "_ntuple",
    "_pair",
    "_quadruple",
    "_CircularPadNd",
    "_ConstantPadNd",
    "_ReflectionPadNd",
    "_ReplicationPadNd",
]
__all__ += padding.__all__
