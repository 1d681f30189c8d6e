"""Graphs of many small nodes: what recording and planning cost. Only lazygrad has these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.benchmarks.case import LAZYGRAD, Case, Contender, Prepare, Program, Scale
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import normal

NODES_PER_LAYER = 3
LAYERS = (10, 30, 100, 300, 1000, 3000)
RECORDED_OPERATIONS = 900
_WIDTH = 4


def _layers(framework: Framework, x: Any, weight: Any, layers: int) -> Any:
    for _ in range(layers):
        x = (x @ weight).tanh() + x
    return x


def _planned(layers: int) -> Prepare:
    """A graph that was never seen; a small one before it loads what planning needs."""

    def prepare(framework: Framework, scale: Scale) -> Program:
        x, weight = framework.tensor(normal(_WIDTH, _WIDTH)), framework.tensor(0.1 * normal(_WIDTH, _WIDTH, seed=1))
        framework.wait([_layers(framework, x, weight, 2)])
        return Program(lambda x, weight: (_layers(framework, x, weight, layers),), [x, weight])

    return prepare


def _recorded(framework: Framework, scale: Scale) -> Program:
    """Additions, products and activations that nobody asks for."""

    def record(x: Any, y: Any) -> Sequence[Any]:
        for _ in range(RECORDED_OPERATIONS // 3):
            x = (x * y).tanh() + y
        return ()

    return Program(record, [framework.lib.ones(_WIDTH, _WIDTH), framework.lib.ones(_WIDTH, _WIDTH)])


PLANNING = {
    layers: Case(f"layers_{layers}", f"{layers} layers of 3 nodes", (Contender(LAZYGRAD, _planned(layers)),))
    for layers in LAYERS
}
RECORDING = Case("record", "recording operations", (Contender(LAZYGRAD, _recorded),))
