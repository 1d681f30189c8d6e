"""Training in plain jax.numpy: optimizers with torch's formulas, and the jitted step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from tests.benchmarks.case import Program
from tests.benchmarks.frameworks import Framework


class AdamState(NamedTuple):
    """Parameters and what Adam knows of them, each a tree of equal structure; ``steps`` counts the updates."""

    parameters: Any
    means: Any
    squares: Any
    steps: Any


class Optimizer(Protocol):
    def initial(self, parameters: Any) -> Any: ...
    def update(self, state: Any, gradients: Any) -> Any: ...


class Adam:
    """Kingma and Ba, 2014; with ``weight_decay`` AdamW of Loshchilov and Hutter, 2017."""

    def __init__(self, framework: Framework, learning_rate: float, weight_decay: float = 0.0) -> None:
        self.tree_map, self.lib = framework.jax.tree.map, framework.lib
        self.learning_rate, self.weight_decay = learning_rate, weight_decay

    def initial(self, parameters: Any) -> AdamState:
        zeros = self.tree_map(self.lib.zeros_like, parameters)
        return AdamState(parameters, zeros, self.tree_map(self.lib.zeros_like, parameters), self.lib.zeros(()))

    def update(self, state: AdamState, gradients: Any, beta1: float = 0.9, beta2: float = 0.999) -> AdamState:
        steps = state.steps + 1
        step_size = self.learning_rate / (1 - beta1**steps)
        root_correction = self.lib.sqrt(1 - beta2**steps)
        means = self.tree_map(lambda m, g: beta1 * m + (1 - beta1) * g, state.means, gradients)
        squares = self.tree_map(lambda v, g: beta2 * v + (1 - beta2) * g * g, state.squares, gradients)

        def updated(parameter: Any, mean: Any, square: Any) -> Any:
            decayed = parameter * (1 - self.learning_rate * self.weight_decay)
            return decayed - step_size * mean / (self.lib.sqrt(square) / root_correction + 1e-8)

        parameters = self.tree_map(updated, state.parameters, means, squares)
        return AdamState(parameters, means, squares, steps)


class SGDState(NamedTuple):
    parameters: Any


class SGD:
    """Gradient descent without momentum."""

    def __init__(self, framework: Framework, learning_rate: float) -> None:
        self.tree_map, self.learning_rate = framework.jax.tree.map, learning_rate

    def initial(self, parameters: Any) -> SGDState:
        return SGDState(parameters)

    def update(self, state: SGDState, gradients: Any) -> SGDState:
        return SGDState(self.tree_map(lambda p, g: p - self.learning_rate * g, state.parameters, gradients))


def training_program(
    framework: Framework,
    loss: Callable[[Any, Any, Any, Any], tuple[Any, Any]],
    parameters: Any,
    statistics: Any,
    optimizer: Optimizer,
    batch: Sequence[Any],
) -> Program:
    """One jitted function for the whole step, whose old state is donated to the new one.

    Args:
        framework: JAX.
        loss: ``loss(parameters, statistics, inputs, targets)`` returns the loss and new statistics.
        parameters: a tree of arrays.
        statistics: running means and variances of batch normalization, or an empty tree.
        optimizer: `Adam` or `SGD`.
        batch: inputs and targets.
    """
    jax = framework.jax

    def step(state: Any, statistics: Any, inputs: Any, targets: Any) -> tuple[Any, Any, Any]:
        differentiated = jax.value_and_grad(loss, has_aux=True)
        (value, statistics), gradients = differentiated(state.parameters, statistics, inputs, targets)
        return optimizer.update(state, gradients), statistics, value

    jitted = jax.jit(step, donate_argnums=(0, 1))
    state = optimizer.initial(parameters)

    def run(inputs: Any, targets: Any) -> Sequence[Any]:
        nonlocal state, statistics
        state, statistics, value = jitted(state, statistics, inputs, targets)
        return (value,)

    return Program(run, batch)
