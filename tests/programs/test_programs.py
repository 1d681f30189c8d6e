"""Programs in PyTorch's words: lazygrad yields PyTorch's numbers, what it planned serves on, memory stays flat.

How long their steps take, ``python -m tests.benchmarks programs`` measures.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pytest

import lazygrad
from lazygrad.host.buffer import Buffer
from lazygrad.ir.node import Node
from lazygrad.runtime.realize import cache

from .expectations import EXCEPTIONS, expected
from .loading import NAMES, load, steps

ALLOWED_GROWTH = 1.1
ALLOWED_BYTES = 1 << 15  # a batch or two that the program itself holds at one step and not at another
ALLOWED_NODES = 100


@dataclass(frozen=True)
class Live:
    """What is alive: bytes of values, and nodes, in pending graphs and in plans."""

    bytes: int
    nodes: int


def live() -> Live:
    gc.collect()
    objects = gc.get_objects()
    arrays = [_whole(thing.array) for thing in objects if type(thing) is Buffer and thing.array is not None]
    nodes = sum(type(thing) is Node for thing in objects)
    return Live(sum({id(array): array.nbytes for array in arrays}.values()), nodes)


def _whole(array: np.ndarray) -> np.ndarray:
    """The memory that ``array`` may be a part of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


@pytest.mark.parametrize("name", NAMES)
def test_program(name: str, torch: Any) -> None:
    want = expected(name)
    half = want.steps // 2
    reference = list(islice(steps(name, torch.__name__), want.steps))

    cache.clear()
    run = steps(name, lazygrad.__name__)
    seen = list(islice(run, half))
    live_before, misses_before = live(), cache.misses
    seen += islice(run, want.steps - half)
    misses, live_after = cache.misses - misses_before, live()

    np.testing.assert_allclose(np.concatenate(seen), np.concatenate(reference), rtol=want.tolerance, atol=1e-5)
    assert misses <= want.misses, lazygrad.explain_cache_miss()
    assert live_after.bytes <= ALLOWED_GROWTH * live_before.bytes + ALLOWED_BYTES
    if not want.misses:
        assert live_after.nodes <= ALLOWED_GROWTH * live_before.nodes + ALLOWED_NODES


def test_exceptions_name_programs() -> None:
    assert set(EXCEPTIONS) <= set(NAMES)


def test_one_source_runs_on_either_framework(torch: Any) -> None:
    ours, theirs = (load("gans/dcgan", framework) for framework in ("lazygrad", "torch"))
    assert ours.torch is lazygrad and theirs.torch is torch
    assert ours.nn is lazygrad.nn and theirs.nn is torch.nn
    assert ours.DataLoader is lazygrad.utils.data.DataLoader and theirs.DataLoader is torch.utils.data.DataLoader
    assert ours.__file__ == theirs.__file__
