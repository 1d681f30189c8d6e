"""Kernels cut into blocks and spread over threads give what numpy gives, whatever remains at the edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.host.threads import get_num_threads, set_num_threads
from lazygrad.nn import functional as F
from lazygrad.runtime.realize import cache
from lazygrad.targets.numpy import schedule as numpy_schedule
from lazygrad.targets.numpy.schedule import BLOCK_ELEMENTS
from lazygrad.tensor import Tensor

Array = np.ndarray
Axes = tuple[int, ...]


@contextmanager
def running_with(threads: int, block: int = BLOCK_ELEMENTS, grain: int = 1 << 10) -> Iterator[None]:
    """Plan anew, with blocks of ``block`` elements and work for ``threads`` threads from ``grain`` operations on."""
    before = get_num_threads(), numpy_schedule.BLOCK_ELEMENTS, numpy_schedule.THREAD_GRAIN
    cache.clear()
    set_num_threads(threads)
    numpy_schedule.BLOCK_ELEMENTS, numpy_schedule.THREAD_GRAIN = block, grain
    try:
        yield
    finally:
        cache.clear()
        set_num_threads(before[0])
        numpy_schedule.BLOCK_ELEMENTS, numpy_schedule.THREAD_GRAIN = before[1:]


def array(shape: tuple[int, ...], seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def axis_subsets(rank: int) -> list[Axes]:
    return [axes for count in range(1, rank + 1) for axes in combinations(range(rank), count)]


def softmax(x: Array, axes: Axes) -> Array:
    exponentials = np.exp(x - x.max(axes, keepdims=True))
    return exponentials / exponentials.sum(axes, keepdims=True)


def centred(x: Tensor, axes: Axes) -> Tensor:
    return x - x.mean(axes, keepdim=True)


# Programs over an input and axes: lazygrad's results beside numpy's in double precision.
Program = tuple[Callable[[Tensor, Axes], list[Tensor]], Callable[[Array, Axes], list[Array]]]
PROGRAMS: dict[str, Program] = {
    "chain": (lambda x, axes: [lg.exp(x * 0.3) - x], lambda x, axes: [np.exp(x * 0.3) - x]),
    "sum": (
        lambda x, axes: [(x * x).sum(axes) * 2],
        lambda x, axes: [(x * x).sum(axes) * 2],
    ),
    "extremes": (
        lambda x, axes: [lg.amax(x, axes), lg.amin(x, axes)],
        lambda x, axes: [x.max(axes), x.min(axes)],
    ),
    "row kernel": (
        lambda x, axes: [lg.exp(centred(x, axes))],
        lambda x, axes: [np.exp(x - x.mean(axes, keepdims=True))],
    ),
    "row kernel and what it stores on the way": (
        lambda x, axes: [x.sum(axes, keepdim=True) * 0.5, centred(x, axes), lg.amax(centred(x, axes), axes)],
        lambda x, axes: [
            x.sum(axes, keepdims=True) * 0.5,
            x - x.mean(axes, keepdims=True),
            (x - x.mean(axes, keepdims=True)).max(axes),
        ],
    ),
    "column sums of rows": (
        lambda x, axes: [centred(x, (x.dim() - 1,)).sum(0), centred(x, (x.dim() - 1,))],
        lambda x, axes: [(x - x.mean(-1, keepdims=True)).sum(0), x - x.mean(-1, keepdims=True)],
    ),
    "a transposed input": (
        lambda x, axes: [x.transpose(0, -1) * 2 + 1, x.transpose(0, -1).sum(axes)],
        lambda x, axes: [x.swapaxes(0, -1) * 2 + 1, x.swapaxes(0, -1).sum(axes)],
    ),
    "an operand broadcast along the axes": (
        lambda x, axes: [x * lg.exp(lg.amin(x, axes, keepdim=True).detach()) + 1],
        lambda x, axes: [x * np.exp(x.min(axes, keepdims=True)) + 1],
    ),
    "padded": (
        lambda x, axes: [F.pad(x, (2, 1), value=0.5) * 2, F.pad(x, (*(0, 0) * (x.dim() - 1), 1, 1)).sum(axes)],
        lambda x, axes: [
            np.pad(x, [*[(0, 0)] * (x.ndim - 1), (2, 1)], constant_values=0.5) * 2,
            np.pad(x, [(1, 1), *[(0, 0)] * (x.ndim - 1)]).sum(axes),
        ],
    ),
    "mixed dtypes": (
        lambda x, axes: [(x > 0).sum(axes), lg.where(x > 0, x, 0).double().sum(axes)],
        lambda x, axes: [(x > 0).sum(axes), np.where(x > 0, x, 0).sum(axes)],
    ),
}


def check(name: str, values: Array, axes: Axes) -> None:
    program, reference = PROGRAMS[name]
    results = program(lg.tensor(values), axes)
    lg.realize_all(results)
    for result, expected in zip(results, reference(values.astype(np.float64), axes), strict=True):
        np.testing.assert_allclose(result.numpy(), expected, rtol=2e-4, atol=2e-3)


@settings(max_examples=250, deadline=None)
@given(
    name=st.sampled_from(sorted(PROGRAMS)),
    shape=st.lists(st.integers(1, 13), min_size=1, max_size=4).map(tuple),
    axes=st.data(),
    block=st.sampled_from([1, 7, 16, 64, 100]),
    threads=st.integers(1, 3),
)
def test_any_shape_axes_and_block_size(
    name: str, shape: tuple[int, ...], axes: st.DataObject, block: int, threads: int
) -> None:
    chosen = axes.draw(st.sampled_from(axis_subsets(len(shape))))
    with running_with(threads, block, grain=1):
        check(name, array(shape), chosen)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("shape", [(257, 1023), (3, 129, 683), (140001,), (2, 70001), (70001, 2)], ids=str)
def test_real_block_sizes_with_odd_remainders(name: str, shape: tuple[int, ...]) -> None:
    with running_with(threads=2):
        for axes in axis_subsets(len(shape)):
            check(name, array(shape), axes)


def test_softmax_of_rows_larger_than_a_block() -> None:
    values = array((5, BLOCK_ELEMENTS + 17))
    with running_with(threads=2):
        y = lg.softmax(lg.tensor(values), 1)
        assert lg.stages(y).plan_object.kernel_calls == 1
        np.testing.assert_allclose(y.numpy(), softmax(values.astype(np.float64), (1,)), rtol=2e-4)


def test_results_do_not_depend_on_timing() -> None:
    values = array((4099, 33))
    with running_with(threads=3):
        x = lg.tensor(values)
        results = [np.array(x.sum(0).numpy()) for _ in range(5)]
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0,)], ids=str)
def test_nothing_to_iterate_over(shape: tuple[int, ...]) -> None:
    x = lg.tensor(array(shape))
    assert (x * 2 + 1).numpy().shape == shape
    np.testing.assert_array_equal(x.sum(0).numpy(), np.zeros(shape[1:], np.float32))
