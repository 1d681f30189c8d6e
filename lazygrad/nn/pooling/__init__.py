"""Pooling over windows, and over as many windows as there are results."""

from lazygrad.nn.pooling import adaptive, average, maximum
from lazygrad.nn.pooling.adaptive import *
from lazygrad.nn.pooling.average import *
from lazygrad.nn.pooling.maximum import *

__all__: list[str] = []
__all__ += adaptive.__all__
__all__ += average.__all__
__all__ += maximum.__all__
