"""An optimizer's update of many parameters, by itself."""

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


def _steps_of(name: str, **options: Any) -> Prepare:
    def prepare(framework: Framework, scale: Scale) -> Program:
        arrays, gradients = _parameters_and_gradients(scale)
        parameters = [framework.nn.Parameter(framework.tensor(array)) for array in arrays]
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = framework.tensor(gradient)
        optimizer = getattr(framework.optim, name)(parameters, **options)

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


# Arrays of a parameter's size that each reads and writes, beside the gradient that it reads.
_KEPT = {
    "Adagrad": 4,
    "RMSprop": 4,
    "Adadelta": 6,
    "Adamax": 6,
    "NAdam": 6,
    "RAdam": 6,
    "ASGD": 4,
    "Rprop": 6,
    "Adafactor": 4,
}


def _beside_torch(name: str, arrays: int) -> Case:
    """An optimizer's step beside torch's loop over parameters and its lists of tensors, and its fused form if any."""
    torchs = ["foreach", "fused"] if name == "Adagrad" else ["foreach"]
    return Case(
        name.lower(),
        f"{name} step of 100 tensors of 100,000",
        (
            Contender(LAZYGRAD, _steps_of(name)),
            Contender(LAZYGRAD, compiled(_steps_of(name)), "compiled"),
            Contender("eager", _steps_of(name)),
            *(Contender("eager", _steps_of(name, **{form: True}), form) for form in torchs),
        ),
        Work(bytes=4 * (arrays + 1) * TENSORS * ELEMENTS),
        target=1.0,
        checked_calls=3,
    )


CASES = [
    Case(
        "adam",
        "Adam step of 100 tensors of 100,000",
        contenders(
            _steps_of("Adam"),
            _jax_adam,
            Contender(LAZYGRAD, compiled(_steps_of("Adam")), "compiled"),
            Contender("eager", _steps_of("Adam", foreach=True), "foreach"),
            Contender("eager", _steps_of("Adam", fused=True), "fused"),
        ),
        Work(bytes=4 * _ADAM_ARRAYS * TENSORS * ELEMENTS),
        target=1.3,
        checked_calls=3,
    ),
    *(_beside_torch(name, arrays) for name, arrays in _KEPT.items()),
]
