"""Realization: views of realized values, errors inside a plan, and threads that realize at the same time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.nn import functional as F
from lazygrad.runtime.realize import cache, unfused
from tests.passes.programs import realized


def test_realizing_twice_plans_once() -> None:
    x = lg.exp(realized(4, 5)).realize()
    runs = cache.hits + cache.misses
    x.realize()
    x.tolist()
    assert cache.hits + cache.misses == runs


def test_contiguous_views_of_realized_values_share_memory_without_a_plan() -> None:
    x = realized(4, 6)
    runs = cache.hits + cache.misses
    row, flat = x[1], x.reshape(-1)
    assert row.tolist() == x.tolist()[1]
    assert np.shares_memory(flat.numpy(), x.numpy())
    assert cache.hits + cache.misses == runs


def test_everything_asked_for_together_is_one_plan() -> None:
    x = realized(4, 6)
    tensors = [lg.exp(x), x.sum(), x @ x.T]
    runs = cache.hits + cache.misses
    lg.realize_all(tensors)
    assert cache.hits + cache.misses == runs + 1
    assert all(tensor.node().value is not None for tensor in tensors)


def test_the_same_value_asked_for_twice() -> None:
    x = realized(4, 6)
    first, second = lg.exp(x), lg.exp(x)
    lg.realize_all([first, second, first])
    np.testing.assert_array_equal(first.numpy(), second.numpy())
    first += 1
    assert not np.array_equal(first.numpy(), second.numpy())


def test_unfused_nests() -> None:
    x = realized(4, 6)
    with unfused():
        with unfused():
            pass
        lg.exp(x * 2).realize()
    assert lg.last_step().plan_object.kernel_calls == 2


def test_an_error_inside_a_plan_leaves_tensors_usable() -> None:
    table = realized(4, 3)
    hidden = lg.exp(table)
    picked = F.embedding(lg.tensor([1, 5]) + lg.tensor([0, 4]), hidden)
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        picked.realize()
    np.testing.assert_allclose(hidden.numpy(), np.exp(table.numpy()), rtol=1e-6)
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        picked.tolist()
    assert F.embedding(lg.tensor([1, 3]), hidden).shape == (2, 3)


def test_an_error_inside_a_plan_does_not_apply_an_update_twice() -> None:
    weight, table = lg.ones(100).realize(), realized(4, 3)
    weight += 0.5
    with pytest.raises(IndexError):
        lg.realize_all([weight, F.embedding(lg.tensor([1, 9]), table)])
    assert weight.tolist() == [1.5] * 100


def test_threads_that_realize_at_once_get_their_own_results() -> None:
    base = realized(64, 64).realize()
    together = threading.Barrier(4)

    def work(seed: int) -> list[float]:
        together.wait(timeout=30)
        results = []
        for step in range(20):
            x = base * float(seed) + 0.25 * step
            x = lg.softmax(x, 1) @ x.T if step % 2 else lg.exp(x * 0.01).sum(0) + x
            results.append(float(x.sum()))
        return results

    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(work, range(4)))
    together = threading.Barrier(1)
    for seed in range(4):
        assert parallel[seed] == work(seed)


def test_threads_may_realize_the_same_tensor() -> None:
    for _ in range(10):
        x = lg.exp(realized(50, 50)) * 0.3
        with ThreadPoolExecutor(4) as pool:
            sums = list(pool.map(lambda _, x=x: float(x.sum()), range(4)))
        assert len(set(sums)) == 1
        np.testing.assert_allclose(sums[0], np.exp(realized(50, 50).numpy()).sum() * 0.3, rtol=1e-4)
