"""Optimizers, with PyTorch's names."""

from importlib import import_module
from typing import Any

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


def __getattr__(name: str) -> Any:
    """The functions of single steps are loaded when a program asks for them."""
    if name == "_functional":
        return import_module("lazygrad.optim._functional")
    raise AttributeError(f"module 'lazygrad.optim' has no attribute {name!r}")


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
