"""Flatten and its inverse, under PyTorch's path."""

from lazygrad.nn.flatten import Flatten, Unflatten

__all__ = ["Flatten", "Unflatten"]
