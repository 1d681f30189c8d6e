"""The containers, under PyTorch's path."""

from lazygrad.nn.core import containers, parameter_containers
from lazygrad.nn.core.containers import *
from lazygrad.nn.core.parameter_containers import *

__all__: list[str] = []
__all__ += containers.__all__
__all__ += parameter_containers.__all__
