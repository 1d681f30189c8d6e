"""Contenders for one function of some arrays, forward or with its gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.benchmarks.case import Contender, Prepare, Program, Scale, compiled, contenders
from tests.benchmarks.frameworks import Framework

Function = Callable[..., Any]
"""``function(framework, *tensors)`` returns one tensor."""

Inputs = Callable[[Scale], Sequence[np.ndarray]]


def forward(function: Function, inputs: Inputs, jax_function: Function | None = None) -> tuple[Contender, ...]:
    """The function's output; ``jax_function`` where jax.numpy needs other words than PyTorch."""
    return contenders(forward_program(function, inputs), compiled(forward_program(jax_function or function, inputs)))


def forward_and_backward(
    function: Function, inputs: Inputs, jax_function: Function | None = None
) -> tuple[Contender, ...]:
    """The output and the gradients of all inputs but the last, which is the output's cotangent."""
    return contenders(gradient_program(function, inputs), compiled(gradient_program(jax_function or function, inputs)))


def forward_program(function: Function, inputs: Inputs) -> Prepare:
    def prepare(framework: Framework, scale: Scale) -> Program:
        tensors = [framework.tensor(array) for array in inputs(scale)]
        return Program(lambda *tensors: (function(framework, *tensors),), tensors)

    return prepare


def gradient_program(function: Function, inputs: Inputs) -> Prepare:
    def prepare(framework: Framework, scale: Scale) -> Program:
        *arrays, cotangent = inputs(scale)

        def run(cotangent: Any, *variables: Any) -> Sequence[Any]:
            return framework.output_and_gradients(lambda *tensors: function(framework, *tensors), variables, cotangent)

        return Program(run, [framework.tensor(cotangent), *(framework.variable(array) for array in arrays)])

    return prepare
