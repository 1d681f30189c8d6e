"""Sliding blocks as columns and back, under PyTorch's path."""

from lazygrad.nn.shuffling import Fold, Unfold

__all__ = ["Fold", "Unfold"]
