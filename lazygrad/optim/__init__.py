"""Optimizers, with PyTorch's names."""

from lazygrad.optim.adam import Adam, AdamW
from lazygrad.optim.optimizer import Optimizer
from lazygrad.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
