"""Recurrent layers over whole sequences, and cells of one step."""

from lazygrad.nn.recurrent import cells, layers
from lazygrad.nn.recurrent.cells import *
from lazygrad.nn.recurrent.layers import *

__all__: list[str] = []
__all__ += cells.__all__
__all__ += layers.__all__
