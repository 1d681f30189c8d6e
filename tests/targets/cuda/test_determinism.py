"""`use_deterministic_algorithms` on the emulated device: the same bits in every order of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.cuda_emulator.driver import Order
from tests.targets.cuda.comparing import gradients, values
from tests.targets.cuda.emulating import emulating

F = lg.nn.functional
_rng = np.random.default_rng(2)


def numbers(*shape: int) -> np.ndarray:
    """Floats of sizes so unlike that every order of a sum has bits of its own."""
    return (_rng.standard_normal(shape) * 10.0 ** _rng.integers(-4, 4, shape)).astype(np.float32)


FEW = _rng.integers(-5, 5, 300)
PLACES = _rng.integers(0, 7, (40, 9))
GRID = _rng.uniform(-1.2, 1.2, (2, 9, 9, 2)).astype(np.float32)
IMAGES = numbers(2, 3, 6, 6)

PROGRAMS: dict[str, tuple[Any, tuple[np.ndarray, ...]]] = {
    "index_add": (lambda x, i, s: x.index_add(0, i % 5, s), (numbers(5, 3), FEW, numbers(300, 3))),
    "index_put": (
        lambda x, i, v: x.index_put((i, i % 3), v, accumulate=True),
        (numbers(5, 3), FEW, numbers(300)),
    ),
    "scatter_add": (lambda x, i, s: x.scatter_add(0, i, s), (numbers(7, 9), PLACES, numbers(40, 9))),
    "scatter_add of halves": (
        lambda x, i, s: x.half().scatter_add(0, i, s.half()),
        (numbers(7, 9), PLACES, numbers(40, 9)),
    ),
    "products": (lambda x, i, s: x.scatter_reduce(0, i, s, "prod"), (numbers(7, 9), PLACES, numbers(40, 9))),
    "means": (lambda x, i, s: x.scatter_reduce(0, i, s, "mean"), (numbers(7, 9), PLACES, numbers(40, 9))),
    "largest": (
        lambda x, i, s: x.scatter_reduce(0, i, s.round() * -0.0, "amax", include_self=False).signbit(),
        (numbers(7, 9), PLACES, numbers(40, 9)),
    ),
    "embedding": (gradients(lambda x, i: F.embedding(i % 5, x)), (numbers(5, 4), FEW)),
    "indexing": (gradients(lambda x, i: x[i % 5]), (numbers(5, 3), FEW)),
    "gather": (gradients(lambda x, i: x.gather(0, i)), (numbers(7, 9), PLACES)),
    "grid_sample": (gradients(lambda x, g: F.grid_sample(x, g, align_corners=True)), (IMAGES, GRID)),
    "upsampling": (gradients(lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear")), (IMAGES,)),
    "unpooling": (
        gradients(lambda x: F.max_unpool2d(*F.max_pool2d(x, 3, 1, return_indices=True), 3, 1)),
        (IMAGES,),
    ),
}


@contextmanager
def deterministic() -> Iterator[None]:
    lg.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        lg.use_deterministic_algorithms(False)


def bits(name: str, order: Order) -> list[bytes]:
    program, inputs = PROGRAMS[name]
    with emulating(order):
        return [value.tobytes() for value in values(program, inputs)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_do_not_depend_on_the_order_of_threads(name: str) -> None:
    with deterministic():
        assert bits(name, Order.DESCENDING) == bits(name, Order.ASCENDING)


def test_atomic_sums_do_depend_on_it() -> None:
    assert bits("index_add", Order.DESCENDING) != bits("index_add", Order.ASCENDING)


def test_sums_in_order_have_the_bits_of_the_host() -> None:
    program, inputs = PROGRAMS["scatter_add"]
    with lg.backend("numpy"):
        expected = [value.tobytes() for value in values(program, inputs)]
    with deterministic():
        assert bits("scatter_add", Order.DESCENDING) == expected


def test_a_plan_that_was_made_before_follows_the_setting() -> None:
    index, source = lg.tensor(FEW % 5), lg.tensor(numbers(300, 3))

    @lg.compile
    def add(x: Any) -> Any:
        return x.index_add(0, index, source)

    def bits() -> bytes:
        return add(lg.zeros(5, 3)).numpy().tobytes()

    with emulating(Order.DESCENDING):
        before = [bits() for _ in range(3)]
        with deterministic():
            ordered = [bits() for _ in range(3)]
        after = [bits() for _ in range(2)]
    with lg.backend("numpy"):
        expected = lg.zeros(5, 3).index_add(0, index, source).numpy().tobytes()
    assert ordered == [expected] * 3
    assert expected not in before + after
