"""A training step, optimizer included, as every contender does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.case import LAZYGRAD, Contender, Prepare, Program, Scale, at, compiled, contenders
from tests.benchmarks.cases import jax_layers
from tests.benchmarks.cases.jax_training import SGD, Adam, Optimizer, training_program
from tests.benchmarks.cases.losses import JAX_LOSSES, LOSSES
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.layouts import channels_last


def learning_rate(scale: Scale) -> float:
    """Small where it is timed, since thousands of steps on one batch must not end in dead units and denormal numbers;
    in tests large enough for a wrong update to show."""
    return at(scale, 1e-4, 1e-2)


WEIGHT_DECAY = 1e-2


class Training(NamedTuple):
    """A training step in the words of all frameworks.

    Attributes:
        model: ``model(framework, scale)`` for torch and lazygrad.
        jax_model: the same for JAX.
        batch: inputs and targets in torch's layout.
        loss: name of the function in `losses`.
        optimizer: torch's name of it.
        images: the inputs are images, which JAX is given with channels last.
    """

    model: Callable[[Framework, Scale], Any]
    jax_model: Callable[[Framework, Scale], jax_layers.Model]
    batch: Callable[[Scale], tuple[np.ndarray, np.ndarray]]
    loss: str = "cross_entropy"
    optimizer: str = "Adam"
    images: bool = False

    def program(self, **options: Any) -> Prepare:
        """For torch and lazygrad; ``options`` go to the optimizer."""

        def prepare(framework: Framework, scale: Scale) -> Program:
            model = self.model(framework, scale)
            parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
            optimizer = getattr(framework.optim, self.optimizer)(parameters, lr=learning_rate(scale), **options)
            loss_function = LOSSES[self.loss]

            def step(inputs: Any, targets: Any) -> Sequence[Any]:
                optimizer.zero_grad()
                loss = loss_function(framework, model(inputs), targets)
                loss.backward()
                optimizer.step()
                return (loss.detach(),)

            return Program(step, [framework.tensor(array) for array in self.batch(scale)])

        return prepare

    def jax_program(self, framework: Framework, scale: Scale) -> Program:
        model = self.jax_model(framework, scale)
        inputs, targets = self.batch(scale)
        batch = [channels_last(array) if self.images and array.ndim == 4 else array for array in (inputs, targets)]
        loss_function = JAX_LOSSES[self.loss]

        def loss(parameters: Any, statistics: Any, inputs: Any, targets: Any) -> tuple[Any, Any]:
            outputs, statistics = model(parameters, statistics, inputs)
            return loss_function(framework, outputs, targets), statistics

        optimizers: dict[str, Optimizer] = {
            "Adam": Adam(framework, learning_rate(scale)),
            "AdamW": Adam(framework, learning_rate(scale), WEIGHT_DECAY),
            "SGD": SGD(framework, learning_rate(scale)),
        }
        optimizer = optimizers[self.optimizer]
        tensors = [framework.tensor(array) for array in batch]
        return training_program(framework, loss, model.parameters, model.statistics, optimizer, tensors)

    def contenders(self, *others: Contender) -> tuple[Contender, ...]:
        """The usual field, lazygrad compiled by the user, and torch with its fused optimizer."""
        plain = self.program()
        return contenders(
            plain,
            self.jax_program,
            Contender(LAZYGRAD, compiled(plain), "compiled"),
            Contender("eager", self.program(fused=True), "fused optimizer"),
            *others,
        )
