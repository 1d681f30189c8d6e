"""Normalization over a batch, over each sample, and their lazy forms."""

from lazygrad.nn.normalizations import batch, instance, layer, lazy
from lazygrad.nn.normalizations.batch import *
from lazygrad.nn.normalizations.instance import *
from lazygrad.nn.normalizations.layer import *
from lazygrad.nn.normalizations.lazy import *

__all__: list[str] = []
__all__ += batch.__all__
__all__ += instance.__all__
__all__ += layer.__all__
__all__ += lazy.__all__
