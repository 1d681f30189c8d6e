"""Chains of elementwise operations on 4M float32, where the only cost should be memory."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np

from tests.benchmarks.case import Case, Program, Scale, Work, at, compiled, contenders
from tests.benchmarks.cases.stateless import forward
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import normal

ELEMENTS = 4 * 1024 * 1024
CHAIN_64M_ELEMENTS = 64 * 1024 * 1024
COLUMNS = 1024
_READ_AND_WRITTEN = Work(bytes=2 * 4 * ELEMENTS)


def gelu(framework: Framework, x: Any) -> Any:
    """The tanh form, written out."""
    return 0.5 * x * (1 + framework.lib.tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x)))


def chain(framework: Framework, x: Any) -> Any:
    """Twelve cheap operations, one after the other."""
    lib = framework.lib
    y = lib.abs(x * 1.5 + 0.25) * x - 0.5
    y = lib.maximum(y * y + x, x * 0.125)
    return (y - x) * 0.75 + 1.0


def bias_relu(framework: Framework, x: Any, bias: Any) -> Any:
    return framework.lib.maximum(x + bias, framework.lib.zeros_like(bias))


def _vector(scale: Scale) -> list[np.ndarray]:
    return [normal(at(scale, ELEMENTS, 4096))]


def _matrix_and_bias(scale: Scale) -> list[np.ndarray]:
    rows, columns = at(scale, (ELEMENTS // COLUMNS, COLUMNS), (16, 32))
    return [normal(rows, columns), normal(columns, seed=1)]


def _chain_in_shared_memory(framework: Framework, scale: Scale) -> Program:
    x = framework.shared(normal(at(scale, CHAIN_64M_ELEMENTS, 4096)))
    return Program(lambda x: (chain(framework, x),), [x])


CASES = [
    Case("gelu", "tanh GELU written out, 4M", forward(gelu, _vector), _READ_AND_WRITTEN, target=1.4),
    Case("chain", "chain of 12 operations, 4M", forward(chain, _vector), _READ_AND_WRITTEN, target=1.0),
    Case("bias_relu", "bias and ReLU, 4096×1024", forward(bias_relu, _matrix_and_bias), _READ_AND_WRITTEN, target=1.0),
]

CHAIN_64M = Case(
    "chain_64m", "chain of 12 operations, 64M", contenders(_chain_in_shared_memory, compiled(_chain_in_shared_memory))
)
"""For its memory only."""
