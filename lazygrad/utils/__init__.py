"""Utilities beside layers and optimizers: `lazygrad.utils.checkpoint`, and `lazygrad.data` under PyTorch's name."""

from lazygrad.utils import checkpoint, data, hooks, model_zoo
from lazygrad.utils.swapping import swap_tensors

__all__ = ["checkpoint", "data", "hooks", "model_zoo", "swap_tensors"]
