"""Outputs that no cache would keep are written past them, and are the same numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.tensor import Tensor
from tests.codegen.c_backend import running_c
from tests.runtime.toolchains import needs_compiler

pytestmark = needs_compiler

ROWS, COLUMNS = 4099, 3001  # 49 MB of f32, and no row but the first begins at a cache line


def streams_of(*results: Tensor) -> int:
    """How many outputs of a plan are written past the caches."""
    return sum(lg.stages(result).plan_object.sources["c"].text.count("const _Bool streams") for result in results)


@pytest.fixture(scope="module")
def large() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(ROWS, COLUMNS)).astype(np.float32)


PROGRAMS: dict[str, tuple[int, Callable[[Tensor], Tensor], Callable[[np.ndarray], np.ndarray]]] = {
    "elements": (1, lambda x: lg.relu(x * 2), lambda x: np.maximum(x * 2, 0)),
    "smaller elements": (1, lambda x: x > 0.5, lambda x: x > 0.5),
    "along rows": (1, lambda x: x - x.amax(1, keepdim=True), lambda x: x - x.max(1, keepdims=True)),
    "across rows": (1, lambda x: x - x.amax(0), lambda x: x - x.max(0)),
    "turned": (1, lambda x: x.t() * 2 + 1, lambda x: x.T * np.float32(2) + np.float32(1)),
    "from the second column on": (1, lambda x: x[:, 1:] + x[:, :-1], lambda x: x[:, 1:] + x[:, :-1]),
    "sums only": (0, lambda x: x.amax(1), lambda x: x.max(1)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_large_outputs_are_streamed(name: str, large: np.ndarray) -> None:
    count, ours, numpys = PROGRAMS[name]
    x = lg.tensor(large).realize()
    assert streams_of(ours(x)) == count
    with running_c(threads=2):
        np.testing.assert_array_equal(ours(x).numpy(), numpys(large))


def test_small_outputs_are_not_streamed() -> None:
    x = lg.zeros(1000, 1000).realize()
    assert streams_of(lg.relu(x)) == 0


def test_an_output_that_is_read_back_is_not_streamed(large: np.ndarray) -> None:
    x = lg.tensor(large).realize()
    exponential = lg.exp(x)
    shares = exponential / exponential.sum(1, keepdim=True)
    with running_c():
        lg.realize_all([exponential, shares])
    text = str(lg.last_step().sources["c"])
    assert "kept" not in text and "streams1" in text and "streams0" not in text
    expected = np.exp(large.astype(np.float64))
    np.testing.assert_allclose(shares.numpy(), expected / expected.sum(1, keepdims=True), rtol=1e-6)


def test_an_output_over_its_input(large: np.ndarray) -> None:
    x = lg.tensor(large).realize()
    memory = x.data_ptr()
    with running_c(threads=2):
        for _ in range(2):
            x.mul_(-1.5)
            x.realize()
    assert x.data_ptr() == memory
    np.testing.assert_array_equal(x.numpy(), large * np.float32(-1.5) * np.float32(-1.5))
