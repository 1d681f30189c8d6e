"""A layer with its inputs, and everything that can be seen of it, in terms that both frameworks share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Draw = Callable[[np.random.Generator], NDArray[Any]]


@dataclass(frozen=True)
class Input:
    """How an input is drawn, and whether its gradient is asked for."""

    draw: Draw
    differentiable: bool


def normal(*shape: int, differentiable: bool = True) -> Input:
    return Input(lambda generator: generator.standard_normal(shape).astype("float32"), differentiable)


def uniform(*shape: int, differentiable: bool = True) -> Input:
    """Numbers between 0.05 and 0.95."""
    return Input(lambda generator: (0.05 + 0.9 * generator.random(shape)).astype("float32"), differentiable)


def classes(count: int, *shape: int, lowest: int = 0) -> Input:
    return Input(lambda generator: np.asarray(generator.integers(lowest, count, shape)), False)


def distinct(*shape: int) -> Input:
    """Numbers of which no two are equal, so that a maximum is where it is whatever rounds."""
    size = int(np.prod(shape))
    return Input(lambda generator: generator.permutation(size).reshape(shape).astype("float32") / size - 0.4, True)


def signs(*shape: int) -> Input:
    """1 or -1."""
    return Input(lambda generator: (2 * generator.integers(0, 2, shape) - 1).astype("float32"), False)


def given(values: Any, dtype: str = "int64") -> Input:
    return Input(lambda generator: np.asarray(values, dtype), False)


@dataclass(frozen=True)
class Layer:
    """One way of using a layer.

    Attributes:
        source: The expression that makes it, in terms of ``nn`` (and of the framework, ``t``).
        inputs: What it is called with; several ways of calling it are several layers.
        keywords: What it is called with by name.
    """

    source: str
    inputs: tuple[Input, ...]
    keywords: tuple[tuple[str, Any], ...] = ()

    def made(self, t: Any) -> Any:
        t.manual_seed(1)
        return eval(self.source, {"nn": t.nn, "t": t})


def layer(source: str, *inputs: Input, **keywords: Any) -> Layer:
    return Layer(source, inputs, tuple(keywords.items()))


def inputs_of(layer: Layer, t: Any) -> list[Any]:
    generator = np.random.default_rng(0)
    arrays = [(each.draw(generator), each.differentiable) for each in layer.inputs]
    return [t.tensor(array, requires_grad=differentiable) for array, differentiable in arrays]


def facts(layer: Layer, t: Any) -> dict[str, Any]:
    """What a layer is before it computes anything."""
    module = layer.made(t)
    state = module.state_dict()
    parameters = {name: parameter.requires_grad for name, parameter in module.named_parameters()}
    versions = {name: dict(each) for name, each in state._metadata.items()}
    return {"repr": repr(module), "state": dict(state), "parameters": parameters, "versions": versions}


def computed(layer: Layer, t: Any, training: bool) -> dict[str, Any]:
    """Outputs and gradients of a layer, and its state afterwards."""
    module = layer.made(t).train(training)
    inputs = inputs_of(layer, t)
    result = module(*inputs, **dict(layer.keywords))
    outputs = result if isinstance(result, tuple) else (result,)
    weights = np.random.default_rng(1)
    total: Any = 0
    for output in outputs:
        if output.requires_grad:
            factors = weights.standard_normal(tuple(output.shape)).astype("float32")
            total = total + (output * t.tensor(factors)).sum()
    if not isinstance(total, int):
        total.backward()
    gradients = {name: parameter.grad for name, parameter in module.named_parameters()}
    return {
        "outputs": outputs,
        "input gradients": [each.grad for each in inputs],
        "gradients": gradients,
        "state": dict(module.state_dict()),
    }
