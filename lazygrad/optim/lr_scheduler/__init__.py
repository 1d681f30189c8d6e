"""Schedules of learning rates: each `step` writes the next rates into an optimizer's groups.

Rates enter plans as arguments, so a schedule plans nothing. State dictionaries have PyTorch's keys.
"""

from lazygrad.optim.lr_scheduler.base import LRScheduler
from lazygrad.optim.lr_scheduler.composed import ChainedScheduler, SequentialLR
from lazygrad.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from lazygrad.optim.lr_scheduler.cyclic import CyclicLR
from lazygrad.optim.lr_scheduler.decays import (
    ConstantLR,
    ExponentialLR,
    LinearLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from lazygrad.optim.lr_scheduler.functions import LambdaLR, MultiplicativeLR
from lazygrad.optim.lr_scheduler.one_cycle import OneCycleLR
from lazygrad.optim.lr_scheduler.plateau import ReduceLROnPlateau
from lazygrad.optim.optimizer import Optimizer  # noqa: F401, schedules of others take it from here

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


class _LRScheduler(LRScheduler):
    """The name by which older programs derive their own schedules from `LRScheduler`."""
