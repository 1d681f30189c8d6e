"""Channels as elements and back, under PyTorch's path."""

from lazygrad.nn.shuffling import PixelShuffle, PixelUnshuffle

__all__ = ["PixelShuffle", "PixelUnshuffle"]
