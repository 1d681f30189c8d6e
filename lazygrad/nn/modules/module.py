"""The base class, under PyTorch's path."""

from lazygrad.nn.module import Module

__all__ = ["Module"]
