"""sum, mean and var of a 4096×4096 matrix, along each axis and of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.case import Case, Scale, Work, at
from tests.benchmarks.cases.stateless import Function, forward
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import uniform

SIZE = 4096
_AXES: dict[str, int | None] = {"axis 0": 0, "axis 1": 1, "all": None}
_TARGETS = {"sum": 1.1, "mean": 1.1, "var": 1.5}


def _matrix(scale: Scale) -> list[np.ndarray]:
    size = at(scale, SIZE, 48)
    return [uniform(size, size)]


def _reduction(name: str, axis: int | None) -> Function:
    def reduce(framework: Framework, x: Any) -> Any:
        method: Callable[..., Any] = getattr(x, name)
        return method() if axis is None else method(axis)

    return reduce


def _jax_reduction(name: str, axis: int | None) -> Function:
    def reduce(framework: Framework, x: Any) -> Any:
        return x.var(axis, ddof=1) if name == "var" else getattr(x, name)(axis)

    return reduce


def _case(name: str, axis_title: str) -> Case:
    axis = _AXES[axis_title]
    return Case(
        f"{name}_{axis_title.replace(' ', '_')}",
        f"{name}, {axis_title}, 4096×4096",
        forward(_reduction(name, axis), _matrix, _jax_reduction(name, axis)),
        Work(bytes=4 * SIZE * SIZE),
        target=_TARGETS[name],
    )


CASES = [_case(name, axis_title) for name in _TARGETS for axis_title in _AXES]
