"""Forward passes of one input at a time, where what surrounds the arithmetic counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.benchmarks.case import LAZYGRAD, Case, Contender, Prepare, Program, Scale, compiled, contenders
from tests.benchmarks.cases import jax_layers, jax_models, models, work
from tests.benchmarks.cases.training import MLP_WIDTHS, gpt_characters, gpt_sizes, gpt_work, mlp_widths
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import normal

Inputs = Callable[[Scale], np.ndarray]


def _forward(model: Callable[[Framework, Scale], Any], inputs: Inputs) -> Prepare:
    def prepare(framework: Framework, scale: Scale) -> Program:
        made = model(framework, scale).eval()

        def run(inputs: Any) -> Sequence[Any]:
            with framework.lib.no_grad():
                return (made(inputs),)

        return Program(run, [framework.tensor(inputs(scale))])

    return prepare


def _jax_forward(model: Callable[[Framework, Scale], jax_layers.Model], inputs: Inputs) -> Prepare:
    def prepare(framework: Framework, scale: Scale) -> Program:
        made = model(framework, scale)
        jitted = framework.jax.jit(lambda parameters, inputs: made(parameters, made.statistics, inputs)[:1])
        return Program(jitted, [made.parameters, framework.tensor(inputs(scale))])

    return prepare


def _field(plain: Prepare, jax: Prepare) -> tuple[Contender, ...]:
    return contenders(plain, jax, Contender(LAZYGRAD, compiled(plain), "compiled"))


def _mlp_input(scale: Scale) -> np.ndarray:
    return normal(1, mlp_widths(scale)[0])


def _gpt_input(scale: Scale) -> np.ndarray:
    return gpt_characters(scale, batch=1)


CASES = [
    Case(
        "mlp_inference",
        "MLP 784-512-256-10 forward, batch 1",
        _field(
            _forward(lambda framework, scale: models.mlp(framework, mlp_widths(scale)), _mlp_input),
            _jax_forward(lambda framework, scale: jax_models.MLP(framework, mlp_widths(scale)), _mlp_input),
        ),
        work.mlp(1, MLP_WIDTHS).inference(),
        target=1.2,
    ),
    Case(
        "gpt_inference",
        "GPT of 4 blocks, width 128, forward, batch 1 of 64 characters",
        _field(
            _forward(lambda framework, scale: models.gpt(framework, **gpt_sizes(scale)), _gpt_input),
            _jax_forward(lambda framework, scale: jax_models.GPT(framework, **gpt_sizes(scale)), _gpt_input),
        ),
        gpt_work(1).inference(),
        target=1.2,
    ),
]
