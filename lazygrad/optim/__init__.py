"""Optimizers, with PyTorch's names."""

from lazygrad.optim import lr_scheduler
from lazygrad.optim.adadelta import Adadelta
from lazygrad.optim.adagrad import Adagrad
from lazygrad.optim.adam import Adam, AdamW
from lazygrad.optim.adamax import Adamax
from lazygrad.optim.asgd import ASGD
from lazygrad.optim.nadam import NAdam
from lazygrad.optim.optimizer import Optimizer
from lazygrad.optim.radam import RAdam
from lazygrad.optim.rmsprop import RMSprop
from lazygrad.optim.rprop import Rprop
from lazygrad.optim.sgd import SGD

__all__ = [
    "ASGD",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]
