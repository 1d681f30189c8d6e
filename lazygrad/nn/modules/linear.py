"""Affine maps, under PyTorch's path."""

from lazygrad.nn.linear import Bilinear, Identity, Linear

__all__ = ["Bilinear", "Identity", "Linear"]
