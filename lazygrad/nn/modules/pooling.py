"""Pooling, and the classes that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import pooling
from lazygrad.nn.modules.utils import _pair, _single, _triple
from lazygrad.nn.pooling import *
from lazygrad.nn.pooling.adaptive import _AdaptiveAvgPool as _AdaptiveAvgPoolNd
from lazygrad.nn.pooling.adaptive import _AdaptiveMaxPool as _AdaptiveMaxPoolNd
from lazygrad.nn.pooling.average import _AvgPool as _AvgPoolNd
from lazygrad.nn.pooling.average import _LPPool as _LPPoolNd
from lazygrad.nn.pooling.maximum import _MaxPool as _MaxPoolNd
from lazygrad.nn.pooling.maximum import _MaxUnpool as _MaxUnpoolNd

__all__ = [
    "_pair",
    "_single",
    "_triple",
    "_AdaptiveAvgPoolNd",
    "_AdaptiveMaxPoolNd",
    "_AvgPoolNd",
    "_LPPoolNd",
    "_MaxPoolNd",
    "_MaxUnpoolNd",
]
__all__ += pooling.__all__
