"""Losses, and the classes that isinstance asks for, under PyTorch's path."""

from lazygrad.nn import loss
from lazygrad.nn.loss import *
from lazygrad.nn.loss.base import _Loss, _WeightedLoss

__all__ = ["_Loss", "_WeightedLoss"]
__all__ += loss.__all__
