"""`lazygrad.data` under PyTorch's name."""

from lazygrad import data
from lazygrad.data import *

__all__ = data.__all__
