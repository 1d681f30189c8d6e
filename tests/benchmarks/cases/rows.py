"""Functions of whole rows: softmax, cross-entropy, layer normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.case import Case, Scale, Work, at
from tests.benchmarks.cases.stateless import forward, forward_and_backward
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import integers, normal

ROWS, COLUMNS = 4096, 1024
_MATRIX = 4 * ROWS * COLUMNS
EPSILON = 1e-5


def _softmax(framework: Framework, x: Any) -> Any:
    return framework.lib.softmax(x, dim=-1)


def _jax_softmax(framework: Framework, x: Any) -> Any:
    return framework.jax.nn.softmax(x, axis=-1)


def _log_softmax_nll(framework: Framework, x: Any, targets: Any) -> Any:
    functional = framework.nn.functional
    return functional.nll_loss(functional.log_softmax(x, dim=-1), targets)


def _jax_log_softmax_nll(framework: Framework, x: Any, targets: Any) -> Any:
    logarithms = framework.jax.nn.log_softmax(x, axis=-1)
    return -framework.lib.take_along_axis(logarithms, targets[:, None], axis=1).mean()


def _layer_norm(framework: Framework, x: Any, weight: Any, bias: Any) -> Any:
    return framework.nn.functional.layer_norm(x, weight.shape, weight, bias, EPSILON)


def _jax_layer_norm(framework: Framework, x: Any, weight: Any, bias: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    variance = framework.lib.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * framework.jax.lax.rsqrt(variance + EPSILON) * weight + bias


def _matrix(scale: Scale) -> list[np.ndarray]:
    return [normal(*at(scale, (ROWS, COLUMNS), (32, 24)))]


def _logits_and_targets(scale: Scale) -> list[np.ndarray]:
    (logits,) = _matrix(scale)
    return [logits, integers(logits.shape[1], logits.shape[0])]


def _matrix_and_affine(scale: Scale) -> list[np.ndarray]:
    (x,) = _matrix(scale)
    return [x, normal(x.shape[1], seed=1), normal(x.shape[1], seed=2)]


def _matrix_affine_and_cotangent(scale: Scale) -> list[np.ndarray]:
    x, *affine = _matrix_and_affine(scale)
    return [x, *affine, normal(*x.shape, seed=3)]


CASES = [
    Case(
        "softmax",
        "softmax, 4096×1024",
        forward(_softmax, _matrix, _jax_softmax),
        Work(bytes=2 * _MATRIX),
        target=1.4,
    ),
    Case(
        "log_softmax_nll",
        "log_softmax and nll_loss, 4096×1024",
        forward(_log_softmax_nll, _logits_and_targets, _jax_log_softmax_nll),
        Work(bytes=_MATRIX),
        target=1.4,
    ),
    Case(
        "layer_norm",
        "layer_norm, 4096×1024",
        forward(_layer_norm, _matrix_and_affine, _jax_layer_norm),
        Work(bytes=2 * _MATRIX),
        target=1.4,
    ),
    Case(
        "layer_norm_backward",
        "layer_norm forward and backward, 4096×1024",
        forward_and_backward(_layer_norm, _matrix_affine_and_cotangent, _jax_layer_norm),
        Work(bytes=4 * _MATRIX),
        target=2.0,
        tolerance=3e-4,
    ),
]
