"""Optimizers in several configurations: ``o`` is the package, ``p`` the parameters, ``t`` makes tensors."""

from __future__ import annotations

OPTIMIZERS = [
    "Adagrad(p)",
    "Adagrad(p, lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.5, eps=1e-3)",
    "Adagrad(p, lr=t.tensor(0.1), maximize=True)",
    "RMSprop(p)",
    "RMSprop(p, lr=0.1, alpha=0.5, weight_decay=0.1, centered=True)",
    "RMSprop(p, lr=0.1, momentum=0.9)",
    "RMSprop(p, lr=0.1, momentum=0.9, centered=True, maximize=True, eps=1e-2)",
    "Adadelta(p)",
    "Adadelta(p, lr=0.5, rho=0.7, eps=1e-3, weight_decay=0.1, maximize=True)",
    "Adamax(p)",
    "Adamax(p, lr=0.1, betas=(0.5, 0.9), weight_decay=0.1, maximize=True)",
    "ASGD(p)",
    "ASGD(p, lr=0.1, lambd=1e-2, alpha=0.5, t0=8, weight_decay=0.1)",
    "NAdam(p)",
    "NAdam(p, lr=0.1, betas=(0.5, 0.9), weight_decay=0.1, momentum_decay=0.1)",
    "NAdam(p, lr=0.1, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)",
    "RAdam(p)",
    "RAdam(p, lr=0.1, betas=(0.5, 0.9), weight_decay=0.1)",
    "RAdam(p, lr=0.1, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)",
    "Rprop(p)",
    "Rprop(p, lr=0.1, etas=(0.3, 1.5), step_sizes=(1e-2, 0.2), maximize=True)",
]
REAL_ONLY = [
    "Adafactor(p)",
    "Adafactor(p, lr=0.1, beta2_decay=-0.5, eps=(1e-4, 0.1), d=2.0, weight_decay=0.1, maximize=True)",
]
OPTIMIZERS += REAL_ONLY
