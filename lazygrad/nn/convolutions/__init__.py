"""Convolutions and transposed convolutions of one to three dimensions, and their lazy forms."""

from lazygrad.nn.convolutions import convolution, lazy, transposed
from lazygrad.nn.convolutions.convolution import *
from lazygrad.nn.convolutions.lazy import *
from lazygrad.nn.convolutions.transposed import *

__all__: list[str] = []
__all__ += convolution.__all__
__all__ += lazy.__all__
__all__ += transposed.__all__
