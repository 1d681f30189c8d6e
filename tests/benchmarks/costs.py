"""What laziness itself costs: recording, finding a plan, importing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

import lazygrad as lg
from lazygrad import Tensor, nn, optim
from lazygrad.runtime.realize import plan_for
from lazygrad.runtime.recording import Recording

RECORDED_OPS = 900


@dataclass(frozen=True)
class Cost:
    """One number, smallest and largest of all rounds beside the median; ``budget`` is what the design allows."""

    title: str
    unit: str
    samples: tuple[float, ...]
    budget: float | None = None

    @property
    def median(self) -> float:
        return median(self.samples)


def _record() -> float:
    """Microseconds per recorded operation, over additions, products and activations of small tensors."""
    x, y = lg.ones(4, 4), lg.ones(4, 4)
    start = time.perf_counter()
    for _ in range(RECORDED_OPS // 3):
        x = (x * y).tanh() + y
    return 1e6 * (time.perf_counter() - start) / RECORDED_OPS


class _Step:
    """A training step of an MLP that is recorded and not yet computed."""

    def __init__(self) -> None:
        self.model = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 10))
        self.optimizer = optim.SGD(self.model.parameters(), lr=0.1)
        self.inputs, self.targets = lg.randn(16, 32), lg.zeros(16, dtype=lg.int64)
        self._until_backward()
        self.optimizer.step()

    def _until_backward(self) -> Tensor:
        self.optimizer.zero_grad()
        loss: Tensor = nn.functional.cross_entropy(self.model(self.inputs), self.targets)
        loss.backward()
        return loss

    def planning(self) -> float:
        """Microseconds per recorded node to find the plan of loss and gradients in the cache."""
        loss = self._until_backward()
        gradients: list[Any] = [parameter.grad for parameter in self.model.parameters()]
        roots = [tensor.node() for tensor in (loss, *gradients)]
        plan_for(Recording(roots))
        start = time.perf_counter()
        recording = Recording(roots)
        plan_for(recording)
        return 1e6 * (time.perf_counter() - start) / len(recording.order)


@cache
def _with_bytecode() -> dict[str, str]:
    """An environment in which modules are compiled once, as in any installation, and not at every start."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": tempfile.mkdtemp()}


def _import_seconds(module: str) -> float | None:
    """Seconds that ``import module`` takes in a fresh process; None where it is not installed."""
    program = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    done = subprocess.run([sys.executable, "-c", program], env=_with_bytecode(), capture_output=True, text=True)
    return float(done.stdout) if done.returncode == 0 else None


def costs(rounds: int) -> list[Cost]:
    """All of them, measured in turn."""
    measured: dict[str, tuple[str, Callable[[], float | None], float | None]] = {
        "recording one operation": ("µs", _record, 5.0),
        "finding a cached plan, per recorded node": ("µs", _Step().planning, 3.0),
        "import lazygrad": ("s", lambda: _import_seconds("lazygrad"), 0.25),
        "import torch": ("s", lambda: _import_seconds("torch"), None),
        "import numpy": ("s", lambda: _import_seconds("numpy"), None),
    }
    samples: dict[str, list[float]] = {title: [] for title in measured}
    for _ in range(rounds):
        for title, (_, measure, _) in measured.items():
            value = measure()
            if value is not None:
                samples[title].append(value)
    return [Cost(title, unit, tuple(samples[title]), budget) for title, (unit, _, budget) in measured.items()]
