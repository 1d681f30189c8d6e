"""Random interleavings of operations on tensors and of writes by numpy to their memory, against torch."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import Closeness, difference, outcome_of
from tests.selection import share

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
pytestmark = pytest.mark.host_memory("numpy is shown the memory of tensors")

_STEPS = 25
_SHAPE = (3, 4)

Act = Callable[["_Run", int, int, float], None]


class _Run:
    """One program in one library: arrays, tensors over them, results that are read at the end, and a weight."""

    def __init__(self, library: Any) -> None:
        self.library = library
        self.arrays = [np.arange(12.0).reshape(_SHAPE) / 4, np.ones(_SHAPE)]
        self.tensors = [library.from_numpy(array) for array in self.arrays]
        self.tensors.append(library.zeros(*_SHAPE, dtype=library.float64))
        self.weight = library.full(_SHAPE, 0.5, dtype=library.float64, requires_grad=True)
        self.optimizer = library.optim.SGD([self.weight], lr=0.01, momentum=0.5)
        self.results: list[Any] = []

    def found(self) -> list[np.ndarray]:
        gradient = [] if self.weight.grad is None else [self.weight.grad]
        return [
            np.array(each.tolist()) for each in [*self.results, *self.tensors, *self.arrays, self.weight, *gradient]
        ]


def _numpy_writes(run: _Run, i: int, j: int, number: float) -> None:
    run.arrays[i % len(run.arrays)][j % 3, i % 4] = number


def _numpy_fills(run: _Run, i: int, j: int, number: float) -> None:
    run.arrays[i % len(run.arrays)][:] = number


def _numpy_looks(run: _Run, i: int, j: int, number: float) -> None:
    run.arrays.append(run.tensors[i % len(run.tensors)].numpy())


def _numpy_looks_at_the_weight(run: _Run, i: int, j: int, number: float) -> None:
    run.arrays.append(run.weight.detach().numpy())


def _array_is_dropped(run: _Run, i: int, j: int, number: float) -> None:
    if len(run.arrays) > 1:
        del run.arrays[i % len(run.arrays)]


def _tensor_over_an_array(run: _Run, i: int, j: int, number: float) -> None:
    run.tensors.append(run.library.from_numpy(run.arrays[i % len(run.arrays)]))


def _tensor_is_written(run: _Run, i: int, j: int, number: float) -> None:
    tensor = run.tensors[i % len(run.tensors)]
    if j % 3 == 0:
        tensor.mul_(number)
    elif j % 3 == 1:
        tensor[j % 3, 1:] = number
    else:
        tensor[:, j % 4].add_(number)


def _elementwise(run: _Run, i: int, j: int, number: float) -> None:
    run.results.append(run.tensors[i % len(run.tensors)] * run.tensors[j % len(run.tensors)] + number)


def _view(run: _Run, i: int, j: int, number: float) -> None:
    tensor = run.tensors[i % len(run.tensors)]
    part = [tensor[j % 3], tensor[:, j % 4], tensor.t(), tensor[::2, 1:3], tensor.view(2, 6)][j % 5]
    run.results.append(part * number)


def _gathers(run: _Run, i: int, j: int, number: float) -> None:
    places = run.library.tensor([j % 3, i % 3])
    run.results.append(run.tensors[i % len(run.tensors)][places])


def _reduces(run: _Run, i: int, j: int, number: float) -> None:
    run.results.append(run.tensors[i % len(run.tensors)].sum(j % 2))


def _copies(run: _Run, i: int, j: int, number: float) -> None:
    source, target = run.tensors[i % len(run.tensors)], run.tensors[j % len(run.tensors)]
    run.results.append(source.clone())
    if source is not target:
        target.copy_(source)


def _reads(run: _Run, i: int, j: int, number: float) -> None:
    if run.results:
        run.results[i % len(run.results)].sum().item()


def _trains(run: _Run, i: int, j: int, number: float) -> None:
    loss = (run.weight * run.tensors[i % len(run.tensors)]).sum() + (run.weight * run.weight).mean()
    loss.backward()
    run.results.append(loss.detach())


def _steps(run: _Run, i: int, j: int, number: float) -> None:
    run.optimizer.step()
    if j % 2:
        run.optimizer.zero_grad()


_ACTS: list[Act] = [
    _numpy_writes, _numpy_writes, _numpy_fills, _numpy_looks, _numpy_looks_at_the_weight, _array_is_dropped,
    _tensor_over_an_array, _tensor_is_written, _elementwise, _view, _gathers, _reduces, _copies, _reads, _trains,
    _steps,
]  # fmt: skip


@pytest.mark.deeper
@pytest.mark.parametrize("part", range(5))
def test_results_are_those_of_what_was_there_when_they_were_recorded(part: int) -> None:
    for seed in range(part, share(150), 5):
        chosen = random.Random(seed)
        program = [
            (chosen.choice(_ACTS), chosen.randrange(60), chosen.randrange(60), chosen.randrange(-4, 5) / 2)
            for _ in range(_STEPS)
        ]
        ours, theirs = _Run(lg), _Run(torch)
        for act, i, j, number in program:
            for run in (ours, theirs):
                act(run, i, j, number)
        listing = f"seed {seed}: " + ", ".join(f"{act.__name__}({i}, {j}, {number})" for act, i, j, number in program)
        closeness = Closeness(floor=0.0, numbers=1e-9)
        wrong = difference(outcome_of(theirs.found()), outcome_of(ours.found()), closeness)
        assert wrong is None, f"{wrong}; {listing}"
