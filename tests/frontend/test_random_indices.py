"""Random mixtures of everything that may stand between square brackets, read and written, with torch as oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.oracle.cases import Case, assert_agrees
from tests.oracle.recipes import floats

pytestmark = pytest.mark.filterwarnings("ignore")

Index = Callable[[Any], Any]
PROGRAMS = 150


def _slice_of(generator: np.random.Generator, size: int) -> slice:
    start, stop = (int(bound) for bound in generator.integers(-size - 1, size + 2, 2))
    return slice(start if generator.random() < 0.7 else None, stop if generator.random() < 0.5 else None,
                 int(generator.integers(1, 4)) if generator.random() < 0.3 else None)  # fmt: skip


def _random_index(generator: np.random.Generator, shape: tuple[int, ...]) -> tuple[Index, bool]:
    """An index of a tensor of ``shape`` as a function of the framework, and whether it names an element twice."""
    items: list[Index] = []
    common = tuple(int(size) for size in generator.integers(1, 4, generator.integers(1, 3)))
    repeats, axis, ellipsis = False, 0, False
    while axis < len(shape) and generator.random() < 0.9:
        size, kind = shape[axis], str(generator.choice(["int", "slice", "array", "mask", "none", "...", "all"]))
        if kind == "int":
            position = int(generator.integers(-size, size))
            items.append(lambda t, position=position: position)
        elif kind == "slice":
            part = _slice_of(generator, size)
            items.append(lambda t, part=part: part)
        elif kind == "array":
            # Sizes of 1 broadcast; values may repeat, so that what a write leaves there is open.
            dims = tuple(size if generator.random() < 0.8 else 1 for size in common)
            values = generator.integers(-size, size, dims)
            items.append(lambda t, values=values: t.tensor(values))
            repeats = True
        elif kind == "mask":
            chosen = np.zeros(size, bool)
            chosen[generator.integers(0, size, 1)] = True  # one true element broadcasts with any other index
            items.append(lambda t, chosen=chosen: t.tensor(chosen))
        elif kind == "none":
            items.append(lambda t: None)
            continue
        elif kind == "..." and not ellipsis:
            ellipsis = True
            items.append(lambda t: ...)
            break
        else:
            items.append(lambda t: slice(None))
        axis += 1
    return lambda t: tuple(item(t) for item in items), repeats


def _cases() -> list[Case]:
    generator, cases = np.random.default_rng(20), []
    for number in range(PROGRAMS):
        shape = tuple(int(size) for size in generator.integers(1, 5, generator.integers(1, 5)))
        index, repeats = _random_index(generator, shape)
        cases.append(Case(f"program {number}", _program(index, repeats), (floats(*shape), floats())))
    return cases


def _program(index: Index, repeats: bool) -> Callable[..., Any]:
    def function(t: Any, x: Any, y: Any) -> list[Any]:
        read, filled, increased, viewed = x[index(t)], x * 1, x * 1, (x * 2).permute(*reversed(range(x.dim())))
        filled[index(t)] = y
        viewed.permute(*reversed(range(x.dim())))[index(t)] = 3.25
        results = [read, filled, viewed]
        if not repeats:
            increased[index(t)] += x[index(t)] * y
            results.append(increased)
        return results

    return function


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case.name)
def test_agrees_with_torch(case: Case, torch: Any, candidate: Any) -> None:
    """What is read, what a write leaves behind, and the gradients of both are torch's."""
    assert_agrees(case, torch, candidate)
