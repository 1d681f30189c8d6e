"""Recurrent layers and cells, under PyTorch's path."""

from lazygrad.nn import rnn, rnn_cells
from lazygrad.nn.rnn import *
from lazygrad.nn.rnn_cells import *

__all__ = [*rnn.__all__, *rnn_cells.__all__]
