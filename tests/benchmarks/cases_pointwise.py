"""Memory-bound work: a written-out GELU, softmax, layer norm."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any

import numpy as np

from lazygrad import Tensor, unfused
from tests.benchmarks.contenders import as_arrays, both
from tests.benchmarks.harness import Case, Contender, Run
from tests.learning.framework import LAZYGRAD, Framework

ROWS, COLUMNS = 4096, 1024


def _normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


def gelu(x: Any, tanh: Callable[[Any], Any], each: Callable[[Any], Any] = lambda value: value) -> Any:
    """The tanh form, written out in nine operations; ``each`` sees every intermediate value."""
    cube = each(each(x * x) * x)
    inner = each(sqrt(2 / pi) * each(x + each(0.044715 * cube)))
    return each(each(0.5 * x) * each(1 + each(tanh(inner))))


def _gelu_contenders() -> list[Contender]:
    values = _normal(4 * 1024 * 1024)
    x = LAZYGRAD.lib.tensor(values)

    def without_fusion() -> list[np.ndarray]:
        with unfused():
            return as_arrays(LAZYGRAD, gelu(x, Tensor.tanh))

    def written_out(framework: Framework) -> Run:
        given = framework.lib.tensor(values)
        return lambda: as_arrays(framework, gelu(given, framework.lib.tanh))

    ours, *peers = both(written_out)
    return [
        ours,
        Contender("lazygrad, unfused plan", without_fusion),
        Contender("lazygrad, op by op", lambda: as_arrays(LAZYGRAD, gelu(x, Tensor.tanh, Tensor.realize))),
        *peers,
        Contender("numpy", lambda: [gelu(values, np.tanh)]),
    ]


Function = Callable[[Framework, list[Any]], Any]


def _softmax(framework: Framework, tensors: list[Any]) -> Any:
    return framework.nn.functional.softmax(tensors[0], dim=-1)


def _layer_norm(framework: Framework, tensors: list[Any]) -> Any:
    x, weight, bias = tensors
    return framework.nn.functional.layer_norm(x, (COLUMNS,), weight, bias)


def _forward(function: Function, arrays: list[np.ndarray]) -> Callable[[], list[Contender]]:
    def make(framework: Framework) -> Run:
        tensors = [framework.lib.tensor(array) for array in arrays]
        return lambda: as_arrays(framework, function(framework, tensors))

    return lambda: both(make)


def _with_backward(function: Function, arrays: list[np.ndarray]) -> Callable[[], list[Contender]]:
    cotangent = _normal(ROWS, COLUMNS)[::-1].copy()

    def make(framework: Framework) -> Run:
        tensors = [framework.lib.tensor(array, requires_grad=True) for array in arrays]
        weight = framework.lib.tensor(cotangent)

        def run() -> list[np.ndarray]:
            output = function(framework, tensors)
            gradients = framework.lib.autograd.grad(output, tensors, weight)
            return as_arrays(framework, output, *gradients)

        return run

    return lambda: both(make)


_ROWS_ONLY = [_normal(ROWS, COLUMNS)]
_ROWS_AND_AFFINE = [_normal(ROWS, COLUMNS), _normal(COLUMNS), _normal(COLUMNS)]

CASES = [
    Case("gelu", "GELU written out, 4M f32", _gelu_contenders),
    Case("softmax", "softmax forward, 4096×1024 f32", _forward(_softmax, _ROWS_ONLY)),
    Case("softmax_backward", "softmax with backward", _with_backward(_softmax, _ROWS_ONLY)),
    Case("layer_norm", "layer_norm forward, 4096×1024 f32", _forward(_layer_norm, _ROWS_AND_AFFINE)),
    Case("layer_norm_backward", "layer_norm with backward", _with_backward(_layer_norm, _ROWS_AND_AFFINE)),
]
