"""Utilities beside layers and optimizers: `lazygrad.utils.checkpoint`, and `lazygrad.data` under PyTorch's name."""

from lazygrad import data
from lazygrad.utils import checkpoint

__all__ = ["checkpoint", "data"]
