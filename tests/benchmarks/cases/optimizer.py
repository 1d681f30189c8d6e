"""Adam's update of many parameters, by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.benchmarks.case import LAZYGRAD, Case, Contender, Prepare, Program, Scale, Work, at, compiled, contenders
from tests.benchmarks.cases.jax_training import Adam
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import normal

TENSORS, ELEMENTS = 100, 100_000
_ADAM_ARRAYS = 7
"""Parameter and two moments are read and written, the gradient is read."""


def _parameters_and_gradients(scale: Scale) -> tuple[list[np.ndarray], list[np.ndarray]]:
    tensors, elements = at(scale, (TENSORS, ELEMENTS), (3, 40))
    parameters = [normal(elements, seed=index) for index in range(tensors)]
    return parameters, [normal(elements, seed=tensors + index) for index in range(tensors)]


def _adam(**options: bool) -> Prepare:
    def prepare(framework: Framework, scale: Scale) -> Program:
        arrays, gradients = _parameters_and_gradients(scale)
        parameters = [framework.nn.Parameter(framework.tensor(array)) for array in arrays]
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = framework.tensor(gradient)
        optimizer = framework.optim.Adam(parameters, **options)

        def step() -> Sequence[Any]:
            optimizer.step()
            return parameters[0], parameters[-1]

        return Program(step)

    return prepare


def _jax_adam(framework: Framework, scale: Scale) -> Program:
    arrays, gradient_arrays = _parameters_and_gradients(scale)
    adam = Adam(framework, learning_rate=1e-3)
    state = adam.initial([framework.tensor(array) for array in arrays])
    gradients = [framework.tensor(gradient) for gradient in gradient_arrays]
    update = framework.jax.jit(adam.update, donate_argnums=0)

    def step() -> Sequence[Any]:
        nonlocal state
        state = update(state, gradients)
        return state.parameters[0], state.parameters[-1]

    return Program(step)


CASES = [
    Case(
        "adam",
        "Adam step of 100 tensors of 100,000",
        contenders(
            _adam(),
            _jax_adam,
            Contender(LAZYGRAD, compiled(_adam()), "compiled"),
            Contender("eager", _adam(foreach=True), "foreach"),
            Contender("eager", _adam(fused=True), "fused"),
        ),
        Work(bytes=4 * _ADAM_ARRAYS * TENSORS * ELEMENTS),
        target=1.3,
        checked_calls=3,
    )
]
