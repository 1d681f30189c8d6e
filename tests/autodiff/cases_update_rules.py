"""Gradient-check cases of the optimizers' update rules."""

from __future__ import annotations

import numpy as np

from lazygrad.ir.composites.update_rules import (
    adadelta,
    adafactor,
    adagrad,
    adamax,
    asgd,
    gradient,
    nadam,
    radam,
    rmsprop,
    rprop,
)
from lazygrad.ir.node import Node

from .case import Case, uniform


def _signed(seed: int) -> np.ndarray:
    return uniform(3, seed=seed) * np.array([1, -1, 1])


def _positive(*shape: int, seed: int) -> np.ndarray:
    return uniform(*shape, low=0.3, high=1.5, seed=seed)


P, G, M, V = _signed(0), _signed(1), _signed(2), _positive(3, seed=3)
NUMBERS = [_positive(seed=seed) for seed in range(4, 10)]
MATRIX, MATRIX_GRADIENT = uniform(2, 3, 4, seed=1), uniform(2, 3, 4, seed=2)
ROW, COLUMN = _positive(2, 3, 1, seed=3), _positive(2, 1, 4, seed=4)


def _matrix_update(p: Node, g: Node, row: Node, column: Node, *numbers: Node) -> Node:
    return adafactor.adafactor_update(p, g, *numbers, row, column)


def _vector_update(p: Node, g: Node, variance: Node, *numbers: Node) -> Node:
    return adafactor.adafactor_update(p, g, *numbers, variance)


CASES = {
    "decayed_gradient": [Case(gradient.decayed_gradient, (G, P, *NUMBERS[:1]))],
    "descend": [Case(gradient.descend, (P, G, *NUMBERS[:1]))],
    "adagrad_sum": [Case(adagrad.adagrad_sum, (V, G))],
    "adagrad_update": [Case(adagrad.adagrad_update, (P, G, V, *NUMBERS[:2]))],
    "rmsprop_update": [
        Case(rmsprop.rmsprop_update, (P, G, V, *NUMBERS[:2])),
        Case(rmsprop.rmsprop_update, (P, G, V + 5, *NUMBERS[:2], M)),
    ],
    "rmsprop_velocity": [
        Case(rmsprop.rmsprop_velocity, (M, G, V, *NUMBERS[:2])),
        Case(rmsprop.rmsprop_velocity, (M, G, V + 5, *NUMBERS[:2], P)),
    ],
    "adadelta_direction": [Case(adadelta.adadelta_direction, (V, V + 1, G, *NUMBERS[:1]))],
    "adamax_norm": [Case(adamax.adamax_norm, (V, G, *NUMBERS[:2]))],
    "adamax_update": [Case(adamax.adamax_update, (P, M, V, *NUMBERS[:1]))],
    "asgd_update": [Case(asgd.asgd_update, (P, G, *NUMBERS[:2]))],
    "asgd_average": [Case(asgd.asgd_average, (M, P, *NUMBERS[:1]))],
    "nadam_update": [Case(nadam.nadam_update, (P, G, M, V, NUMBERS[0] / 4, *NUMBERS[1:6]))],
    "radam_update": [
        Case(radam.radam_update, (P, M, V, *NUMBERS[:3])),
        Case(radam.radam_update, (P, M, V, -NUMBERS[0], -NUMBERS[1], NUMBERS[2])),
    ],
    "rprop_size": [Case(rprop.rprop_size, (V, G, M, *NUMBERS[:2], np.array(0.01), np.array(9.0)))],
    "rprop_gradient": [Case(rprop.rprop_gradient, (G, M))],
    "rprop_update": [Case(rprop.rprop_update, (P, G, V))],
    "adafactor_moment": [
        Case(lambda v, g, w: adafactor.adafactor_moment(v, g, w, axis=-1), (ROW, MATRIX_GRADIENT, NUMBERS[0])),
        Case(lambda v, g, w: adafactor.adafactor_moment(v, g, w, axis=-2), (COLUMN, MATRIX_GRADIENT, NUMBERS[0])),
        Case(lambda v, g, w: adafactor.adafactor_moment(v, g, w, axis=None), (V, G, NUMBERS[0])),
    ],
    "adafactor_update": [
        Case(_matrix_update, (MATRIX, MATRIX_GRADIENT, ROW, COLUMN, *NUMBERS)),
        Case(_vector_update, (P, G, V, *NUMBERS)),
    ],
}
