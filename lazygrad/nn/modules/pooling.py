"""Pooling, and the classes that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import adaptive_pooling, average_pooling, max_pooling
from lazygrad.nn.adaptive_pooling import *
from lazygrad.nn.adaptive_pooling import _AdaptiveAvgPool as _AdaptiveAvgPoolNd
from lazygrad.nn.adaptive_pooling import _AdaptiveMaxPool as _AdaptiveMaxPoolNd
from lazygrad.nn.average_pooling import *
from lazygrad.nn.average_pooling import _AvgPool as _AvgPoolNd
from lazygrad.nn.average_pooling import _LPPool as _LPPoolNd
from lazygrad.nn.max_pooling import *
from lazygrad.nn.max_pooling import _MaxPool as _MaxPoolNd
from lazygrad.nn.max_pooling import _MaxUnpool as _MaxUnpoolNd

__all__ = ["_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd", "_AvgPoolNd", "_LPPoolNd", "_MaxPoolNd", "_MaxUnpoolNd"]
__all__ += adaptive_pooling.__all__
__all__ += average_pooling.__all__
__all__ += max_pooling.__all__
