"""Optimizers, with PyTorch's names."""

from lazygrad.optim import lr_scheduler, swa_utils
from lazygrad.optim.adadelta import Adadelta
from lazygrad.optim.adafactor import Adafactor
from lazygrad.optim.adagrad import Adagrad
from lazygrad.optim.adam import Adam, AdamW
from lazygrad.optim.adamax import Adamax
from lazygrad.optim.asgd import ASGD
from lazygrad.optim.lbfgs import LBFGS
from lazygrad.optim.muon import Muon
from lazygrad.optim.nadam import NAdam
from lazygrad.optim.optimizer import Optimizer
from lazygrad.optim.radam import RAdam
from lazygrad.optim.rmsprop import RMSprop
from lazygrad.optim.rprop import Rprop
from lazygrad.optim.sgd import SGD
from lazygrad.optim.sparse_adam import SparseAdam

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]
