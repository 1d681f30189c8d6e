"""The calls of a plan that C lacks."""

from __future__ import annotations

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host.arena import arena
from lazygrad.host.calls import calls

from .library import needs_compiler

pytestmark = needs_compiler


def _matrices(count: int, size: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.standard_normal((count, size, size)).astype(np.float32) + 3 * np.eye(size, dtype=np.float32)


def _solved(a: np.ndarray, b: np.ndarray, scale: float) -> np.ndarray:
    """Operands of each kind: an input seen in other strides, a temporary, a number, a part of a concatenation."""
    system, side = lg.from_numpy(a), lg.from_numpy(b)
    both = lg.cat([lg.linalg.inv(system * scale), lg.linalg.inv(system.transpose(-2, -1))])
    return (both @ side[:1] + lg.linalg.solve(system.flip(0), side).sum(0) + lg.linalg.inv(system[0])).numpy()


def _expected(a: np.ndarray, b: np.ndarray, scale: float) -> np.ndarray:
    both = np.concatenate([np.linalg.inv(a * np.float32(scale)), np.linalg.inv(a.swapaxes(-2, -1))])
    solved: np.ndarray = both @ b[:1] + np.linalg.solve(a[::-1], b).sum(0) + np.linalg.inv(a[0])
    return solved


def test_operands_lie_where_each_run_has_them() -> None:
    a, b = _matrices(3, 4), _matrices(3, 4, 1)
    with lg.backend("c"):
        for scale in (1.5, 2.5):
            assert np.allclose(_solved(a, b, scale), _expected(a, b, scale), atol=1e-4)
        old = arena.memory
        arena.at_least(2 * arena.memory.nbytes + (1 << 16))
        assert arena.memory is not old
        old[...] = 255
        other = _matrices(3, 4, 2)
        assert np.allclose(_solved(other, b, 3.5), _expected(other, b, 3.5), atol=1e-4)


def test_what_a_call_refuses_is_raised_and_the_next_run_is_right() -> None:
    a = _matrices(1, 3)[0]
    with lg.backend("c"):
        for _ in range(2):
            assert np.allclose(lg.linalg.inv(lg.from_numpy(a) * 2.5).numpy(), np.linalg.inv(a * 2.5), atol=1e-5)
            with pytest.raises(RuntimeError, match="singular"):
                lg.linalg.inv(lg.from_numpy(np.zeros_like(a)) * 2.5).numpy()


def test_a_call_without_elements() -> None:
    with lg.backend("c"):
        assert lg.linalg.inv(lg.zeros(0, 3, 3) * 2.5).numpy().shape == (0, 3, 3)
        assert lg.linalg.inv(lg.zeros(2, 0, 0) * 2.5).numpy().shape == (2, 0, 0)


@pytest.mark.parametrize("count", [1, 3, 40])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_few_and_many_permutations_are_the_same(count: int, size: int) -> None:
    random = np.random.default_rng(count)
    pivots = np.stack([random.integers(i + 1, size + 1, count) for i in range(size)], axis=1).astype(np.int64)
    order = np.empty((count, size), np.int64)
    calls["pivot_order"](order, pivots, rows=size)
    for found, exchanged in zip(order, pivots, strict=True):
        rows = np.arange(size)
        for i, other in enumerate(exchanged - 1):
            rows[[i, other]] = rows[[other, i]]
        assert found.tolist() == rows.tolist()
