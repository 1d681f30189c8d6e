"""`lazygrad.data` under PyTorch's name."""

from lazygrad.data import *
from lazygrad.data import __all__ as __all__
