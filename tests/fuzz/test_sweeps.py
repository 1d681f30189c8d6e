"""Calls and kernels at and around the sizes of loops, tiles and blocks find what numpy finds, as C and as CUDA source.

``LAZYGRAD_FUZZ_EXAMPLES`` says how many plans of each kind are compared, and ``LAZYGRAD_FUZZ_SEED`` chooses others.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from lazygrad.runtime.backend_choice import backend
from tests.codegen.c_backend import running_c
from tests.cuda_emulator.build import missing
from tests.cuda_emulator.driver import Order
from tests.fuzz.comparing import assert_same
from tests.fuzz.extents import near, near_tiles
from tests.fuzz.sweeps import KINDS, Source, results
from tests.fuzz.turned import LIMIT, drawn_cases, sixteens, wrong
from tests.fuzz.turned import results as turned
from tests.runtime.toolchains import needs_compiler
from tests.selection import share
from tests.targets.cuda.emulating import emulating

PLANS = int(os.environ.get("LAZYGRAD_FUZZ_EXAMPLES", "0"))
SEED = os.environ.get("LAZYGRAD_FUZZ_SEED", "0")

Kind = Callable[[Source], list[object]]
needs_emulator = pytest.mark.skipif(missing() is not None, reason=str(missing()))
each_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.__name__ for kind in KINDS])


def seeds(plans: int) -> list[str]:
    return [f"{SEED} {number}" for number in range(PLANS or share(plans))]


def assert_numpy_finds(have: list[np.ndarray], compute: Callable[[], list[np.ndarray]], way: str) -> None:
    with backend("numpy"):
        assert_same(have, compute(), way)


def test_extents_are_read_from_the_templates() -> None:
    around = {1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 127, 128, 129}
    assert set(near_tiles(LIMIT)) == around
    assert {1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129} <= set(near(LIMIT))


@needs_compiler
def test_sums_with_transposes_of_sixteen() -> None:
    """A batch of matrices of which one axis is as long as what is turned in registers."""
    cases = sixteens()
    with running_c(threads=2):
        have = turned(cases)
    assert not wrong(cases, have)


@pytest.mark.deeper
@needs_compiler
def test_turned_tiles_in_c() -> None:
    for seed in seeds(3):
        cases = drawn_cases(Random(seed), 44)
        with running_c(threads=2):
            have = turned(cases)
        assert not wrong(cases, have)


@pytest.mark.deeper
@needs_emulator
def test_turned_tiles_in_cuda() -> None:
    for seed in seeds(3):
        cases = drawn_cases(Random(seed), 11)
        for order in (Order.ASCENDING, Order.DESCENDING):
            with emulating(order):
                have = turned(cases)
            assert not wrong(cases, have)


@pytest.mark.deeper
@needs_compiler
@each_kind
def test_calls_in_c(kind: Kind) -> None:
    for seed in seeds(3):
        with running_c(threads=2):
            have = results(kind, seed, 10, LIMIT, 20_000)
        assert_numpy_finds(have, lambda seed=seed: results(kind, seed, 10, LIMIT, 20_000), f"C, seed {seed}")


@pytest.mark.deeper
@needs_emulator
@each_kind
def test_calls_in_cuda(kind: Kind) -> None:
    for seed in seeds(3):
        for order in (Order.ASCENDING, Order.DESCENDING):
            with emulating(order):
                have = results(kind, seed, 5, LIMIT, 4_000)
            assert_numpy_finds(have, lambda seed=seed: results(kind, seed, 5, LIMIT, 4_000), f"CUDA, seed {seed}")
