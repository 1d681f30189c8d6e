"""A few lines of a PyTorch user's program for each name that PyTorch's database of operations does not describe.

A scenario is a function of the framework; what it returns must be equal on torch and lazygrad.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Scenario = Callable[[Any], Any]

SCENARIOS: list[tuple[tuple[str, ...], Scenario]] = []


def covers(*names: str) -> Callable[[Scenario], Scenario]:
    """Register a scenario that shows ``names``, each as `getattr` finds it from the package: `Tensor.numel`."""

    def register(scenario: Scenario) -> Scenario:
        SCENARIOS.append((tuple(name for group in names for name in group.split()), scenario))
        return scenario

    return register
