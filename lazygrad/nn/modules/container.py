"""The containers, under PyTorch's path."""

from lazygrad.nn.containers import ModuleDict, ModuleList, Sequential
from lazygrad.nn.parameter_containers import ParameterDict, ParameterList

__all__ = ["ModuleDict", "ModuleList", "Sequential", "ParameterDict", "ParameterList"]
